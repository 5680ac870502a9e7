/** EventRateLimit: who is above its rate, by each kind of limit, with time that stands still. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Review, ValidatePass } from '../../src/admission/admission.ts';
import { eventRateLimit } from '../../src/admission/event-rates/event-rate-limit.ts';
import type { EventRate } from '../../src/admission/event-rates/settings.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { userNamed } from '../support/data/access-attributes.ts';
import { startConfigured } from '../support/servers/configured-server.ts';
import type { Reply } from '../support/servers/test-server.ts';

interface Written {
  readonly user?: string;
  readonly namespace?: string;
  readonly event?: JsonObject;
  readonly dryRun?: boolean;
}

function limited(...rates: Partial<EventRate>[]) {
  let nowMs = 0;
  const usual = { type: 'Server', qps: 1, burst: 2, cacheSize: 3 } as const;
  const full = rates.map((rate) => ({ ...usual, ...rate }));
  const plugin = eventRateLimit(identityOf('kubernetes'), full, { monotonicMs: () => nowMs });
  return {
    pass: (ms: number) => void (nowMs += ms),
    write({ dryRun = false, event = {}, namespace = 'n', user = 'ann' }: Written = {}): string {
      const next = { apiVersion: 'v1', kind: 'Event', metadata: {}, ...event };
      const review = { user: userNamed(user), namespace, next, dryRun } as unknown as Review;
      const found = plugin.validate?.(review, {} as ValidatePass);
      if (found === undefined) return '';
      assert(found instanceof StatusError);
      assert.equal(found.code, 429);
      const [, told] = /^Too many requests: (.*)$/.exec(found.message) ?? [];
      assert(told !== undefined, found.message);
      return told;
    },
  };
}

describe('the rate of events', () => {
  it('is a burst, and then so many a second', () => {
    const { pass, write } = limited({});
    const refused = 'limit reached on type Server for key ';
    assert.deepEqual([write(), write(), write()], ['', '', refused]);
    pass(999);
    assert.equal(write(), refused);
    pass(1);
    assert.deepEqual([write(), write()], ['', refused]);
    pass(60_000);
    assert.deepEqual([write(), write(), write()], ['', '', refused], 'no more than the burst');
  });

  it('is told of all limits that are reached', () => {
    const { write } = limited({ burst: 1 }, { type: 'Namespace', burst: 1 });
    assert.equal(write(), '');
    const server = 'limit reached on type Server for key ';
    assert.equal(write(), `[${server}, limit reached on type Namespace for key n]`);
    assert.equal(write({ namespace: 'other' }), server);
  });

  it('is each namespace’s own, each user’s, each source’s about an object', () => {
    const namespaces = limited({ type: 'Namespace', burst: 1 });
    assert.equal(namespaces.write({ namespace: 'a' }), '');
    const ofA = 'limit reached on type Namespace for key a';
    assert.equal(namespaces.write({ namespace: 'a', user: 'bob' }), ofA);
    assert.equal(namespaces.write({ namespace: 'b' }), '');
    const users = limited({ type: 'User', burst: 1 });
    assert.equal(users.write(), '');
    assert.equal(users.write({ namespace: 'b' }), 'limit reached on type User for key ann');
    assert.equal(users.write({ user: 'bob' }), '');
    const objects = limited({ type: 'SourceAndObject', burst: 1 });
    const about = (name: string): JsonObject => ({
      source: { component: 'kubelet', host: 'n1' },
      involvedObject: { kind: 'Pod', namespace: 'n', name, uid: 'u', apiVersion: 'v1' },
    });
    assert.equal(objects.write({ event: about('p') }), '');
    const refused = 'limit reached on type SourceAndObject for key kubeletn1Podnpuv1';
    assert.equal(objects.write({ event: about('p') }), refused);
    assert.equal(objects.write({ event: about('q') }), '');
  });

  it('tells sources and objects apart by each part of them', () => {
    const parts = {
      source: ['component', 'host'],
      involvedObject: ['kind', 'namespace', 'name', 'uid', 'apiVersion'],
    };
    for (const [of, fields] of Object.entries(parts)) {
      for (const field of fields) {
        const { write } = limited({ type: 'SourceAndObject', burst: 1 });
        const about = (value: string) => write({ event: { [of]: { [field]: value } } });
        const refused = 'limit reached on type SourceAndObject for key a';
        assert.deepEqual([about('a'), about('a'), about('b')], ['', refused, ''], field);
      }
    }
  });

  it('is taken by every limit, also where another one refuses', () => {
    const { write } = limited({ burst: 1 }, { type: 'User', burst: 2 });
    assert.equal(write(), '');
    assert.match(write(), /type Server/);
    assert.match(write(), /type User/, 'the last that refuses is told');
  });

  it('takes nothing for a dry run', () => {
    const { write } = limited({ burst: 1 });
    for (let at = 0; at < 5; at += 1) assert.equal(write({ dryRun: true }), '');
    assert.equal(write(), '');
  });

  it('is kept for so many, and who was not seen for longest starts anew', () => {
    const { write } = limited({ type: 'User', burst: 1, cacheSize: 2 });
    const [a, b, c] = [{ user: 'a' }, { user: 'b' }, { user: 'c' }];
    assert.deepEqual([write(a), write(b)], ['', '']);
    assert.notEqual(write(a), '');
    assert.equal(write(c), '', 'b is forgotten');
    assert.notEqual(write(a), '');
    assert.equal(write(b), '', 'c is forgotten');
  });

  it('answers 429 over HTTP', async () => {
    const server = await startConfigured(
      { 'enable-admission-plugins': 'EventRateLimit' },
      {
        EventRateLimit: {
          apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
          kind: 'Configuration',
          limits: [{ type: 'Namespace', qps: 1, burst: 1 }],
        },
      },
    );
    const write = (name: string) =>
      server.request('POST', '/api/v1/namespaces/default/events', {
        body: {
          metadata: { name },
          involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
        },
      });
    // However slow the machine is: more are sent until one is refused.
    const replies: Reply[] = [];
    const isRefused = () => replies.some(({ status }) => status === 429);
    for (let at = 0; !isRefused(); at += 40) {
      const some = Array.from({ length: 40 }, (_, more) => write(`e${at + more}`));
      replies.push(...(await Promise.all(some)));
    }
    await server.remove();
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(replies.every(({ status }) => status === 201 || status === 429));
    assert.equal(
      refused[0]?.body['message'],
      'Too many requests: limit reached on type Namespace for key default',
    );
    assert.equal(refused[0]?.body['reason'], 'TooManyRequests');
  });
});
