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
import type { ApiObject, ObjectMeta } from '../../apimachinery/unstructured.ts';
import { after } from '../../stdx/awaitable.ts';
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
  const usual = known.first(classes, {
    read: ({ metadata }) => (isMarked(metadata, marks) ? metadata : undefined),
    isBefore: isNewer,
  });
  return {
    name,
    resources: [resource],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit({ next }) {
      if (isSaid(next)) return next;
      return after(usual(), (found) => {
        if (found === undefined) return next;
        return { ...next, spec: { ...part(next, 'spec'), [field]: found.name } };
      });
    },
  };
}

function isMarked({ annotations }: ObjectMeta, marks: readonly string[]): boolean {
  return marks.some((mark) => annotations?.[mark] === 'true');
}

/** Those of one second by their names. */
function isNewer(a: ObjectMeta, b: ObjectMeta): boolean {
  const { creationTimestamp: bornA = '', name: nameA = '' } = a;
  const { creationTimestamp: bornB = '', name: nameB = '' } = b;
  return bornA === bornB ? nameA < nameB : bornA > bornB;
}
