/**
 * PodNodeSelector: pods of a namespace run on its nodes alone.
 *
 *     scheduler.alpha.<labelDomain>/node-selector: env=test,tier=a    on the namespace
 *     clusterDefaultNodeSelector                                      where that is missing
 *     a list for the namespace in the configuration                   what its pods may ask for
 *
 * Invariants: the configuration is read strictly, once. A selector that cannot be read refuses
 * pods: it was meant as a restriction.
 */
import { unknownFields } from '../../apimachinery/configuration-document.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import { newNamespaceNotFound } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { AdmissionObjects, AdmissionPlugin, Refusal, Review } from '../admission.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;
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
    const labels = typeof selector === 'string' ? parseLabels(selector) : undefined;
    if (labels === undefined) problems.push(`${root}.${name}: labels expected, as a=b,c=d`);
    read.set(name, labels ?? {});
  }
  const byDefault = read.get(clusterDefault) ?? {};
  read.delete(clusterDefault);
  return { clusterDefault: byDefault, allowed: read };
}

/** `a=b,c=d`; undefined: it is not that. */
function parseLabels(selector: string): Labels | undefined {
  const labels: Record<string, string> = {};
  for (const pair of selector.split(',')) {
    if (selector.trim() === '') break;
    const parts = pair.split('=').map((each) => each.trim());
    const [key = '', value = ''] = parts;
    if (parts.length !== 2 || key === '' || key === '__proto__') return undefined;
    labels[key] = value;
  }
  return labels;
}

export function nodeSelectors(
  { labelDomain }: Identity,
  known: AdmissionObjects,
  settings: NodeSelectorSettings,
): AdmissionPlugin {
  const annotation = `scheduler.alpha.${labelDomain}/node-selector`;
  const ofNamespace = (name: string): Labels | NonNullable<Refusal> => {
    const namespace = known.get(namespaces, '', name);
    if (namespace === undefined) return newNamespaceNotFound(name);
    const selector = namespace.metadata.annotations?.[annotation];
    if (selector === undefined) return settings.clusterDefault;
    return parseLabels(selector) ?? `invalid selector: ${selector}`;
  };
  const check = ({ namespace, next }: Review): Labels | NonNullable<Refusal> => {
    const wanted = ofNamespace(namespace);
    if (isRefusal(wanted)) return wanted;
    const own = selectorOf(next);
    if (Object.keys(wanted).some((key) => (ownMember(own, key) ?? wanted[key]) !== wanted[key])) {
      return 'pod node label selector conflicts with its namespace node label selector';
    }
    return { ...wanted, ...own };
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
      if (isRefusal(merged)) return merged;
      if (Object.keys(merged).length === Object.keys(selectorOf(next)).length) return next;
      return { ...next, spec: { ...part(next, 'spec'), nodeSelector: merged } };
    },
    validate(review) {
      if (review.operation !== 'CREATE') return undefined;
      const merged = check(review);
      if (isRefusal(merged)) return merged;
      const allowed = settings.allowed.get(review.namespace) ?? {};
      if (Object.keys(allowed).length === 0) return undefined;
      const isAllowed = Object.entries(selectorOf(review.next)).every(
        ([key, value]) => ownMember(allowed, key) === value,
      );
      if (isAllowed) return undefined;
      return 'pod node label selector labels conflict with its namespace whitelist';
    },
  };
}

function isRefusal(found: Labels | NonNullable<Refusal>): found is NonNullable<Refusal> {
  return typeof found === 'string' || found instanceof Error;
}

function selectorOf(pod: ApiObject | undefined): Labels {
  return part(part(pod, 'spec'), 'nodeSelector') as Labels;
}
