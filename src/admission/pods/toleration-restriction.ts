/**
 * PodTolerationRestriction: the tolerations of the pods of a namespace.
 *
 *     scheduler.alpha.<labelDomain>/defaultTolerations      on the namespace: added to its pods
 *     scheduler.alpha.<labelDomain>/tolerationsWhitelist    on the namespace: no others are allowed
 *     default, whitelist                                    where the namespace has no annotation
 *
 * Invariants: an empty annotation means none, and the configuration does not apply. An annotation
 * that cannot be read refuses pods. A pod that requests cpu or memory tolerates nodes that are
 * short of memory. Of two tolerations of which one covers the other, the covering one stays.
 * Bound: `tolerationsMax` of a pod, and of a namespace, because each is compared with each. Policy:
 * with more of them a pod is refused.
 */
import { oneOf, unknownFields } from '../../apimachinery/configuration-document.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import {
  newNamespaceNotFound,
  newUnknownError,
  StatusError,
} from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { AdmissionObjects, AdmissionPlugin, Review } from '../admission.ts';
import { includesToleration, mergedTolerations } from './tolerations.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;

type Tolerations = readonly JsonObject[];

const tolerationsMax = 200;

export interface TolerationSettings {
  readonly byDefault: Tolerations;
  /** Empty: all are allowed. */
  readonly allowed: Tolerations;
}

const fields = ['key', 'operator', 'value', 'effect', 'tolerationSeconds'] as const;
const operators = ['', 'Equal', 'Exists'] as const;
const effects = ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** `group`: podtolerationrestriction.admission.<domain>. Undefined: nothing is configured. */
export function readTolerationSettings(
  document: JsonObject | undefined,
  group: string,
  problems: string[],
): TolerationSettings {
  if (document === undefined) return { byDefault: [], allowed: [] };
  if (text(document, 'apiVersion') !== `${group}/v1alpha1`) {
    problems.push(`apiVersion: ${group}/v1alpha1 expected`);
  }
  if (document['kind'] !== 'Configuration') problems.push('kind: Configuration expected');
  unknownFields(document, ['apiVersion', 'kind', 'default', 'whitelist'], '', problems);
  const read = (name: string): Tolerations =>
    items(document, name).map((item, at) => readToleration(item, `${name}[${at}]`, problems));
  return { byDefault: read('default'), allowed: read('whitelist') };
}

function readToleration(item: JsonValue, path: string, problems: string[]): JsonObject {
  if (!isJsonObject(item)) {
    problems.push(`${path}: an object expected`);
    return {};
  }
  unknownFields(item, fields, path, problems);
  const operator = oneOf(
    { operator: '', ...item },
    'operator',
    operators,
    path,
    problems,
    'expected',
  );
  const effect = oneOf({ effect: '', ...item }, 'effect', effects, path, problems, 'expected');
  const hasSeconds = item['tolerationSeconds'] !== undefined;
  if (hasSeconds && effect !== 'NoExecute') {
    problems.push(`${path}.tolerationSeconds: only with effect NoExecute`);
  }
  if (text(item, 'key') === '' && operator !== 'Exists') {
    problems.push(`${path}.operator: Exists expected where there is no key`);
  }
  return item;
}

/** `isBestEffort`: whether a pod asks for neither cpu nor memory. */
export function tolerationRestriction(
  { labelDomain }: Pick<Identity, 'labelDomain'>,
  known: Pick<AdmissionObjects, 'current' | 'get'>,
  settings: TolerationSettings,
  isBestEffort: (pod: ApiObject) => boolean,
): AdmissionPlugin {
  const memoryPressure = {
    key: `node.${labelDomain}/memory-pressure`,
    operator: 'Exists',
    effect: 'NoSchedule',
  };
  /** Undefined: the namespace says nothing. */
  const saidBy = (namespace: string, what: string): Tolerations | StatusError | undefined => {
    const found = known.get(namespaces, '', namespace);
    if (found === undefined) return newNamespaceNotFound(namespace);
    return parsed(found.metadata.annotations?.[`scheduler.alpha.${labelDomain}/${what}`]);
  };
  const check = ({ namespace }: Review, pod: ApiObject): StatusError | undefined => {
    const own = objects(part(pod, 'spec'), 'tolerations');
    if (own.length === 0) return undefined;
    if (own.length > tolerationsMax) return tooMany('pod');
    const said = saidBy(namespace, 'tolerationsWhitelist');
    if (said instanceof StatusError) return said;
    const allowed = said ?? settings.allowed;
    if (allowed.length === 0) return undefined;
    if (own.every((each) => allowed.some((one) => includesToleration(one, each)))) return undefined;
    const scope = said === undefined ? 'cluster' : 'namespace';
    return newUnknownError(
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its ' +
        `${scope} whitelist`,
    );
  };
  return {
    name: 'PodTolerationRestriction',
    resources: ['/pods'],
    concerns: (_user, { operations }) => operations.some((each) => each !== 'DELETE'),
    current: () => known.current(),
    admits: ['CREATE', 'UPDATE'],
    admit(review) {
      const { namespace, next, operation } = review;
      const said = operation === 'CREATE' ? saidBy(namespace, 'defaultTolerations') : [];
      if (said instanceof StatusError) return said;
      const more = [
        ...(said ?? settings.byDefault),
        ...(isBestEffort(next) ? [] : [memoryPressure]),
      ];
      if (objects(part(next, 'spec'), 'tolerations').length > tolerationsMax) return tooMany('pod');
      const pod = more.length === 0 ? next : withTolerations(next, more);
      return check(review, pod) ?? pod;
    },
    validate: (review) => (review.next === undefined ? undefined : check(review, review.next)),
  };
}

function parsed(annotation: string | undefined): Tolerations | StatusError | undefined {
  if (annotation === undefined) return undefined;
  if (annotation === '') return [];
  let list: JsonValue;
  try {
    list = (JSON.parse(annotation) as JsonValue) ?? [];
  } catch (error) {
    return newUnknownError(`tolerations of the namespace: ${messageOf(error)}`);
  }
  if (!Array.isArray(list)) return newUnknownError('tolerations of the namespace: a list expected');
  if (list.length > tolerationsMax) return tooMany('namespace');
  const found: JsonObject[] = [];
  for (const [at, item] of (list as readonly JsonValue[]).entries()) {
    const toleration = readable(item);
    if (toleration === undefined) {
      return newUnknownError(`tolerations of the namespace: [${at}] is no toleration`);
    }
    found.push(toleration);
  }
  return found;
}

function tooMany(whose: string): StatusError {
  return newUnknownError(`more than ${tolerationsMax} tolerations of the ${whose}`);
}

/** As far as it is known. Undefined: a field is not of its type. */
function readable(item: JsonValue): JsonObject | undefined {
  if (!isJsonObject(item)) return undefined;
  const given = fields.filter((field) => (item[field] ?? undefined) !== undefined);
  const isRead = given.every((field) =>
    field === 'tolerationSeconds'
      ? Number.isSafeInteger(item[field])
      : typeof item[field] === 'string',
  );
  if (!isRead) return undefined;
  return Object.fromEntries(given.map((field) => [field, item[field] as JsonValue]));
}

function withTolerations(pod: ApiObject, more: Tolerations): ApiObject {
  const spec = part(pod, 'spec');
  const own = objects(spec, 'tolerations');
  const tolerations = mergedTolerations(own, more);
  return deepEqual(tolerations, own) ? pod : { ...pod, spec: { ...spec, tolerations } };
}
