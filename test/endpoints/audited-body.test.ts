/** What an audit trail is told of bodies: as JSON, and no more of them than an event takes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { atOnceBytesMax } from '../../src/endpoints/body-decoding.ts';
import { auditedBody, BodyPrefix, responseOf } from '../../src/endpoints/filters/audited-body.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createBodyLanes } from '../../src/endpoints/body-lanes.ts';
import { createTurns } from '../../src/stdx/turns.ts';

const keptBytesMax = 1024 * 1024 + 1;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const turns = createTurns({ clock: systemClock, timers: systemTimers });
const reading = { turns, schemaOf: () => undefined, bodyLanes: createBodyLanes() };
const valueOf = async (contentType: string, body: string): Promise<JsonValue | undefined> =>
  (await auditedBody(reading, contentType, Buffer.from(body)))?.value;

describe('a body that is told', () => {
  const rows: readonly [string, string, string | undefined][] = [
    ['application/json', '{"a":1}', '{"a":1}'],
    ['application/merge-patch+json; charset=utf-8', '{"a": 1}', '{"a":1}'],
    ['application/yaml', 'a: 1', '{"a":1}'],
    ['application/yaml', '[: ', undefined],
    ['text/plain', 'a: 1', undefined],
    ['', '{}', undefined],
  ];
  for (const [contentType, body, told] of rows) {
    const title = `${JSON.stringify(body)} of type '${contentType}' is told as ${told ?? 'nothing'}`;
    it(title, async () => {
      assert.equal(JSON.stringify(await valueOf(contentType, body)), told);
    });
  }

  it('is passed on unread where it is longer than any event', () => {
    const long = Buffer.from(`a: ${'x'.repeat(keptBytesMax)}`);
    const told = auditedBody(reading, 'application/yaml', long);
    assert.deepEqual(told, { value: undefined, bytes: long.length });
  });

  it('is read in turns with others where its handler does so', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(atOnceBytesMax) });
    const told = auditedBody(reading, 'application/json', Buffer.from(body));
    assert.ok(told instanceof Promise, 'it is not read at once');
    assert.deepEqual(await told, { value: JSON.parse(body) as JsonValue, bytes: body.length });
  });

  it('of a stream is kept as it came, up to one byte more than an event takes', () => {
    const kept = new BodyPrefix();
    const chunk = Buffer.from('ab');
    kept.add(chunk);
    chunk.fill('x');
    assert.equal(text(kept.bytes()), 'ab');
    for (let i = 0; i < 3; i += 1) kept.add(Buffer.alloc(keptBytesMax / 2, 'c'));
    assert.equal(kept.bytes().length, keptBytesMax);
  });
});

describe('the response that is told', () => {
  const refusal = JSON.stringify({ kind: 'Status', reason: 'Conflict', message: 'no', code: 409 });
  it('has the reason and the message of a refusal, and neither of a success', () => {
    const status = { reason: 'Conflict', message: 'no' };
    assert.deepEqual(responseOf(409, 'application/json', refusal), { code: 409, status });
    assert.deepEqual(responseOf(200, 'application/json', refusal), { code: 200 });
  });

  it('has its code alone where the body cannot be read', () => {
    assert.deepEqual(responseOf(502, 'text/html', '<p>'), { code: 502 });
    assert.deepEqual(responseOf(500, 'application/json', '{'), { code: 500 });
  });
});
