/**
 * Admission policies as people use them: an old and a new kubectl apply a policy and its binding,
 * and show what is refused, what is warned about, and what the audit log says.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { bindingOf, policyOf } from '../support/data/policy-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const deployment = (name: string, replicas: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
});

const replicas = policyOf('replica-limit', 'apps/v1/deployments', {
  validations: [
    {
      expression: 'object.spec.replicas <= 5',
      messageExpression: "'at most 5 replicas, not ' + string(object.spec.replicas)",
    },
  ],
  auditAnnotations: [
    { key: 'replicas', valueExpression: "'asked for ' + string(object.spec.replicas)" },
  ],
});

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', resources: [{ group: 'apps', resources: ['deployments'] }] }],
};

for (const release of ['1.27', '1.33']) {
  const program = findKubectl(release) ?? '';
  const skip = program === '' && `no kubectl ${release} is installed`;
  describe(`kubectl ${release}`, { skip }, () => {
    let server: TestServer;
    let home: string;
    let kubectl: (args: string, ...input: readonly JsonObject[]) => Promise<Ran>;
    before(async () => {
      home = directories.make();
      await writeFile(path.join(home, 'config'), 'apiVersion: v1\nkind: Config\n');
      await writeFile(path.join(home, 'audit.json'), JSON.stringify(auditPolicy));
      server = await startTestServer({
        controllers: 'validatingadmissionpolicystatus',
        'audit-policy-file': path.join(home, 'audit.json'),
        'audit-log-path': path.join(home, 'audit.log'),
        'audit-log-mode': 'blocking',
      });
      kubectl = (args, ...input) =>
        runKubectl(
          program,
          { home, kubeconfig: path.join(home, 'config') },
          [`--server=${server.url}`, ...args.split(' ')],
          input.map((each) => JSON.stringify(each)).join('\n'),
        );
    });
    after(async () => {
      await server.remove();
      await directories.removeAll();
    });

    const bound = (actions: readonly string[]): JsonObject =>
      bindingOf('replica-limit', { validationActions: actions });
    const apply = async (...input: readonly JsonObject[]): Promise<void> => {
      const applied = await kubectl('apply -f -', ...input);
      assert.equal(applied.code, 0, applied.stderr);
      await server.running.parts.streams.waitUntilCurrent();
      await server.running.parts.policies.settled();
    };
    const annotations = async (): Promise<readonly (JsonObject | undefined)[]> => {
      const log = await readFile(path.join(home, 'audit.log'), 'utf8');
      const events = log.trim().split('\n');
      return events.map((event) => (JSON.parse(event) as JsonObject)['annotations'] as JsonObject);
    };

    test('shows a denial, and the audit log has what the policy says of it', async () => {
      await apply(replicas, bound(['Deny', 'Audit']));
      const good = await kubectl('apply -f -', deployment('few', 3));
      assert.deepEqual([good.code, good.stderr], [0, '']);
      const bad = await kubectl('create -f -', deployment('many', 9));
      assert.equal(bad.code, 1);
      // It makes its own text of a reason Invalid, of the causes.
      assert.equal(
        bad.stderr,
        `The deployments "many" is invalid: : ValidatingAdmissionPolicy 'replica-limit' with ` +
          `binding 'replica-limit' denied request: at most 5 replicas, not 9\n`,
      );
      const said = (await annotations()).filter(
        (each) => each?.['replica-limit/replicas'] === 'asked for 9',
      );
      assert.deepEqual(said.length, 1);
      const failures = said[0]?.['validation.policy.admission.k8s.io/validation_failure'];
      assert.deepEqual(JSON.parse(String(failures)), [
        {
          message: 'at most 5 replicas, not 9',
          policy: 'replica-limit',
          binding: 'replica-limit',
          expressionIndex: 0,
          validationActions: ['Deny', 'Audit'],
        },
      ]);
    });

    test('prints a warning, and the object is taken', async () => {
      await apply(bound(['Warn']));
      const warned = await kubectl('create -f -', deployment('warned', 9));
      assert.equal(warned.code, 0, warned.stderr);
      assert.equal(
        warned.stderr,
        "Warning: Validation failed for ValidatingAdmissionPolicy 'replica-limit' with binding " +
          "'replica-limit': at most 5 replicas, not 9\n",
      );
    });

    test('lists policies and bindings', async () => {
      const policies = await kubectl('get validatingadmissionpolicies');
      assert.match(policies.stdout, /^NAME\s+VALIDATIONS\s+PARAMKIND\s+AGE\nreplica-limit\s+1\s/);
      const bindings = await kubectl('get validatingadmissionpolicybindings');
      assert.match(bindings.stdout, /replica-limit\s+replica-limit\s+<unset>/);
    });
  });
}
