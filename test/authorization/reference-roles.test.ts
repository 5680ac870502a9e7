/**
 * A user bound to view, edit or admin in a namespace may do exactly what the reference's roles say:
 * every verb on every resource and subresource that is served, and on some that are not, asked by
 * SubjectAccessReview and compared with the corpus.
 *
 * The oracle is this file's own reading of the rules, a few lines over the corpus: aggregated rules
 * are united by label, nothing of the server is used.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { bind, mayAccess, untilAllowed } from '../support/clients/access-setup.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Role {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules: readonly Rule[] | null;
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Record<string, string> }[];
  };
}

const file = 'rbac-bootstrap/cluster-roles.yaml';
const roles = readCorpus<{ readonly items: readonly Role[] }>(file).items;

/** Aggregates may aggregate aggregates: admin has edit, edit has view. */
function rulesOf(role: Role): readonly Rule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return role.rules ?? [];
  const selected = roles.filter((other) =>
    selectors.some(({ matchLabels }) =>
      Object.entries(matchLabels).every(([key, value]) => other.metadata.labels?.[key] === value),
    ),
  );
  return selected.flatMap((other) => rulesOf(other));
}

interface Question {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

function allows(rules: readonly Rule[], { verb, group, resource, subresource }: Question): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const holds = (list: readonly string[] | undefined, value: string): boolean =>
    list !== undefined && (list.includes('*') || list.includes(value));
  return rules.some(
    (rule) =>
      (rule.resourceNames ?? []).length === 0 &&
      holds(rule.verbs, verb) &&
      holds(rule.apiGroups, group) &&
      holds(rule.resources, full),
  );
}

const verbs =
  'get list watch create update patch delete deletecollection impersonate bind escalate use approve';

/** Asked beside what is served: names of other groups, subresources, and nonsense. */
const strangers: readonly (readonly [string, string, string])[] = [
  ['', 'pods', 'exec'],
  ['', 'pods', 'attach'],
  ['', 'pods', 'proxy'],
  ['', 'pods', 'portforward'],
  ['', 'pods', 'log'],
  ['', 'services', 'proxy'],
  ['', 'serviceaccounts', 'token'],
  ['', 'nodes', 'proxy'],
  ['', 'bindings', ''],
  ['extensions', 'ingresses', ''],
  ['extensions', 'deployments', 'scale'],
  ['metrics.k8s.io', 'pods', ''],
  ['metrics.k8s.io', 'nodes', ''],
  ['policy', 'podsecuritypolicies', ''],
  ['example.com', 'widgets', ''],
  ['apps', 'pods', ''],
  ['', 'deployments', ''],
  ['authorization.k8s.io', 'localsubjectaccessreviews', ''],
];

async function served(
  server: SecureServer,
): Promise<readonly (readonly [string, string, string])[]> {
  const read = async (path: string): Promise<JsonObject> => {
    const headers = { authorization: `Bearer ${tokens.admin}` };
    return (await server.request('GET', path, { headers })).body;
  };
  const { groups } = (await read('/apis')) as unknown as {
    groups: { name: string; preferredVersion: { groupVersion: string } }[];
  };
  const roots: (readonly [string, string])[] = [['', '/api/v1']];
  for (const { name, preferredVersion } of groups) {
    roots.push([name, `/apis/${preferredVersion.groupVersion}`]);
  }
  const found: (readonly [string, string, string])[] = [];
  for (const [group, path] of roots) {
    const { resources } = (await read(path)) as unknown as { resources: { name: string }[] };
    for (const { name } of resources) {
      const [resource = '', subresource = ''] = name.split('/');
      found.push([group, resource, subresource]);
    }
  }
  return found;
}

describe('a user bound in a namespace to', { skip: noVectors }, () => {
  const names = ['view', 'edit', 'admin'] as const;
  let server: SecureServer;
  let targets: readonly (readonly [string, string, string])[] = [];
  before(async () => {
    server = await startSecureServer({ identity: 'kubernetes' });
    for (const name of names) {
      await bind(server, 'default', name, name, { kind: 'User', name: `u-${name}` });
      await untilAllowed(
        server,
        { user: `u-${name}` },
        { verb: 'list', resource: 'pods', namespace: 'default' },
      );
    }
    targets = [...(await served(server)), ...strangers];
    assert(targets.length > 100, String(targets.length));
  });
  after(() => server.remove());

  for (const name of names) {
    it(`${name} may do what the reference's role says, there alone, and nothing else`, async () => {
      const role = roles.find(({ metadata }) => metadata.name === name);
      assert(role !== undefined);
      const rules = rulesOf(role);
      let allowed = 0;
      for (const [group, resource, subresource] of targets) {
        const questions = verbs.split(' ').map((verb) => ({ verb, group, resource, subresource }));
        const answers = await Promise.all(
          questions.map((question) => mayInDefault(server, `u-${name}`, question)),
        );
        for (const [i, question] of questions.entries()) {
          const expected = allows(rules, question);
          assert.equal(answers[i], expected, JSON.stringify(question));
          if (expected) allowed += 1;
        }
      }
      assert(allowed > 80, String(allowed));
      const elsewhere = { namespace: 'kube-system', verb: 'list', group: '', resource: 'pods' };
      assert.equal(await mayAccess(server, { user: `u-${name}` }, elsewhere), false);
      const everywhere = { namespace: '', verb: 'list', group: '', resource: 'pods' };
      assert.equal(await mayAccess(server, { user: `u-${name}` }, everywhere), false);
    });
  }
});

function mayInDefault(server: SecureServer, user: string, question: Question): Promise<boolean> {
  return mayAccess(server, { user }, { ...question, namespace: 'default' });
}
