/**
 * PodNodeSelector: pods of a namespace run on selected nodes only.
 *
 *     scheduler.alpha.<labelDomain>/node-selector: env=test,tier=a    on the namespace
 *     clusterDefaultNodeSelector                                      for namespaces without one
 *     a list for the namespace in the configuration                   what its pods may ask for
 *
 * Invariants: the configuration is read strictly, once. A selector that cannot be read refuses
 * pods, because it was meant as a restriction. Pods are checked before other plugins complete them,
 * and again in the validate phase.
 */
import { unknownFields } from '../../apimachinery/configuration-document.ts';
import { formatFieldErrors, invalid } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import {
  newForbidden,
  newNamespaceNotFound,
  newUnknownError,
  StatusError,
} from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { AdmissionObjects, AdmissionPlugin, Review } from '../admission.ts';
import { requestedName } from '../requested-name.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;
const pods = { group: '', resource: 'pods' } as const;
const conflict = 'pod node label selector conflicts with its namespace node label selector';
const notListed = 'pod node label selector labels conflict with its namespace whitelist';
const root = 'podNodeSelectorPluginConfig';
const clusterDefault = 'clusterDefaultNodeSelector';

type Labels = Readonly<Record<string, string>>;

export interface NodeSelectorSettings {
  readonly clusterDefault: Labels;
  /** What pods of a namespace may ask for; none or an empty one: anything. */
  readonly allowed: ReadonlyMap<string, Labels>;
}

const anyNode: NodeSelectorSettings = { clusterDefault: {}, allowed: new Map() };

/** `document`: undefined where nothing is configured. */
export function readNodeSelectors(
  document: JsonObject | undefined,
  problems: string[],
): NodeSelectorSettings {
  if (document === undefined) return anyNode;
  unknownFields(document, [root], '', problems);
  const settings = document[root] ?? {};
  if (!isJsonObject(settings)) {
    problems.push(`${root}: an object expected`);
    return anyNode;
  }
  const read = new Map<string, Labels>();
  for (const [name, selector] of Object.entries(settings)) {
    const labels = typeof selector === 'string' ? parseLabels(selector) : '';
    const isRead = typeof labels !== 'string';
    if (!isRead) problems.push(`${root}.${name}: labels expected, as a=b,c=d`);
    read.set(name, isRead ? labels : {});
  }
  const byDefault = read.get(clusterDefault) ?? {};
  read.delete(clusterDefault);
  return { clusterDefault: byDefault, allowed: read };
}

/** `a=b,c=d`; a text: why it is not that. */
function parseLabels(selector: string): Labels | string {
  const labels: Record<string, string> = {};
  if (selector === '') return labels;
  for (const pair of selector.split(',')) {
    const parts = pair.split('=');
    const [key = '', value = ''] = parts.map((each) => each.trim());
    if (parts.length !== 2) return `invalid selector: [${parts.join(' ')}]`;
    const wrong =
      problemOf('<nil>', key, checkQualifiedName(key)) ??
      problemOf(`[${key}]`, value, checkLabelValue(value));
    if (wrong !== undefined) return wrong;
    labels[key] = value;
  }
  return labels;
}

function problemOf(field: string, value: string, problems: readonly string[]): string | undefined {
  if (problems.length === 0) return undefined;
  return formatFieldErrors([invalid(field, value, problems.join('; '))]);
}

export function nodeSelectors(
  { labelDomain }: Identity,
  known: AdmissionObjects,
  settings: NodeSelectorSettings,
): AdmissionPlugin {
  const annotation = `scheduler.alpha.${labelDomain}/node-selector`;
  const ofNamespace = (name: string): Labels | StatusError => {
    const namespace = known.get(namespaces, '', name);
    if (namespace === undefined) return newNamespaceNotFound(name);
    const selector = namespace.metadata.annotations?.[annotation];
    if (selector === undefined) return settings.clusterDefault;
    const labels = parseLabels(selector);
    return typeof labels === 'string' ? newUnknownError(labels) : labels;
  };
  const check = (review: Review): Labels | StatusError => {
    const { namespace, next } = review;
    const wanted = ofNamespace(namespace);
    if (wanted instanceof StatusError) return wanted;
    const own = selectorOf(next);
    if (Object.keys(wanted).some((key) => (ownMember(own, key) ?? wanted[key]) !== wanted[key])) {
      return refused(review, conflict);
    }
    const merged = { ...wanted, ...own };
    const allowed = settings.allowed.get(namespace) ?? {};
    const isAllowed = ([key, value]: [string, string]): boolean =>
      ownMember(allowed, key) === value;
    if (Object.keys(allowed).length === 0 || Object.entries(merged).every(isAllowed)) return merged;
    return refused(review, notListed);
  };
  return {
    name: 'PodNodeSelector',
    resources: ['/pods'],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit(review) {
      const { next } = review;
      const merged = check(review);
      if (merged instanceof StatusError) return merged;
      if (Object.keys(merged).length === Object.keys(selectorOf(next)).length) return next;
      return { ...next, spec: { ...part(next, 'spec'), nodeSelector: merged } };
    },
    validate(review) {
      if (review.operation !== 'CREATE') return undefined;
      const checked = check(review);
      return checked instanceof StatusError ? checked : undefined;
    },
  };
}

/** A name that is to be generated is not told. */
function refused(review: Review, why: string): StatusError {
  return newForbidden(pods, requestedName(review), why);
}

function selectorOf(pod: ApiObject | undefined): Labels {
  return part(part(pod, 'spec'), 'nodeSelector') as Labels;
}
