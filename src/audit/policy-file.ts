/**
 * Reads an audit policy file, YAML or JSON: audit.<domain>/v1, kind Policy.
 *
 * Invariants: strict. A field that is not known, or a value that makes no sense, refuses the whole
 * file, with every problem and its place in one line: a policy that is half understood would leave
 * out what somebody relies on.
 */
import { decodeYaml } from '../apimachinery/codecs/yaml.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { AuditStage } from './audit.ts';
import { auditLevels } from './policy.ts';
import type { AuditPolicy, AuditRule, GroupResources } from './policy.ts';

export type ReadPolicy =
  | { readonly kind: 'ok'; readonly policy: AuditPolicy }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const stages: readonly AuditStage[] = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
];

const policyFields = [
  'apiVersion',
  'kind',
  'metadata',
  'rules',
  'omitStages',
  'omitManagedFields',
] as const;

const ruleFields = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
] as const;

/** `group`: audit.<domain>. */
export function parseAuditPolicy(bytes: Uint8Array, group: string): ReadPolicy {
  const decoded = decodeYaml(bytes);
  if (decoded.kind === 'refused') return invalid('neither YAML nor JSON');
  const document = decoded.value;
  if (!isJsonObject(document)) return invalid('not an object');
  if (document['apiVersion'] !== `${group}/v1`) return invalid(`apiVersion: ${group}/v1 expected`);
  if (document['kind'] !== 'Policy') return invalid('kind: Policy expected');
  const problems: string[] = [];
  unknownFields(document, policyFields, '', problems);
  const list = document['rules'];
  if (!Array.isArray(list) || list.length === 0) {
    return invalid('rules: at least one is needed', ...problems);
  }
  const omitted = stagesOf(document, '', problems);
  const managed = booleanOf(document, '', problems) ?? false;
  const rules: AuditRule[] = [];
  for (const [at, item] of list.entries()) {
    const rule = readRule(item, `rules[${at}]`, problems);
    if (rule === undefined) continue;
    rules.push({
      ...rule,
      omitStages: new Set([...omitted, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? managed,
    });
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', policy: { rules } };
}

function invalid(...problems: readonly string[]): ReadPolicy {
  return { kind: 'invalid', problems };
}

type RuleAsGiven = Omit<AuditRule, 'omitManagedFields'> & {
  readonly omitManagedFields: boolean | undefined;
};

function readRule(item: JsonValue, path: string, problems: string[]): RuleAsGiven | undefined {
  if (!isJsonObject(item)) {
    problems.push(`${path}: not an object`);
    return undefined;
  }
  unknownFields(item, ruleFields, path, problems);
  const level = auditLevels.find((each) => each === item['level']);
  if (level === undefined)
    problems.push(`${path}.level: one of ${auditLevels.join(', ')} expected`);
  const rule: RuleAsGiven = {
    level: level ?? 'None',
    users: texts(item, 'users', path, problems),
    userGroups: texts(item, 'userGroups', path, problems),
    verbs: texts(item, 'verbs', path, problems),
    resources: resourcesOf(item, path, problems),
    namespaces: texts(item, 'namespaces', path, problems),
    nonResourceURLs: texts(item, 'nonResourceURLs', path, problems),
    omitStages: new Set(stagesOf(item, path, problems)),
    omitManagedFields: booleanOf(item, path, problems),
  };
  for (const url of rule.nonResourceURLs) {
    const star = url.indexOf('*');
    const good = url === '*' || (url.startsWith('/') && (star < 0 || star === url.length - 1));
    if (!good) problems.push(`${path}.nonResourceURLs: ${url}: a path, or one with * at its end`);
  }
  if (rule.nonResourceURLs.length > 0 && rule.resources.length + rule.namespaces.length > 0) {
    problems.push(`${path}: resources or namespaces, or nonResourceURLs, not both`);
  }
  return rule;
}

function resourcesOf(item: JsonObject, path: string, problems: string[]): GroupResources[] {
  const list = item['resources'] ?? [];
  if (!Array.isArray(list)) {
    problems.push(`${path}.resources: a list expected`);
    return [];
  }
  return list.flatMap((each, at) => {
    const place = `${path}.resources[${at}]`;
    if (!isJsonObject(each)) {
      problems.push(`${place}: not an object`);
      return [];
    }
    unknownFields(each, ['group', 'resources', 'resourceNames'], place, problems);
    const group = each['group'] ?? '';
    if (typeof group !== 'string' || group.includes('/')) {
      problems.push(`${place}.group: the name of a group without a version expected`);
      return [];
    }
    const resources = texts(each, 'resources', place, problems);
    const resourceNames = texts(each, 'resourceNames', place, problems);
    if (resourceNames.length > 0 && resources.length === 0) {
      problems.push(`${place}.resourceNames: needs at least one of resources`);
    }
    return [{ group, resources, resourceNames }];
  });
}

function stagesOf(from: JsonObject, path: string, problems: string[]): readonly AuditStage[] {
  return texts(from, 'omitStages', path, problems).flatMap((name) => {
    const stage = stages.find((each) => each === name);
    if (stage !== undefined) return [stage];
    problems.push(`${at(path, 'omitStages')}: ${name}: one of ${stages.join(', ')} expected`);
    return [];
  });
}

function booleanOf(from: JsonObject, path: string, problems: string[]): boolean | undefined {
  const value = from['omitManagedFields'] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  problems.push(`${at(path, 'omitManagedFields')}: true or false expected`);
  return undefined;
}

function texts(
  from: JsonObject,
  field: string,
  path: string,
  problems: string[],
): readonly string[] {
  const value = from[field] ?? [];
  if (Array.isArray(value)) {
    const strings = value.filter((each) => typeof each === 'string');
    if (strings.length === value.length) return strings;
  }
  problems.push(`${at(path, field)}: a list of strings expected`);
  return [];
}

function unknownFields(
  object: JsonObject,
  known: readonly string[],
  path: string,
  problems: string[],
): void {
  for (const field of Object.keys(object)) {
    if (!known.includes(field)) problems.push(`${at(path, field)}: unknown field`);
  }
}

function at(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
