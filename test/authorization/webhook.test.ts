import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { selectorsOnDemand } from '../../src/apimachinery/selectors/selector-requirements.ts';
import { createWebhookAuthorizer } from '../../src/authorization/webhook/webhook-authorizer.ts';
import type {
  WebhookAuthorizerOptions,
  WebhookCall,
} from '../../src/authorization/webhook/webhook-authorizer.ts';
import {
  compileConditions,
  conditionEnvironment,
} from '../../src/authorization/webhook/match-conditions.ts';
import type { MatchConditions } from '../../src/authorization/webhook/match-conditions.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { readWebhookTarget, WebhookTargetError } from '../../src/webhooks/kubeconfig-target.ts';
import { createWebhookClient } from '../../src/webhooks/webhook-client.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import {
  resourceAttributes,
  pathAttributes,
  userNamed,
} from '../support/data/access-attributes.ts';
import { asAdmin } from '../support/clients/access-setup.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-hook');

type Answer = (
  review: JsonObject,
  request: http.IncomingMessage,
) => { readonly status?: number; readonly body: string } | undefined;

async function startHook(): Promise<{
  url: string;
  answer: Answer;
  readonly seen: JsonObject[];
  close(): void;
}> {
  const seen: JsonObject[] = [];
  const hook = {
    url: '',
    answer: (() => ({ body: '{}' })) as Answer,
    seen,
    close: () => service.close(),
  };
  const service = await startRemoteService((body, request, response) => {
    const review = JSON.parse(body) as JsonObject;
    seen.push(review);
    const answer = hook.answer(review, request);
    if (answer === undefined) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(answer.body);
  });
  hook.url = `${service.url}/authorize`;
  return hook;
}

const status = (fields: JsonObject, version = 'v1') => ({
  body: JSON.stringify({
    apiVersion: `authorization.k8s.io/${version}`,
    kind: 'SubjectAccessReview',
    status: fields,
  }),
});

describe('a webhook', () => {
  let hook: Awaited<ReturnType<typeof startHook>>;
  let folder: string;
  before(async () => {
    hook = await startHook();
    folder = directories.make();
    await writeFile(
      path.join(folder, 'hook.yaml'),
      kubeconfigFor({ server: hook.url }, { token: 'hook-token' }),
    );
  });
  after(async () => {
    hook.close();
    await directories.removeAll();
  });

  const authorizer = (options: Partial<WebhookAuthorizerOptions> = {}, timeoutMs = 5000) => {
    const time = manualTime();
    const calls: WebhookCall[] = [];
    const conditions: string[] = [];
    const target = readWebhookTarget(path.join(folder, 'hook.yaml'));
    // Calls run on real time, what is kept on time that the test moves.
    const client = createWebhookClient(target, timeoutMs, {
      clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
    });
    const made = createWebhookAuthorizer(
      {
        name: 'hook',
        reviewGroup: 'authorization.k8s.io',
        version: 'v1',
        authorizedTtlMs: 300_000,
        unauthorizedTtlMs: 30_000,
        failurePolicy: 'NoOpinion',
        ...options,
      },
      {
        client,
        clock: time.clock,
        turns: createTurns({ clock: time.clock, timers: systemTimers }),
        onCall: (call) => calls.push(call),
        onConditions: ({ result }) => conditions.push(result),
      },
    );
    return {
      authorize: made.authorize.bind(made),
      time,
      calls,
      conditions,
      close: () => made.close(),
    };
  };
  const asked = {
    ...resourceAttributes('get apps/deployments/scale', 'web', 'ns'),
    user: { ...userNamed('u', 'g'), uid: '1', extra: { k: ['v'] } },
  };

  it('says so much and no more of a decision', async () => {
    const long = 'x'.repeat(100_000);
    hook.answer = () => status({ allowed: false, reason: long, evaluationError: long });
    const { authorize, close } = authorizer();
    const said = await authorize(asked);
    assert.ok(said.reason.length < 5_000 && (said.error?.length ?? 0) < 5_000);
    assert.match(said.reason, /^x+\.\.\.$/);
    close();
  });

  it('is asked with everything that is known of the request', async () => {
    let authorization: string | undefined;
    hook.answer = (_review, request) => {
      authorization = request.headers.authorization;
      return status({ allowed: true, reason: 'because' });
    };
    const { authorize, close } = authorizer();
    assert.deepEqual(await authorize(asked), { kind: 'allow', reason: 'because' });
    assert.equal(authorization, 'Bearer hook-token');
    assert.deepEqual(hook.seen.at(-1), {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        resourceAttributes: {
          namespace: 'ns',
          verb: 'get',
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          subresource: 'scale',
          name: 'web',
        },
        user: 'u',
        groups: ['g'],
        extra: { k: ['v'] },
        uid: '1',
      },
      status: { allowed: false },
    });
    await authorize({ ...pathAttributes('get /x'), user: userNamed('u') });
    assert.deepEqual(hook.seen.at(-1)?.['spec'], {
      nonResourceAttributes: { path: '/x', verb: 'get' },
      user: 'u',
    });
    close();
  });

  const conditionsOf = (...expressions: string[]): MatchConditions => {
    const environment = conditionEnvironment(testLanguage);
    const compiled = finished(compileConditions(expressions, environment));
    assert.ok(compiled.kind === 'ok', JSON.stringify(compiled));
    return compiled.conditions;
  };

  it('is asked only about what its conditions match', async () => {
    const rows: readonly [string[], 'match' | 'excluded' | 'error'][] = [
      [["request.user == 'u'", "'g' in request.groups", "request.extra['k'][0] == 'v'"], 'match'],
      [['has(request.resourceAttributes)', "request.uid == '1'"], 'match'],
      [["request.resourceAttributes.namespace == 'ns'"], 'match'],
      [["request.resourceAttributes.subresource == 'scale'"], 'match'],
      [['!has(request.nonResourceAttributes)'], 'match'],
      [["request.resourceAttributes.group != 'apps'"], 'excluded'],
      [["request.nonResourceAttributes.path == '/x'"], 'error'],
      // A false one decides, whatever went wrong before it.
      [["request.nonResourceAttributes.path == '/x'", "request.user == 'nobody'"], 'excluded'],
      [["request.nonResourceAttributes.path == '/x' || request.user == 'u'"], 'match'],
      [["request.extra['none'][0] == 'v'"], 'error'],
    ];
    hook.answer = () => status({ allowed: true });
    for (const [expressions, result] of rows) {
      for (const failurePolicy of ['NoOpinion', 'Deny'] as const) {
        hook.seen.length = 0;
        const { authorize, close, conditions } = authorizer({
          failurePolicy,
          conditions: conditionsOf(...expressions),
        });
        const decision = await authorize(asked);
        const failed = failurePolicy === 'Deny' ? 'deny' : 'no-opinion';
        const wanted = { match: 'allow', excluded: 'no-opinion', error: failed }[result];
        assert.equal(decision.kind, wanted, expressions.join());
        assert.deepEqual(conditions, [result], expressions.join());
        assert.equal(hook.seen.length, result === 'match' ? 1 : 0, expressions.join());
        close();
      }
    }
  });

  const limited = {
    ...resourceAttributes('list /pods', '', 'ns'),
    user: userNamed('u'),
    selectors: selectorsOnDemand('spec.nodeName=n1,status.phase!=Failed', '!old,app in (a,b)'),
  };

  // Before, it was sent none: a list of one node's pods and one of all pods were one question.
  it('is asked with the selectors of a request, in both versions', async () => {
    for (const version of ['v1', 'v1beta1'] as const) {
      hook.answer = () => status({ allowed: true }, version);
      const { authorize, close } = authorizer({ version });
      assert.equal((await authorize(limited)).kind, 'allow');
      const spec = hook.seen.at(-1)?.['spec'] as JsonObject;
      assert.deepEqual(spec['resourceAttributes'], {
        namespace: 'ns',
        verb: 'list',
        version: 'v1',
        resource: 'pods',
        fieldSelector: {
          requirements: [
            { key: 'spec.nodeName', operator: 'In', values: ['n1'] },
            { key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'app', operator: 'In', values: ['a', 'b'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
      });
      close();
    }
  });

  it('is asked again when only the selectors differ', async () => {
    hook.answer = () => status({ allowed: true });
    const { authorize, close } = authorizer();
    hook.seen.length = 0;
    await authorize(limited);
    await authorize(limited);
    await authorize({ ...limited, selectors: selectorsOnDemand('', '!old') });
    await authorize({ ...limited, selectors: undefined });
    assert.equal(hook.seen.length, 3);
    close();
  });

  it('has conditions that see the selectors as it does', async () => {
    const labels = 'request.resourceAttributes.labelSelector.requirements';
    const fields = 'request.resourceAttributes.fieldSelector.requirements';
    const rows: readonly [string, 'match' | 'excluded' | 'error'][] = [
      [`${labels}.exists(r, r.key == 'app' && r.operator == 'In' && 'b' in r.values)`, 'match'],
      [`${labels}.exists(r, r.operator == 'DoesNotExist' && !has(r.values))`, 'match'],
      [`${fields}.exists(r, r.key == 'status.phase' && r.operator == 'NotIn')`, 'match'],
      [`${fields}.all(r, r.operator == 'In')`, 'excluded'],
      ['has(request.resourceAttributes.labelSelector.rawSelector)', 'excluded'],
    ];
    hook.answer = () => status({ allowed: true });
    for (const [expression, result] of rows) {
      const { authorize, close, conditions } = authorizer({ conditions: conditionsOf(expression) });
      await authorize(limited);
      assert.deepEqual(conditions, [result], expression);
      close();
    }
  });

  it('says why its conditions could not be evaluated', async () => {
    const { authorize, close } = authorizer({
      conditions: conditionsOf("request.nonResourceAttributes.path == '/x'"),
    });
    const { error } = await authorize(asked);
    assert.match(
      error ?? '',
      /^webhook hook: cel evaluation error: expression 'request\.nonR.*no such key: nonResourceAttributes/,
    );
    close();
  });

  it('is asked in v1beta1 where the configuration says so', async () => {
    hook.answer = () => status({ allowed: true }, 'v1beta1');
    const { authorize, close } = authorizer({ version: 'v1beta1' });
    assert.equal((await authorize(asked)).kind, 'allow');
    assert.deepEqual((hook.seen.at(-1)?.['spec'] as JsonObject)['group'], ['g']);
    close();
  });

  it('allows, denies or has no opinion', async () => {
    const rows = [
      [{ allowed: true }, 'allow'],
      [{ allowed: false }, 'no-opinion'],
      [{ allowed: false, denied: true }, 'deny'],
    ] as const;
    for (const [fields, kind] of rows) {
      hook.answer = () => status(fields);
      const { authorize, close } = authorizer();
      assert.equal((await authorize(asked)).kind, kind);
      close();
    }
  });

  it('may leave out what its answer is', async () => {
    hook.answer = () => ({ body: '{"status":{"allowed":true}}' });
    const { authorize, close } = authorizer();
    assert.equal((await authorize(asked)).kind, 'allow');
    close();
  });

  it('is not asked again within the time of its answer', async () => {
    hook.answer = () => status({ allowed: true });
    const { authorize, time, close } = authorizer();
    hook.seen.length = 0;
    await authorize(asked);
    time.advance(299_999);
    await authorize(asked);
    assert.equal(hook.seen.length, 1);
    await authorize({ ...asked, verb: 'list' });
    assert.equal(hook.seen.length, 2);
    time.advance(1);
    hook.answer = () => status({ allowed: false });
    assert.equal((await authorize(asked)).kind, 'no-opinion');
    time.advance(29_999);
    hook.answer = () => status({ allowed: true });
    assert.equal((await authorize(asked)).kind, 'no-opinion');
    time.advance(1);
    assert.equal((await authorize(asked)).kind, 'allow');
    close();
  });

  it('is asked once for questions that are the same at the same time', async () => {
    hook.answer = () => status({ allowed: true });
    const { authorize, close } = authorizer();
    hook.seen.length = 0;
    await Promise.all([authorize(asked), authorize(asked), authorize(asked)]);
    assert.equal(hook.seen.length, 1);
    close();
  });

  const failures: readonly [string, Answer][] = [
    ['refuses', () => ({ status: 400, body: '{}' })],
    ['answers with another kind', () => ({ body: '{"kind":"Status"}' })],
    ['answers in another version', () => status({ allowed: true }, 'v1beta1')],
    ['both allows and denies', () => status({ allowed: true, denied: true })],
    ['does not say whether', () => status({})],
    ['answers with no JSON', () => ({ body: 'yes' })],
    ['redirects', () => ({ status: 302, body: '' })],
    [
      'answers with more than 1 MiB',
      () => status({ allowed: true, reason: 'x'.repeat(1024 * 1024) }),
    ],
    ['does not answer in time', () => undefined],
  ];
  for (const [title, answer] of failures) {
    it(`that ${title} decides as the failure policy says, and is asked again`, async () => {
      for (const failurePolicy of ['NoOpinion', 'Deny'] as const) {
        hook.answer = answer;
        const { authorize, calls, close } = authorizer({ failurePolicy }, 100);
        const decision = await authorize(asked);
        assert.equal(decision.kind, failurePolicy === 'Deny' ? 'deny' : 'no-opinion');
        assert.match(decision.error ?? '', /^webhook hook: /);
        assert.doesNotMatch(decision.error ?? '', /hook-token/);
        assert.equal(calls[0]?.failedOpen, failurePolicy === 'NoOpinion');
        hook.answer = () => status({ allowed: true });
        // On a busy machine this answer, too, may be late; one that was kept would come each time.
        let again = await authorize(asked);
        for (let tries = 0; tries < 50 && again.kind !== 'allow'; tries += 1) {
          again = await authorize(asked);
        }
        assert.equal(again.kind, 'allow');
        close();
      }
    });
  }

  it('is tried again when it is overloaded', async () => {
    let tries = 0;
    hook.answer = () => {
      tries += 1;
      return tries === 1 ? { status: 503, body: '' } : status({ allowed: true });
    };
    const { authorize, close } = authorizer();
    assert.equal((await authorize(asked)).kind, 'allow');
    assert.equal(tries, 2);
    close();
  });

  it('needs a configuration that says where it is', async () => {
    const rows: readonly [string, RegExp][] = [
      ['{}', /current-context: required/],
      [kubeconfigFor({ server: 'not a url' }), /server: not an http or https URL/],
      [
        kubeconfigFor({ server: hook.url }, { 'client-certificate-data': 'eA==' }),
        /give both or neither/,
      ],
      [kubeconfigFor({ server: hook.url }, { tokenFile: 'missing' }), /missing/],
      [kubeconfigFor({ server: hook.url }, { exec: {} }), /exec: not supported/],
      ['[: ', /not valid YAML: .* at line 1/],
    ];
    for (const [text, problem] of rows) {
      const file = path.join(folder, 'bad.yaml');
      await writeFile(file, text);
      assert.throws(
        () => readWebhookTarget(file),
        (error) => error instanceof WebhookTargetError && problem.test(error.message),
      );
    }
  });

  it('of a running server is not asked where its conditions say so', async () => {
    const config = path.join(folder, 'conditions.yaml');
    const document = (expression: string) =>
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [
          {
            type: 'Webhook',
            name: 'hook',
            webhook: {
              timeout: '3s',
              unauthorizedTTL: '0s',
              authorizedTTL: '0s',
              subjectAccessReviewVersion: 'v1',
              matchConditionSubjectAccessReviewVersion: 'v1',
              failurePolicy: 'Deny',
              connectionInfo: {
                type: 'KubeConfigFile',
                kubeConfigFile: path.join(folder, 'hook.yaml'),
              },
              matchConditions: [{ expression }],
            },
          },
          { type: 'RBAC', name: 'rbac' },
        ],
      });
    await writeFile(config, document("request.user == 'alice'"));
    hook.answer = () => status({ allowed: true });
    const options = { 'authorization-mode': '', 'authorization-config': config };
    const server = await startSecureServer(options);
    try {
      const versionAs = (token: string) =>
        server.request('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } });
      hook.seen.length = 0;
      assert.equal((await versionAs(tokens.bob)).status, 403);
      assert.equal(hook.seen.length, 0, 'nobody asked about bob');
      assert.equal((await versionAs(tokens.alice)).status, 200);
      assert.equal(hook.seen.length, 1);
      const page = (await asAdmin(server, 'GET', '/metrics')).text;
      assert.match(page, /match_condition_exclusions_total\{type="Webhook",name="hook"\} [1-9]/);
    } finally {
      await server.remove();
    }
    await writeFile(config, document('request.user =='));
    await assert.rejects(
      startSecureServer(options),
      /authorizers\[0\]\.webhook\.matchConditions\[0\]\.expression: compilation failed: ERROR/,
    );
  });

  it('stands in a configuration file, which is read again when it changes', async () => {
    const config = path.join(folder, 'authorization.yaml');
    const entry = (name: string) => ({
      type: 'Webhook',
      name,
      webhook: {
        timeout: '3s',
        unauthorizedTTL: '0s',
        authorizedTTL: '0s',
        subjectAccessReviewVersion: 'v1',
        matchConditionSubjectAccessReviewVersion: 'v1',
        failurePolicy: 'Deny',
        connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: path.join(folder, 'hook.yaml') },
      },
    });
    const write = (authorizers: object[]) =>
      writeFile(
        config,
        JSON.stringify({
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'AuthorizationConfiguration',
          authorizers,
        }),
      );
    const rbac = { type: 'RBAC', name: 'rbac' };
    await write([entry('hook'), rbac]);
    hook.answer = (review) => {
      const { user, nonResourceAttributes } = review['spec'] as JsonObject;
      return status({
        allowed: user === 'alice' && nonResourceAttributes !== undefined,
        reason: 'the hook said so',
      });
    };
    const server = await startSecureServer({
      'authorization-mode': '',
      'authorization-config': config,
    });
    try {
      const metricsAs = (token: string) =>
        server.request('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } });
      assert.equal((await metricsAs(tokens.alice)).status, 200);
      assert.equal((await metricsAs(tokens.bob)).status, 403);

      const until = async (wanted: number, text: RegExp) => {
        for (let tries = 0; tries < 20_000; tries += 1) {
          const page = (await asAdmin(server, 'GET', '/metrics')).text;
          if (text.test(page) && (await metricsAs(tokens.alice)).status === wanted) return;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        assert.fail(`not ${wanted} in time`);
      };
      // RBAC cannot be taken away, nor can what is wrong come into force.
      await write([entry('hook')]);
      await until(200, /automatic_reloads_total\{status="failure",.*\} [1-9]/);
      await write([rbac]);
      await until(403, /automatic_reloads_total\{status="success",.*\} [1-9]/);
    } finally {
      await server.remove();
    }
  });
});

describe('the options of authorization', () => {
  const rows: readonly [Record<string, string>, RegExp][] = [
    [
      { 'authorization-mode': 'RBAC', 'authorization-config': '/x' },
      /--authorization-config, --authorization-mode/,
    ],
    [
      {
        'authorization-mode': '',
        'authorization-config': '/x',
        'authorization-webhook-config-file': '/y',
      },
      /--authorization-webhook-config-file/,
    ],
    [
      { 'authorization-mode': '', 'authorization-config': '/does/not/exist' },
      /--authorization-config: .*\/does\/not\/exist/,
    ],
    [
      { 'authorization-mode': 'ABAC' },
      /--authorization-mode: ABAC needs --authorization-policy-file/,
    ],
    [
      { 'authorization-mode': 'ABAC', 'authorization-policy-file': '/does/not/exist' },
      /\/does\/not\/exist/,
    ],
    [{ 'authorization-mode': 'Webhook' }, /Webhook needs --authorization-webhook-config-file/],
    [
      { 'authorization-mode': 'RBAC', 'authorization-policy-file': '/x' },
      /--authorization-mode=ABAC only/,
    ],
    [{ 'authorization-mode': 'RBAC,RBAC' }, /without repetitions/],
    [{ 'authorization-mode': 'Rbac' }, /one of AlwaysAllow/],
  ];
  for (const [options, problem] of rows) {
    it(`that contradict each other, or cannot be used, end the start: ${JSON.stringify(options)}`, async () => {
      await assert.rejects(
        startSecureServer(options),
        (error: Error) => error.name === 'OptionsError' && problem.test(error.message),
      );
    });
  }
});
