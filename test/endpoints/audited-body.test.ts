/** What an audit trail is told of bodies: as JSON, and no more of them than an event takes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonOf, BodyPrefix, responseOf } from '../../src/endpoints/filters/audited-body.ts';

const keptBytesMax = 1024 * 1024 + 1;
const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString();

describe('a body that is told', () => {
  const rows: readonly [string, string, string | undefined][] = [
    ['application/json', '{"a":1}', '{"a":1}'],
    ['application/merge-patch+json; charset=utf-8', '{"a": 1}', '{"a": 1}'],
    ['application/yaml', 'a: 1', '{"a":1}'],
    ['application/yaml', '[: ', undefined],
    ['text/plain', 'a: 1', undefined],
    ['', '{}', undefined],
  ];
  for (const [contentType, body, told] of rows) {
    it(`${JSON.stringify(body)} of type '${contentType}' is told as ${told ?? 'nothing'}`, () => {
      assert.equal(text(jsonOf(contentType, Buffer.from(body), () => undefined)), told);
    });
  }

  it('is passed on unread where it is longer than any event', () => {
    const long = Buffer.from(`a: ${'x'.repeat(keptBytesMax)}`);
    assert.equal(
      jsonOf('application/yaml', long, () => undefined),
      long,
    );
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
