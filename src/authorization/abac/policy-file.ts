/**
 * The policy file of ABAC: one JSON object a line, in the form of `v1beta1` or in the older one
 * without a version (spec 2, section 5.5).
 *
 * Elsewhere: reading the file and deciding (abac-authorizer.ts).
 *
 * Invariants: a line that is not understood, or has a field that is not known or comes twice, fails
 * the whole file: half of a policy is another policy. Empty lines and lines that begin with # are
 * skipped.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import { text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';

export interface AbacPolicy {
  /** '' when it does not ask for one. */
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

export type AbacPolicies =
  | { readonly kind: 'ok'; readonly policies: readonly AbacPolicy[] }
  /** `problem` names the line. */
  | { readonly kind: 'invalid'; readonly problem: string };

/** `labelDomain`: the group of the versioned form is abac.authorization.<labelDomain>. */
export function parseAbacPolicies(file: string, labelDomain: string): AbacPolicies {
  const apiVersion = `abac.authorization.${labelDomain}/v1beta1`;
  const policies: AbacPolicy[] = [];
  for (const [at, raw] of file.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const policy = parseLine(line, apiVersion);
    if (typeof policy === 'string') {
      return { kind: 'invalid', problem: `line ${at + 1}: ${policy}` };
    }
    policies.push(policy);
  }
  return { kind: 'ok', policies };
}

function parseLine(line: string, apiVersion: string): AbacPolicy | string {
  const decoded = decodeJson(Buffer.from(line), { findDuplicates: true });
  if (decoded.kind === 'refused') return 'not a JSON document';
  const [twice] = decoded.duplicates ?? [];
  if (twice !== undefined) return `${twice}: it is there more than once`;
  const document = decoded.value;
  if (!isJsonObject(document)) return 'not a JSON object';
  if (document['apiVersion'] === undefined && document['kind'] === undefined) {
    return unversionedPolicy(document);
  }
  if (document['apiVersion'] !== apiVersion || document['kind'] !== 'Policy') {
    return `not a Policy of ${apiVersion}`;
  }
  const spec = document['spec'];
  if (!isJsonObject(spec)) return 'spec: required';
  return versionedPolicy(spec);
}

const textFields = ['user', 'group', 'resource', 'namespace'] as const;
const versionedFields = [...textFields, 'apiGroup', 'nonResourcePath'] as const;

function versionedPolicy(spec: JsonObject): AbacPolicy | string {
  const problem = checkFields(spec, versionedFields);
  if (problem !== undefined) return problem;
  return forEveryone({
    user: text(spec, 'user'),
    group: text(spec, 'group'),
    readonly: spec['readonly'] === true,
    apiGroup: text(spec, 'apiGroup'),
    resource: text(spec, 'resource'),
    namespace: text(spec, 'namespace'),
    nonResourcePath: text(spec, 'nonResourcePath'),
  });
}

/** What it does not name it allows: anybody, any resource, any namespace, any API group. */
function unversionedPolicy(document: JsonObject): AbacPolicy | string {
  const problem = checkFields(document, textFields);
  if (problem !== undefined) return problem;
  const [user, group] = [text(document, 'user'), text(document, 'group')];
  const [resource, namespace] = [text(document, 'resource'), text(document, 'namespace')];
  return forEveryone({
    user,
    group: user === '' && group === '' ? '*' : group,
    readonly: document['readonly'] === true,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: resource === '' && namespace === '' ? '*' : '',
  });
}

/** An asterisk stands for everybody who has shown who they are. */
function forEveryone(policy: AbacPolicy): AbacPolicy {
  if (policy.user !== '*' && policy.group !== '*') return policy;
  return { ...policy, user: '', group: wellKnownGroups.authenticated };
}

function checkFields(object: JsonObject, texts: readonly string[]): string | undefined {
  for (const [name, value] of Object.entries(object)) {
    if (name === 'readonly') {
      if (typeof value !== 'boolean') return 'readonly: not true or false';
    } else if (!texts.includes(name)) {
      return `${name}: not a field of a policy`;
    } else if (typeof value !== 'string') {
      return `${name}: not a text`;
    }
  }
  return undefined;
}
