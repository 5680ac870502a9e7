/**
 * DefaultStorageClass and DefaultIngressClass: a claim or an ingress without a class gets the
 * default one, which has the annotation:
 *
 *     storageclass.<labelDomain>/is-default-class: "true"
 *     ingressclass.<labelDomain>/is-default-class: "true"
 *
 * Invariants: of several defaults the newest counts, and of those created in the same second the
 * first by name. An empty class name counts as a name: its writer wants no class.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { AdmissionObjects, AdmissionPlugin } from '../admission.ts';

export function defaultStorageClass(
  { fill, labelDomain }: Identity,
  known: AdmissionObjects,
): AdmissionPlugin {
  const classes = { group: fill('storage.{domain}'), resource: 'storageclasses' };
  const marks = ['storageclass', 'storageclass.beta'].map(
    (prefix) => `${prefix}.${labelDomain}/is-default-class`,
  );
  return defaulting('DefaultStorageClass', '/persistentvolumeclaims', known, {
    classes,
    marks,
    field: 'storageClassName',
    isSaid: (claim) => claimClass(claim, labelDomain) !== undefined,
  });
}

export function defaultIngressClass(
  { fill, labelDomain }: Identity,
  known: AdmissionObjects,
): AdmissionPlugin {
  const group = fill('networking.{domain}');
  const annotation = `${labelDomain}/ingress.class`;
  return defaulting('DefaultIngressClass', `${group}/ingresses`, known, {
    classes: { group, resource: 'ingressclasses' },
    marks: [`ingressclass.${labelDomain}/is-default-class`],
    field: 'ingressClassName',
    isSaid: ({ metadata, spec }) =>
      metadata.annotations?.[annotation] !== undefined ||
      part({ spec }, 'spec')['ingressClassName'] !== undefined,
  });
}

/** Undefined: the claim says nothing. The annotation is the older way of saying it. */
export function claimClass(claim: ApiObject, labelDomain: string): string | undefined {
  const annotation = claim.metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
  const named = part(claim, 'spec')['storageClassName'];
  return annotation ?? (typeof named === 'string' ? named : undefined);
}

interface Defaulting {
  readonly classes: GroupResource;
  /** Annotations of a class that make it the default. */
  readonly marks: readonly string[];
  /** Of the spec, where the class is named. */
  readonly field: string;
  isSaid(object: ApiObject): boolean;
}

function defaulting(
  name: string,
  resource: string,
  known: AdmissionObjects,
  { classes, field, isSaid, marks }: Defaulting,
): AdmissionPlugin {
  /** Looked for once, until a class changes. */
  const defaultIn = known.summaries(classes, (all) => defaultOf(all, marks));
  return {
    name,
    resources: [resource],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit({ next }) {
      if (isSaid(next)) return next;
      return after(defaultIn(''), (found) => {
        if (found === undefined) return next;
        return { ...next, spec: { ...part(next, 'spec'), [field]: found } };
      });
    },
  };
}

/** The name of the default. */
function* defaultOf(
  classes: Iterable<ApiObject>,
  marks: readonly string[],
): Steps<string | undefined> {
  let found: ApiObject | undefined;
  for (const each of classes) {
    yield;
    if (!marks.some((mark) => each.metadata.annotations?.[mark] === 'true')) continue;
    // Classes come by name, so the first of one second stays.
    if (found === undefined || bornAt(each) > bornAt(found)) found = each;
  }
  return found?.metadata.name;
}

function bornAt({ metadata: { creationTimestamp = '' } }: ApiObject): string {
  return creationTimestamp;
}
