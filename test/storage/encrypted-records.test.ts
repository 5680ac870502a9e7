/** Encrypted records: what is written is read, by the right key, in its place, and nowhere else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode } from '@msgpack/msgpack';
import { recordKey } from '../../src/encryption/record-keys.ts';
import {
  encryptedRecords,
  labelOfEncrypted,
  plain,
  plainRecords,
} from '../../src/storage/encrypted-records.ts';
import type { RecordCodec, RecordKey } from '../../src/storage/encrypted-records.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { StoreKey } from '../../src/storage/storage.ts';

const place = { key: '/secrets/default/a' as StoreKey, state: 'live' };
const object = Buffer.from('{"metadata":{"name":"a"},"data":"hunter2"}');
const timed = { state: 'waiting', dueMs: 7 };
const record = { uid: 'u', labels: { app: 'vault' }, fields: {}, metadataAt: 13, object };

const [one, two] = await Promise.all([
  recordKey('aesgcm', 'one', Buffer.alloc(32, 1)),
  recordKey('secretbox', 'two', Buffer.alloc(32, 2)),
]);
const codecOf = (...keys: readonly (RecordKey | typeof plain)[]): RecordCodec =>
  encryptedRecords({ keysOf: () => keys });

function assertUnreadable(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error) => {
    assert(error instanceof StorageError && error.code === 'corrupt');
    assert.match(error.message, message);
    return true;
  });
}

describe('encrypted records', () => {
  it('come back as they were, with the label of their key, and show nothing', () => {
    for (const given of [record, { ...record, shape: 'v1' }, { ...record, timer: timed }]) {
      const codec = codecOf(one, plain);
      const value = codec.encodeRecord(given, place);
      const read = codec.decodeRecord({ ...place, value });
      const { encryptedBy, ...rest } = read;
      assert.equal(encryptedBy, one.label);
      const filled = { timer: undefined, shape: undefined, ...rest };
      assert.deepEqual(
        { ...filled, object: Buffer.from(rest.object) },
        { timer: undefined, shape: undefined, ...given },
      );
      assert.doesNotMatch(Buffer.from(value).toString('latin1'), /hunter2|vault|metadata/);
    }
  });

  it('are an array of msgpack: format, checksum, label, bytes', () => {
    const value = codecOf(one).encodeRecord(record, place);
    const items = decode(value) as unknown[];
    assert.equal(items.length, 4);
    assert.deepEqual([items[0], items[2]], [3, 'k8s:enc:aesgcm:v1:one:']);
    assert.equal(labelOfEncrypted({ ...place, value }), 'k8s:enc:aesgcm:v1:one:');
  });

  it('that are put are held decoded by those who follow the log here', () => {
    const put = codecOf(one).recordToPut(record, place);
    assert.equal(put.encryptedBy, one.label);
    assert.equal(put.withRoom, undefined);
    assert.deepEqual(Buffer.from(put.decoded?.object ?? []), object);
    assert.equal(codecOf(two).decodeRecord({ ...place, ...put }), put.decoded);
  });

  it('are read by every key that is named, and written with the first', () => {
    const before = codecOf(one).encodeRecord(record, place);
    const both = codecOf(two, one, plain);
    assert.equal(both.decodeRecord({ ...place, value: before }).encryptedBy, one.label);
    const after = both.encodeRecord(record, place);
    assert.equal(codecOf(two).decodeRecord({ ...place, value: after }).encryptedBy, two.label);
    const unencrypted = plainRecords.encodeRecord(record, place);
    assert.equal(both.decodeRecord({ ...place, value: unencrypted }).encryptedBy, undefined);
    assert.equal(both.isStale?.(place.key, one.label), true);
    assert.equal(both.isStale?.(place.key, undefined), true);
    assert.equal(both.isStale?.(place.key, two.label), false);
    assert.equal(codecOf(plain, one).isStale?.(place.key, one.label), true);
    assert.equal(codecOf(plain, one).isStale?.(place.key, undefined), false);
  });

  it('are tried with each key of their label', async () => {
    const sameName = await recordKey('aesgcm', 'one', Buffer.alloc(32, 9));
    const value = codecOf(one).encodeRecord(record, place);
    const read = codecOf(sameName, one).decodeRecord({ ...place, value });
    assert.deepEqual(Buffer.from(read.object), object);
    const alone = codecOf(sameName);
    assertUnreadable(() => alone.decodeRecord({ ...place, value }), /not made by a key named/);
  });

  it('are unreadable without their key, in another place, and plain where nothing plain is read', () => {
    const value = codecOf(one).encodeRecord(record, place);
    assertUnreadable(() => codecOf(two).decodeRecord({ ...place, value }), /no key is named k8s/);
    assertUnreadable(() => plainRecords.decodeRecord({ ...place, value }), /encrypted/);
    const elsewhere = { key: '/secrets/default/b' as StoreKey, state: 'live', value };
    assertUnreadable(() => codecOf(one).decodeRecord(elsewhere), /checksum/);
    const unencrypted = plainRecords.encodeRecord(record, place);
    const strict = codecOf(one);
    assertUnreadable(() => strict.decodeRecord({ ...place, value: unencrypted }), /not encrypted/);
  });

  it('in which a byte was altered, or that were cut, are damaged', () => {
    const codec = codecOf(one, plain);
    const value = Buffer.from(codec.encodeRecord(record, place));
    for (let at = 0; at < value.length; at += 1) {
      const altered = Buffer.from(value);
      altered[at] = (altered[at] as number) ^ 0x11;
      assertUnreadable(() => codec.decodeRecord({ ...place, value: altered }), /./);
      assertUnreadable(() => codec.decodeRecord({ ...place, value: value.subarray(0, at) }), /./);
    }
    assertUnreadable(
      () => codec.decodeRecord({ ...place, value, damage: 'the head is wrong' }),
      /the head is wrong/,
    );
  });
});
