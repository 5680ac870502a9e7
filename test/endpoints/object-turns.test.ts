/** An object that is read and written anew for its answer takes its turns where it is large. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { bytesAtOnceMax } from '../../src/apimachinery/object-cost.ts';
import { objectAnswer } from '../../src/endpoints/answer.ts';
import { sendObject } from '../../src/endpoints/object-response.ts';
import { negotiateRepresentation } from '../../src/endpoints/representation.ts';
import type { Representation } from '../../src/endpoints/representation.ts';
import type {
  AnsweredRequest,
  EndpointDeps,
  ResourceRequest,
} from '../../src/endpoints/request.ts';
import { createLimiter } from '../../src/stdx/limiter.ts';
import type { Step } from '../../src/stdx/turns.ts';

/** A stored object of so many bytes. */
function storedObject(length: number, name = 'a'): Uint8Array {
  const [before, behind] = [
    `{"kind":"A","apiVersion":"v1","metadata":{"name":"${name}"},"d":"`,
    '"}',
  ];
  return Buffer.from(`${before}${'x'.repeat(length - before.length - behind.length)}${behind}`);
}

/** Answers whose steps are run by hand. */
class Answers {
  readonly waiting: Step[] = [];
  readonly sent: string[] = [];
  readonly #deps = {
    largeObjects: createLimiter(1),
    registry: { turns: { run: (step: Step) => void this.waiting.push(step) } },
  } as unknown as EndpointDeps;

  send(bytes: Uint8Array, more: Partial<Representation>, exchange = { closed: false }): void {
    const send = (_: number, __: unknown, body: Uint8Array): void => {
      this.sent.push(Buffer.from(body).toString());
    };
    const own = Object.assign(exchange, { send });
    const request = { exchange: own, warnings: [] } as unknown as AnsweredRequest;
    const representation = {
      negotiated: { mediaType: 'x/y', format: 'json', projection: { kind: 'none' } },
      pretty: false,
      show: (shown: Uint8Array) => shown,
      showSteps: undefined,
      ...more,
    } as unknown as Representation;
    const answer = objectAnswer(200, representation, { bytes, revision: 1n });
    const features = { responseCompression: false };
    void sendObject({ ...this.#deps, features } as unknown as EndpointDeps, request, answer);
  }

  /** In one turn: one step of everybody who waits. */
  async turn(): Promise<void> {
    const steps = this.waiting.splice(0);
    this.waiting.unshift(...steps.filter((step) => step(() => true)));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** As another version shows it. */
const converted: Partial<Representation> = {
  *showSteps(bytes) {
    yield;
    return Buffer.from(Buffer.from(bytes).toString().replace('v1', 'v2'));
  },
};

describe('an object that is answered', () => {
  const small = storedObject(bytesAtOnceMax);
  const large = storedObject(bytesAtOnceMax + 1);
  const takesTurns = (bytes: Uint8Array, more: Partial<Representation>): boolean => {
    const answers = new Answers();
    answers.send(bytes, more);
    assert.notEqual(answers.sent.length, answers.waiting.length);
    return answers.waiting.length > 0;
  };

  it('in another version than the stored one takes its turns where it is large', () => {
    assert.ok(takesTurns(large, converted));
    assert.ok(!takesTurns(small, converted));
    assert.ok(!takesTurns(large, {}));
  });

  for (const [version, conversions, inParts] of [
    ['v1', undefined, false],
    ['v2', undefined, true],
    ['v1', new Map(), true],
    ['v2', new Map(), true],
  ] as const) {
    const shape = conversions === undefined ? 'one shape' : 'several shapes';
    it(`of a custom kind with ${shape}, in parts in ${version}: ${inParts}`, () => {
      const stored = { storage: { group: 'x.io' }, storageVersion: 'v1', verbs: [] };
      const custom = { webhook: undefined };
      const kind = { group: 'x.io', version, kind: 'A', custom, conversions, ...stored };
      const request = {
        kind,
        query: new Map(),
        resource: { subresource: '' },
        exchange: { header: () => undefined },
      } as unknown as ResourceRequest;
      const deps = { identity: identityOf('kubernetes'), features: { cbor: false } };
      const options = { projections: true };
      const found = negotiateRepresentation(deps as unknown as EndpointDeps, request, options);
      assert.ok(found.kind === 'ok');
      assert.equal(found.value.showSteps !== undefined, inParts);
    });
  }

  it('with line breaks, too', () => {
    assert.ok(takesTurns(large, { pretty: true }));
    assert.ok(!takesTurns(small, { pretty: true }));
  });

  it('is read, and written, in different turns', async () => {
    const answers = new Answers();
    answers.send(storedObject(100_000), { ...converted, pretty: true });
    let turns = 0;
    for (; answers.sent.length === 0; turns += 1) await answers.turn();
    assert.ok(turns > 4, `${turns} turns`);
    assert.match(answers.sent.join(), /^\{\n {2}"kind": "A",\n {2}"apiVersion": "v2",/);
  });

  it('is the only large one that is being read', async () => {
    const answers = new Answers();
    for (const name of ['a', 'b', 'c']) answers.send(storedObject(100_000, name), converted);
    answers.send(large, converted);
    assert.equal(answers.waiting.length, 2);
    while (answers.waiting.length > 0) {
      await answers.turn();
      assert.ok(answers.waiting.length <= 2);
    }
    const names = answers.sent.map((body) => /"name":"(.)"/.exec(body)?.[1]);
    assert.deepEqual(names.toSorted(), ['a', 'a', 'b', 'c']);
  });

  it('is not read for a client that has gone, and the next is', async () => {
    const answers = new Answers();
    const gone = { closed: false };
    answers.send(storedObject(100_000), converted, gone);
    answers.send(storedObject(100_000, 'b'), converted);
    await answers.turn();
    gone.closed = true;
    while (answers.waiting.length > 0) await answers.turn();
    assert.equal(answers.sent.length, 1);
    assert.match(answers.sent.join(), /"name":"b"/);
  });
});
