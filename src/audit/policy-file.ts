/**
 * Reads an audit policy file, YAML or JSON: audit.<domain>/v1, kind Policy.
 *
 * Invariants: strict. A field that is not known, or a value that makes no sense, refuses the whole
 * file, with every problem and its place in one line: a policy that is half understood would leave
 * out what somebody relies on.
 */
import {
  listOfTexts,
  oneOf,
  openDocument,
  fieldPath,
  trueOrFalse,
  unknownFields,
} from '../apimachinery/configuration-document.ts';
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
  const opened = openDocument(bytes, [`${group}/v1`], 'Policy');
  if (opened.kind === 'invalid') return invalid(opened.problem);
  const { document } = opened;
  const problems: string[] = [];
  unknownFields(document, policyFields, '', problems);
  const list = document['rules'];
  if (!Array.isArray(list) || list.length === 0) {
    return invalid('rules: at least one is needed', ...problems);
  }
  const omitted = stagesOf(document, '', problems);
  const managed = trueOrFalse(document, 'omitManagedFields', '', problems) ?? false;
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
  const rule: RuleAsGiven = {
    level: oneOf(item, 'level', auditLevels, path, problems, 'expected'),
    users: listOfTexts(item, 'users', path, problems),
    userGroups: listOfTexts(item, 'userGroups', path, problems),
    verbs: listOfTexts(item, 'verbs', path, problems),
    resources: resourcesOf(item, path, problems),
    namespaces: listOfTexts(item, 'namespaces', path, problems),
    nonResourceURLs: listOfTexts(item, 'nonResourceURLs', path, problems),
    omitStages: new Set(stagesOf(item, path, problems)),
    omitManagedFields: trueOrFalse(item, 'omitManagedFields', path, problems),
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
    const resources = listOfTexts(each, 'resources', place, problems);
    const resourceNames = listOfTexts(each, 'resourceNames', place, problems);
    if (resourceNames.length > 0 && resources.length === 0) {
      problems.push(`${place}.resourceNames: needs at least one of resources`);
    }
    return [{ group, resources, resourceNames }];
  });
}

function stagesOf(from: JsonObject, path: string, problems: string[]): readonly AuditStage[] {
  return listOfTexts(from, 'omitStages', path, problems).flatMap((name) => {
    const stage = stages.find((each) => each === name);
    if (stage !== undefined) return [stage];
    problems.push(
      `${fieldPath(path, 'omitStages')}: ${name}: one of ${stages.join(', ')} expected`,
    );
    return [];
  });
}
