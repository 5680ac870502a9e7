import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorizationConfigurationSteps } from '../../src/authorization/authorization-config.ts';
import { conditionEnvironment } from '../../src/authorization/webhook/match-conditions.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';

const environment = conditionEnvironment(testLanguage);
const parse = (bytes: Buffer) =>
  finished(authorizationConfigurationSteps(bytes, group, environment));
const group = 'apiserver.config.k8s.io';
const webhook = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/hook.yaml' },
};
const document = (authorizers: unknown, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      apiVersion: `${group}/v1`,
      kind: 'AuthorizationConfiguration',
      authorizers,
      ...more,
    }),
  );
const hook = (fields: object) =>
  document([{ type: 'Webhook', name: 'hook', webhook: { ...webhook, ...fields } }]);

describe('an authorization configuration', () => {
  it('is read in order, with the defaults of webhooks', () => {
    const parsed = parse(
      document([
        { type: 'Node', name: 'node' },
        { type: 'Webhook', name: 'hook', webhook },
        { type: 'RBAC', name: 'rbac' },
      ]),
    );
    assert.deepEqual(parsed, {
      kind: 'ok',
      authorizers: [
        { type: 'Node', name: 'node' },
        {
          type: 'Webhook',
          name: 'hook',
          webhook: {
            authorizedTtlMs: 300_000,
            unauthorizedTtlMs: 30_000,
            timeoutMs: 3000,
            version: 'v1',
            failurePolicy: 'Deny',
            kubeConfigFile: '/etc/hook.yaml',
            conditions: undefined,
          },
        },
        { type: 'RBAC', name: 'rbac' },
      ],
    });
  });

  it('keeps the answers of a webhook for the default where the time is zero, or not at all', () => {
    const times = (fields: object): readonly number[] => {
      const parsed = parse(hook(fields));
      const [first] = parsed.kind === 'ok' ? parsed.authorizers : [];
      assert.ok(first?.type === 'Webhook');
      return [first.webhook.authorizedTtlMs, first.webhook.unauthorizedTtlMs];
    };
    assert.deepEqual(times({ authorizedTTL: '0s', unauthorizedTTL: '' }), [300_000, 30_000]);
    assert.deepEqual(times({ authorizedTTL: '7s', cacheAuthorizedRequests: true }), [7000, 30_000]);
    assert.deepEqual(times({ authorizedTTL: '7s', cacheAuthorizedRequests: false }), [0, 30_000]);
    assert.deepEqual(times({ cacheUnauthorizedRequests: false }), [300_000, 0]);
  });

  it('may be YAML', () => {
    const text = `apiVersion: ${group}/v1beta1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: RBAC\n  name: rbac\n`;
    assert.equal(parse(Buffer.from(text)).kind, 'ok');
  });

  it('is read in parts: after each expression others have a turn', () => {
    const longest = Array.from({ length: 64 }, (_none, at) => ({
      expression: `request.user != '${at}'${" || request.user == 'somebody'".repeat(300)}`,
    }));
    const bytes = hook({ matchConditions: longest });
    const reading = authorizationConfigurationSteps(bytes, group, environment);
    let parts = 0;
    for (;;) {
      const step = reading.next();
      parts += 1;
      if (step.done !== true) continue;
      assert.equal(step.value.kind, 'ok');
      break;
    }
    assert.ok(parts > 4 * longest.length, `${parts} parts`);
  });

  const rows: readonly [string, Buffer, RegExp][] = [
    ['without authorizers', document([]), /at least one/],
    ['of another kind', document([{ type: 'RBAC', name: 'a' }], { kind: 'X' }), /^kind/],
    [
      'of another version',
      document([{ type: 'RBAC', name: 'a' }], { apiVersion: 'v1' }),
      /^apiVersion/,
    ],
    [
      'with an unknown field',
      document([{ type: 'RBAC', name: 'a' }], { extra: 1 }),
      /extra: unknown field/,
    ],
    ['without a name', document([{ type: 'RBAC' }]), /authorizers\[0\].name: required/],
    [
      'with a name that is none',
      document([{ type: 'RBAC', name: 'A b' }]),
      /authorizers\[0\].name/,
    ],
    [
      'with a name twice',
      document([
        { type: 'RBAC', name: 'a' },
        { type: 'Node', name: 'a' },
      ]),
      /name a is there twice/,
    ],
    [
      'with a type twice',
      document([
        { type: 'RBAC', name: 'a' },
        { type: 'RBAC', name: 'b' },
      ]),
      /type RBAC is there twice/,
    ],
    [
      'with an unknown type',
      document([{ type: 'ABAC', name: 'a' }]),
      /type: one of RBAC, Node, Webhook/,
    ],
    [
      'with a webhook of RBAC',
      document([{ type: 'RBAC', name: 'a', webhook }]),
      /only of type Webhook/,
    ],
    ['without the webhook', document([{ type: 'Webhook', name: 'a' }]), /webhook: required/],
    [
      'without a timeout',
      hook({ timeout: undefined }),
      /timeout: a duration above 0 and at most 30s/,
    ],
    ['with a timeout above 30 s', hook({ timeout: '31s' }), /at most 30s/],
    [
      'with a duration that is none',
      hook({ authorizedTTL: 'soon' }),
      /authorizedTTL: not a duration/,
    ],
    [
      'with an answer that is neither kept nor not',
      hook({ cacheAuthorizedRequests: 'no' }),
      /cacheAuthorizedRequests: true or false expected/,
    ],
    ['with a time below zero', hook({ unauthorizedTTL: '-1s' }), /unauthorizedTTL: not a duration/],
    [
      'without a version',
      hook({ subjectAccessReviewVersion: undefined }),
      /subjectAccessReviewVersion: one of v1, v1beta1/,
    ],
    [
      'without the version of conditions',
      hook({ matchConditionSubjectAccessReviewVersion: '' }),
      /matchConditionSubjectAccessReviewVersion: v1 is required/,
    ],
    [
      'without a failure policy',
      hook({ failurePolicy: 'Ignore' }),
      /failurePolicy: one of NoOpinion, Deny/,
    ],
    [
      'that asks itself',
      hook({ connectionInfo: { type: 'InClusterConfig' } }),
      /InClusterConfig would ask this server itself/,
    ],
    [
      'without a file',
      hook({ connectionInfo: { type: 'KubeConfigFile' } }),
      /kubeConfigFile: required/,
    ],
    [
      'with a condition that is no bool',
      hook({ matchConditions: [{ expression: 'request.user' }] }),
      /matchConditions\[0\]\.expression: must evaluate to bool but got string/,
    ],
    [
      'with a condition on a field that there is not',
      hook({ matchConditions: [{ expression: 'true' }, { expression: 'request.usr == ""' }] }),
      /matchConditions\[1\]\.expression: compilation failed: ERROR: <input>:1:8: undefined field 'usr'/,
    ],
    [
      'with a condition twice',
      hook({ matchConditions: [{ expression: 'true' }, { expression: 'true' }] }),
      /matchConditions\[1\]\.expression: is given twice/,
    ],
    [
      'with a condition that is empty',
      hook({ matchConditions: [{}] }),
      /matchConditions\[0\]\.expression: required/,
    ],
    [
      'with more conditions than anybody needs',
      hook({
        matchConditions: Array.from({ length: 65 }, (_none, i) => ({ expression: `${i}>0` })),
      }),
      /matchConditions: at most 64 conditions expected/,
    ],
    [
      'with a condition that is longer than anybody needs',
      hook({ matchConditions: [{ expression: `request.user == '${'u'.repeat(10_240)}'` }] }),
      /matchConditions\[0\]\.expression: an expression may have at most 10240 characters/,
    ],
    [
      'with more authorizers than anybody needs',
      document(Array.from({ length: 65 }, (_none, at) => ({ type: 'RBAC', name: `a${at}` }))),
      /authorizers: at most 64 expected/,
    ],
    ['that is no document', Buffer.from('[: '), /not valid YAML: .* at line 1, column 2/],
  ];
  for (const [title, bytes, problem] of rows) {
    it(`${title} is refused`, () => {
      const parsed = parse(bytes);
      assert.equal(parsed.kind, 'invalid');
      assert.match(parsed.problems.join('; '), problem);
    });
  }
});
