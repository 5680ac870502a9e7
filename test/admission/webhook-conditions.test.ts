/** What the match conditions of all webhooks together may cost one write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AdmissionRecorder, MutatePass, Proposed } from '../../src/admission/admission.ts';
import { admissionContext } from '../../src/admission/expressions/admission-context.ts';
import { mutateByWebhooks } from '../../src/admission/webhooks/mutating.ts';
import { validateByWebhooks } from '../../src/admission/webhooks/validating.ts';
import { compileWebhooks } from '../../src/admission/webhooks/webhook-spec.ts';
import type { Webhook } from '../../src/admission/webhooks/webhook-spec.ts';
import { webhookLimits } from '../../src/admission/webhooks/webhooks.ts';
import type { WebhookPorts } from '../../src/admission/webhooks/webhooks.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';

const resource = { group: '', version: 'v1', resource: 'configmaps' };
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const all = {
  mayMatch: () => true,
  match: () => ({ kind: 'match', as: { resource, kind } }) as const,
  requirements: 0,
};
const environment = testLanguage.forStored(admissionContext({ params: false, authorizer: true }));

/** All conditions are false in the end, so nobody is called. */
const costly = 'object.data.exists(k, object.data.exists(l, k + l == "q"))';
const cheap = 'object.data.size() < 3';

function webhooksThatAsk(expression: string, count: number, failurePolicy = 'Fail') {
  const names = Array.from({ length: count }, (_, at) => `w${at}.example.com`);
  const matchConditions = [{ name: 'c', expression }];
  const webhooks = names.map((name) => ({ name, failurePolicy, matchConditions }));
  const metadata = { name: 'all' };
  const configuration = { apiVersion: 'v1', kind: 'WebhookConfiguration', metadata, webhooks };
  const compiled = finished(compileWebhooks(configuration, environment));
  return compiled.map((webhook): Webhook => ({ ...webhook, matcher: all }));
}

function asking() {
  let evaluated = 0;
  const ports = {
    clock: { monotonicMs: () => 0 },
    scheme: { findKind: () => undefined },
    access: { check: () => Promise.reject(new Error('nobody asks')) },
    namespaces: { labels: () => undefined },
    turns: {
      run(step: (isOver: () => boolean) => boolean) {
        while (step(() => false));
      },
      pause: () => Promise.resolve(),
    },
    conditions: { observe: () => (evaluated += 1) },
    post: () => Promise.reject(new Error('nobody is called')),
  } as unknown as WebhookPorts;
  return { ports, evaluated: () => evaluated };
}

const data = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`k${at}`, 'v']));
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
const write = {
  // Another one than the object's: it is shown as it was sent.
  kind: { ...resource, kind: 'Other', scale: undefined },
  bodyKind: kind,
  resource,
  subresource: 'other',
  operation: 'CREATE',
  namespace: '',
  user: { name: 'u', uid: '', groups: [], extra: {} },
  dryRun: false,
  options: undefined,
  next: object,
  current: undefined,
  resourceVersion: undefined,
} as unknown as Proposed;
const recorder = {} as AdmissionRecorder;

function isTooCostly(verdict: unknown): boolean {
  if (!(verdict instanceof StatusError)) return false;
  const { unitsOfConditions } = webhookLimits;
  assert.equal(verdict.code, 403);
  return verdict.message.includes(`cost more than ${unitsOfConditions} units together`);
}

/** How many calls are begun between two pauses. */
function calling() {
  const between: number[] = [0];
  const { ports: others } = asking();
  const ports = {
    ...others,
    identity: identityOf('kubernetes'),
    prng: seededPrng(1),
    counts: { nowMs: () => 0, called: () => undefined },
    turns: { ...others.turns, pause: () => Promise.resolve(void between.push(0)) },
    post(_config: unknown, body: string) {
      between[between.length - 1] = (between.at(-1) ?? 0) + 1;
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      const response = { uid, allowed: true };
      const answer = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
      return Promise.resolve(Buffer.from(JSON.stringify(answer)));
    },
  } as unknown as WebhookPorts;
  return { ports, between };
}

describe('calls of many webhooks for one write', () => {
  it('are begun a few at a time, and those of some at once', async () => {
    for (const count of [4, 30]) {
      const { between, ports } = calling();
      const webhooks = webhooksThatAsk('true', count).map((webhook): Webhook => ({
        ...webhook,
        version: 'v1',
      }));
      const review = { ...write, deadlineMs: 1000 };
      assert.equal(await validateByWebhooks(webhooks, review, recorder, ports), undefined);
      assert.equal(
        between.reduce((sum, calls) => sum + calls, 0),
        count,
      );
      // The last of some may be sent just behind a pause.
      assert.ok(Math.max(...between) <= 5, between.join());
      assert.equal(between.length, Math.ceil(count / 4));
    }
  });
});

describe('webhooks whose selectors are long', () => {
  it('have others take their turns by the requirements that are compared', async () => {
    const none = { mayMatch: () => true, match: () => ({ kind: 'none' }) as const };
    const pausesWith = async (requirements: number): Promise<number> => {
      const { between, ports } = calling();
      const webhooks = webhooksThatAsk('true', 60).map((webhook): Webhook => ({
        ...webhook,
        matcher: { ...none, requirements },
      }));
      await validateByWebhooks(webhooks, { ...write, deadlineMs: 1000 }, recorder, ports);
      return between.length - 1;
    };
    const [few, many] = [await pausesWith(1), await pausesWith(8_000)];
    assert.ok(many - few >= (60 * 8_000) / 40_000, `${few}, ${many}`);
  });
});

describe('match conditions of many webhooks', () => {
  it('have a budget together for a write, also where their failures are ignored', async () => {
    const { ports, evaluated } = asking();
    const webhooks = webhooksThatAsk(costly, 500, 'Ignore');
    assert(isTooCostly(await validateByWebhooks(webhooks, write, recorder, ports)));
    assert(evaluated() > 10 && evaluated() < 500, `${evaluated()}`);
  });

  it('have one budget for all rounds of mutating webhooks', async () => {
    const { ports, evaluated } = asking();
    const notes = new Map<string, unknown>();
    const pass = { round: 0, notes, recorder, askAgain: () => undefined } as unknown as MutatePass;
    const some = webhooksThatAsk(costly, 40);
    assert.equal(await mutateByWebhooks(some, write, pass, ports), object);
    assert.equal(evaluated(), 40);
    let verdict: unknown = object;
    let passes = 1;
    for (; verdict === object && passes < 20; passes += 1) {
      verdict = await mutateByWebhooks(some, write, pass, ports);
    }
    assert(isTooCostly(verdict), `${passes} passes`);
  });

  it('that cost little are all asked', async () => {
    const { ports, evaluated } = asking();
    const webhooks = webhooksThatAsk(cheap, 1_000);
    assert.equal(await validateByWebhooks(webhooks, write, recorder, ports), undefined);
    assert.equal(evaluated(), 1_000);
  });
});
