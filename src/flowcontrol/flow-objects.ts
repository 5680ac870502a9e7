/**
 * FlowSchemas and PriorityLevelConfigurations as flow control reads them (spec: exact details of
 * extensions, section 7). What is stored has been validated; what breaks the form all the same, as
 * objects of older releases may, is as if it were not there.
 */
import { objects, part, text, texts } from '../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { LevelShares } from './concurrency.ts';
import type { LevelShape } from './level.ts';

/** The level that is not limited, and no other. */
export const exemptName = 'exempt';

export interface LevelObject extends LevelShares {
  readonly name: string;
  readonly uid: string;
  readonly shape: LevelShape;
}

/** What is known of every schema. */
export interface SchemaHead {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  readonly level: string;
  readonly tellsApart: 'ByUser' | 'ByNamespace' | undefined;
  /** What its rules weigh in the index: their texts, of paths the segments, and each subject once
   * for each thing. */
  readonly termsCount: number;
}

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Of a service account. */
  readonly namespace: string;
}

export interface ResourceTerms {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusterScope: boolean;
}

export interface PathTerms {
  readonly verbs: readonly string[];
  readonly paths: readonly string[];
}

/** Who, for what: one of the two lists of things, where both are given a rule for each. */
export interface SchemaRule {
  readonly subjects: readonly Subject[];
  readonly resources: readonly ResourceTerms[];
  readonly paths: readonly PathTerms[];
}

export interface SchemaObject extends SchemaHead {
  readonly rules: readonly SchemaRule[];
}

/** Undefined: it is not used. */
export function levelOf(object: ApiObject): LevelObject | undefined {
  const spec = part(object, 'spec');
  const { name = '', uid = '' } = object.metadata;
  const isExempt = text(spec, 'type') === 'Exempt';
  if (isExempt !== (name === exemptName)) return undefined;
  const own = part(spec, isExempt ? 'exempt' : 'limited');
  const shape = isExempt ? ({ kind: 'exempt' } as const) : shapeOf(part(own, 'limitResponse'));
  if (shape === undefined) return undefined;
  return {
    name,
    uid,
    shape,
    shares: sharesIn(own),
    lendablePercent: numberIn(own, 'lendablePercent') ?? 0,
    borrowingLimitPercent: isExempt ? undefined : numberIn(own, 'borrowingLimitPercent'),
  };
}

function shapeOf(response: JsonObject): LevelShape | undefined {
  const type = text(response, 'type');
  if (type === 'Reject') return { kind: 'reject' };
  const queuing = part(response, 'queuing');
  const queues = numberIn(queuing, 'queues') ?? 0;
  const handSize = numberIn(queuing, 'handSize') ?? 0;
  const queueLengthMax = numberIn(queuing, 'queueLengthLimit') ?? 0;
  if (type !== 'Queue' || queues < 1 || handSize < 1 || handSize > queues) return undefined;
  return { kind: 'queue', queues, handSize, queueLengthMax };
}

export function schemaHeadOf(object: ApiObject): SchemaHead {
  const spec = part(object, 'spec');
  const { name = '', uid = '' } = object.metadata;
  const method = text(part(spec, 'distinguisherMethod'), 'type');
  return {
    name,
    uid,
    precedence: numberIn(spec, 'matchingPrecedence') ?? 0,
    level: text(part(spec, 'priorityLevelConfiguration'), 'name'),
    tellsApart: method === 'ByUser' || method === 'ByNamespace' ? method : undefined,
    termsCount: termsIn(spec),
  };
}

/** With its rules. */
export function schemaOf(object: ApiObject): SchemaObject {
  const rules = objects(part(object, 'spec'), 'rules');
  return { ...schemaHeadOf(object), rules: rules.map(ruleOf) };
}

function termsIn(spec: JsonObject): number {
  let count = 0;
  for (const rule of objects(spec, 'rules')) {
    const things = [...objects(rule, 'resourceRules'), ...objects(rule, 'nonResourceRules')];
    count += things.length * (1 + objects(rule, 'subjects').length);
    for (const thing of things) {
      for (const name of termNames) count += texts(thing, name).length;
      for (const path of pathsIn(thing)) count += segmentsIn(path);
    }
  }
  return count;
}

const termNames = ['verbs', 'apiGroups', 'resources', 'namespaces'];

/** Characters of a path. No request has a longer one, and so none is matched by it. */
const pathMax = 16 * 1024;

function pathsIn(thing: JsonObject): readonly string[] {
  return texts(thing, 'nonResourceURLs').filter((path) => path.length <= pathMax);
}

/** And one for the path. */
export function segmentsIn(path: string): number {
  let count = 1;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count += 1;
  return count;
}

function ruleOf(rule: JsonObject): SchemaRule {
  return {
    subjects: objects(rule, 'subjects').flatMap((subject) => subjectOf(subject) ?? []),
    resources: objects(rule, 'resourceRules').map((each) => ({
      verbs: texts(each, 'verbs'),
      apiGroups: texts(each, 'apiGroups'),
      resources: texts(each, 'resources'),
      namespaces: texts(each, 'namespaces'),
      clusterScope: each['clusterScope'] === true,
    })),
    paths: objects(rule, 'nonResourceRules').map((each) => ({
      verbs: texts(each, 'verbs'),
      paths: pathsIn(each),
    })),
  };
}

function subjectOf(subject: JsonObject): Subject | undefined {
  switch (text(subject, 'kind')) {
    case 'User':
      return { kind: 'User', name: text(part(subject, 'user'), 'name'), namespace: '' };
    case 'Group':
      return { kind: 'Group', name: text(part(subject, 'group'), 'name'), namespace: '' };
    case 'ServiceAccount': {
      const account = part(subject, 'serviceAccount');
      const [name, namespace] = [text(account, 'name'), text(account, 'namespace')];
      return { kind: 'ServiceAccount', name, namespace };
    }
    default:
      return undefined;
  }
}

function numberIn(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' ? value : undefined;
}

/** They had another name in older versions. */
function sharesIn(own: JsonObject): number {
  const shares = numberIn(own, 'nominalConcurrencyShares');
  return shares ?? numberIn(own, 'assuredConcurrencyShares') ?? 0;
}
