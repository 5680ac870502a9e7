/** Records of TLS, wherever what a client sends is parted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TlsRecords } from '../../src/transport/node/tls-records.ts';

const lengths = [1, 53, 0, 300, 7];
const record = (length: number): Buffer =>
  Buffer.concat([Buffer.from([23, 3, 3, length >> 8, length & 255]), Buffer.alloc(length)]);
const sent = Buffer.concat(lengths.map(record));
const ends = lengths.map((_, i) =>
  lengths.slice(0, i + 1).reduce((sum, length) => sum + 5 + length, 0),
);

describe('records of TLS', () => {
  it('end where they end, however their bytes are parted', () => {
    for (let size = 1; size <= sent.length; size += 1) {
      const records = new TlsRecords();
      const seen = new Set<number>();
      for (let from = 0; from < sent.length; from += size) {
        const part = sent.subarray(from, from + size);
        for (let at = 0; at < part.length;) {
          at = records.endOf(part, at) as number;
          seen.add(from + at);
        }
      }
      for (const end of ends) assert.ok(seen.has(end), `${end} in parts of ${size}`);
      const between = [...seen].filter((end) => !ends.includes(end) && end % size !== 0);
      assert.deepEqual(between, [], `in parts of ${size}`);
    }
  });

  // Before, the record behind a handshake was parted five bytes too early.
  it('that are too long have not been seen', () => {
    for (let size = 1; size <= sent.length; size += 1) {
      const records = new TlsRecords();
      records.begins = (bytes) => bytes < 300;
      let at = 0;
      let refusedAt: number | undefined;
      for (let end = size; refusedAt === undefined; end += size) {
        const part = sent.subarray(0, end);
        while (at < part.length) {
          const next = records.endOf(part, at);
          if (next === undefined) {
            refusedAt = at;
            break;
          }
          at = next;
        }
      }
      records.begins = undefined;
      assert.equal(records.endOf(sent, refusedAt), ends[3], `in parts of ${size}`);
    }
  });
});
