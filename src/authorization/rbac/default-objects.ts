/**
 * The roles and bindings that every server makes at its start, as objects (spec 2, section 5.6).
 *
 * Elsewhere: the data (default-*-roles.ts) and writing them (src/controllers/rbac-defaults.ts).
 *
 * Invariants: pure; a line that cannot be read is a broken build and fails at start. Each object
 * has the label and the annotation that mark it as a default which the server keeps up to date.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { assert } from '../../stdx/assert.ts';
import { aggregatableRole, staleAggregates } from './aggregate.ts';
import { clusterBindingLines, clusterRoleLines } from './default-cluster-roles.ts';
import { controllerRoleLines } from './default-controller-roles.ts';
import { namespaceBindingLines, namespaceRoleLines } from './default-namespace-roles.ts';
import { ruleObject } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';

export interface RbacDefaults {
  readonly clusterRoles: readonly ApiObject[];
  readonly clusterRoleBindings: readonly ApiObject[];
  readonly roles: readonly ApiObject[];
  readonly roleBindings: readonly ApiObject[];
}

export function rbacDefaults(identity: Identity): RbacDefaults {
  const controllers = records(controllerRoleLines).map((record) => ({
    ...record,
    words: [record.words[0] ?? '', `${controllerPrefix}${record.words[1] ?? ''}`],
  }));
  const account = (name: string): string =>
    `account=${identity.namespaces.system}/${name.slice(controllerPrefix.length)}`;
  const clusterRoles = [...records(clusterRoleLines), ...controllers].map((record) =>
    clusterRole(record, identity),
  );
  return {
    clusterRoles: withAggregatedRules(clusterRoles),
    clusterRoleBindings: [
      ...records(clusterBindingLines).map(({ words }) => binding('', words.slice(1), identity)),
      ...controllers.map(({ words: [, name = ''] }) =>
        binding('', [name, account(name)], identity),
      ),
    ],
    roles: records(namespaceRoleLines).map((record) => namespacedRole(record, identity)),
    roleBindings: records(namespaceBindingLines).map(({ words: [, namespace = '', ...rest] }) =>
      binding(namespace, rest, identity),
    ),
  };
}

const controllerPrefix = 'system:controller:';

/** A head line and the lines below it, each in one. */
interface DefaultRecord {
  readonly words: readonly string[];
  readonly rules: readonly string[];
}

function records(text: string): readonly DefaultRecord[] {
  const found: { words: readonly string[]; rules: string[] }[] = [];
  for (const line of joined(text)) {
    if (!line.startsWith(' ')) {
      found.push({ words: line.split(' '), rules: [] });
      continue;
    }
    const last = found.at(-1);
    assert(last !== undefined, `a rule of no role: ${line}`);
    last.rules.push(line.trim());
  }
  return found;
}

/** Lines with what continues them: a list goes on behind its comma, the rest behind a space. */
function joined(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const before = lines.at(-1);
    if (line === '') continue;
    if (!line.startsWith('      ') || before === undefined) lines.push(line);
    else lines[lines.length - 1] = before + (before.endsWith(',') ? '' : ' ') + line.trim();
  }
  return lines;
}

function readRule(line: string, identity: Identity): PolicyRule {
  const [verbs = '', what = ''] = line.split(' @ ');
  assert(verbs !== '' && what !== '', `malformed rule: ${line}`);
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const rule = { ...none, verbs: verbs.split(',') };
  const words = what.split(' ');
  if (words.every((word) => word.startsWith('/') || words.length === 1)) {
    return { ...rule, nonResourceURLs: words };
  }
  const [groups = '', resources = '', equals, names] = words;
  assert(resources !== '' && (equals === undefined || names !== undefined), `malformed: ${line}`);
  return {
    ...rule,
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : identity.fill(group))),
    resources: resources.split(','),
    resourceNames: names === undefined ? [] : names.split(',').map((name) => identity.fill(name)),
  };
}

function clusterRole({ words, rules }: DefaultRecord, identity: Identity): ApiObject {
  const [, name = '', ...options] = words;
  const label = (aggregate: string): string => `${identity.groups.rbac}/aggregate-to-${aggregate}`;
  const into = option(options, 'into')?.split(',') ?? [];
  const of = option(options, 'of');
  const labels = Object.fromEntries(into.map((aggregate) => [label(aggregate), 'true']));
  const selectors = of === undefined ? undefined : [{ matchLabels: { [label(of)]: 'true' } }];
  return {
    ...head('ClusterRole', '', name, identity, labels),
    rules: ruleObjects(rules, identity),
    ...(selectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
  };
}

function namespacedRole({ words, rules }: DefaultRecord, identity: Identity): ApiObject {
  const [, namespace = '', name = ''] = words;
  return {
    ...head('Role', namespace, name, identity),
    rules: ruleObjects(rules, identity),
  };
}

function ruleObjects(lines: readonly string[], identity: Identity): readonly JsonObject[] {
  return lines.map((line) => ruleObject(readRule(line, identity)));
}

/** Made complete at once, so that they hold from the first request on. */
function withAggregatedRules(roles: readonly ApiObject[]): readonly ApiObject[] {
  const sorted = roles
    .map(aggregatableRole)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const stale = staleAggregates(sorted);
  return roles.map((role) => {
    const rules = stale.get(role.metadata.name ?? '');
    return rules === undefined ? role : { ...role, rules: rules.map(ruleObject) };
  });
}

function binding(namespace: string, words: readonly string[], identity: Identity): ApiObject {
  const [name = '', ...options] = words;
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const role = option(options, 'role') ?? name;
  const subjects = options
    .filter((each) => !each.startsWith('role='))
    .map((each) => subject(each, identity));
  return {
    ...head(kind, namespace, name, identity),
    roleRef: {
      apiGroup: identity.groups.rbac,
      kind: namespace === '' ? 'ClusterRole' : 'Role',
      name: identity.fill(role),
    },
    ...(subjects.length === 0 ? {} : { subjects }),
  };
}

function subject(word: string, identity: Identity): JsonObject {
  const equals = word.indexOf('=');
  const [what, name] = [word.slice(0, equals), word.slice(equals + 1)];
  const apiGroup = identity.groups.rbac;
  switch (what) {
    case 'user':
      return { kind: 'User', apiGroup, name };
    case 'group':
      return { kind: 'Group', apiGroup, name };
    default: {
      assert(what === 'account', `malformed subject: ${word}`);
      const [namespace = '', account = ''] = name.split('/');
      return { kind: 'ServiceAccount', name: account, namespace };
    }
  }
}

function option(options: readonly string[], name: string): string | undefined {
  return options.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

function head(
  kind: string,
  namespace: string,
  name: string,
  identity: Identity,
  labels: Readonly<Record<string, string>> = {},
): ApiObject {
  return {
    apiVersion: `${identity.groups.rbac}/v1`,
    kind,
    metadata: {
      name: identity.fill(name),
      ...(namespace === '' ? {} : { namespace }),
      labels: { [identity.labels.bootstrapping]: 'rbac-defaults', ...labels },
      annotations: { [identity.annotations.rbacAutoupdate]: 'true' },
    },
  };
}
