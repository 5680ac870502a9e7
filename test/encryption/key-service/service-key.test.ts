/** Records whose keys a service holds: what is written is read, and what has to be asked for is
 * asked for once, by who may wait and by who may not. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ServiceAnswer } from '../../../src/encryption/key-service/key-service.ts';
import { sealedSeedBytes } from '../../../src/encryption/key-service/messages.ts';
import { createSeed, KnownSeeds, newSeed } from '../../../src/encryption/key-service/seeds.ts';
import type { Seed } from '../../../src/encryption/key-service/seeds.ts';
import { serviceKey, serviceKeyLimits } from '../../../src/encryption/key-service/service-key.ts';
import { encryptedRecords, plain } from '../../../src/storage/encrypted-records.ts';
import type { RecordKey } from '../../../src/storage/encrypted-records.ts';
import { StorageError } from '../../../src/storage/storage.ts';
import type { StoreKey } from '../../../src/storage/storage.ts';
import { manualTime } from '../../support/doubles/manual-time.ts';
import type { ManualTime } from '../../support/doubles/manual-time.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const place = { key: '/secrets/default/a' as StoreKey, state: 'live' };
const object = Buffer.from('{"metadata":{"name":"a"},"data":"hunter2"}');
const record = { uid: 'u', labels: {}, fields: {}, metadataAt: 13, object };

/** A vault whose ciphertext of a seed is the seed, behind a word. */
function seedOf(keyId: string, plainSeed = newSeed()): Seed {
  const ciphertext = Buffer.concat([Buffer.from('sealed:'), plainSeed]);
  return createSeed(plainSeed, sealedSeedBytes({ ciphertext, keyId, annotations: [] }));
}
const unsealed = (sealed: Buffer): Buffer => {
  const at = sealed.indexOf('sealed:') + 'sealed:'.length;
  return sealed.subarray(at, at + 32);
};

const isAway = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.code === 'away' &&
  error.message.includes('k8s:enc:kms:v2:vault:');
const isCorrupt = (error: unknown): boolean =>
  error instanceof StorageError && error.code === 'corrupt';

describe('a key that a service holds', () => {
  let time: ManualTime;
  let answer: (sealed: Buffer) => ServiceAnswer<Buffer>;
  let decrypts: number;
  let unwell: string | undefined;
  let lost: string[];
  let uses: string[];
  let current: Seed | undefined;
  let refusal: string | undefined;

  beforeEach(() => {
    time = manualTime();
    answer = (sealed) => ({ kind: 'ok', value: unsealed(sealed) });
    decrypts = 0;
    unwell = undefined;
    lost = [];
    uses = [];
    current = seedOf('one');
    refusal = undefined;
  });

  /** A server: what it knows is its own. */
  function keyOf(seeds = new KnownSeeds()): RecordKey {
    return serviceKey('vault', {
      service: {
        decrypt(sealed) {
          decrypts += 1;
          return Promise.resolve(answer(sealed));
        },
      },
      writer: {
        get seed() {
          return current;
        },
        refusal: () => refusal,
        get unwell() {
          return unwell;
        },
        check: () => Promise.resolve(unwell),
        askAnew: () => Promise.resolve(unwell),
      },
      seeds,
      ...time,
      isOver: () => false,
      onUse: (direction) => uses.push(direction),
      onLost: (why) => lost.push(why),
    });
  }
  const codecOf = (key = keyOf()) => encryptedRecords({ keysOf: () => [key, plain] });
  const written = () => ({ ...place, value: codecOf().encodeRecord(record, place) });

  it('reads what another server wrote, once the service has decrypted its seed', async () => {
    const [one, two] = [written(), written()];
    assert.ok(!Buffer.from(one.value).includes('hunter2'));
    const codec = codecOf();
    assert.throws(() => codec.decodeRecord(one), isAway);
    await Promise.all([codec.fetchKey?.(one, 'once'), codec.fetchKey?.(two, 'patient')]);
    assert.equal(decrypts, 1);
    assert.equal(codec.fetchKey?.(two, 'patient'), undefined, 'it is known from now on');
    assert.deepEqual(codec.decodeRecord(one).object, object);
    assert.deepEqual(codec.decodeRecord(two).object, object);
    assert.deepEqual(uses, ['to_storage', 'to_storage', 'from_storage', 'from_storage']);
  });

  it('makes other bytes each time, bound to their place', async () => {
    const [one, two] = [written(), written()];
    assert.notDeepEqual(one.value.subarray(-100), two.value.subarray(-100));
    const codec = codecOf();
    await codec.fetchKey?.(one, 'once');
    const key = '/secrets/default/b' as StoreKey;
    assert.throws(() => codec.decodeRecord({ ...one, key }), /checksum/);
    const bytes = keyOf().encrypt(object, 'here');
    const sealedLength = Buffer.from(bytes).readUInt16BE(16);
    const seeds = new KnownSeeds();
    seeds.add(current as Seed);
    assert.deepEqual(keyOf(seeds).decrypt(bytes, 'here'), object);
    assert.equal(keyOf(seeds).decrypt(bytes, 'there'), undefined);
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] as number) ^ 1;
      const isOfTheSeed = at >= 16 && at < 18 + sealedLength;
      const read = keyOf(seeds).decrypt(altered, 'here');
      // The sealed seed beside its id is for those who do not know it.
      if (!isOfTheSeed) assert.equal(read, undefined, `byte ${at}`);
      assert.equal(keyOf(seeds).decrypt(bytes.subarray(0, at), 'here'), undefined);
    }
  });

  it('tells records of its keys apart, and not those of its seeds', () => {
    const codec = codecOf();
    const { encryptedBy } = codec.recordToPut(record, place);
    assert.equal(codec.isStale?.(place.key, encryptedBy), false);
    current = seedOf('one');
    assert.equal(codec.isStale?.(place.key, encryptedBy), false, 'another seed of the same key');
    current = seedOf('two');
    assert.equal(codec.isStale?.(place.key, encryptedBy), true);
    assert.equal(codec.isStale?.(place.key, undefined), true);
  });

  it('writes nothing for a caller when it should not, and for the server what it can', () => {
    const codec = codecOf();
    refusal = 'it is too long ago';
    assert.throws(() => codec.recordToPut(record, place), /by vault now: it is too long ago/);
    assert.equal(codec.whyUnwritable?.(place.key), undefined);
    assert.ok(codec.encodeRecord(record, place).length > 0);
    current = undefined;
    assert.match(codec.whyUnwritable?.(place.key) ?? '', /too long ago/);
    assert.throws(() => codec.encodeRecord(record, place), /too long ago/);
  });

  it('is not waited for by who asks once, and has no record of it then', async () => {
    const one = written();
    answer = () => ({ kind: 'failed', code: 'Unavailable', message: 'away' });
    unwell = 'away';
    const codec = codecOf();
    await codec.fetchKey?.(one, 'once');
    assert.throws(() => codec.decodeRecord(one), /cannot be decrypted/);
    assert.throws(() => codec.decodeRecord(one), isAway);
    assert.deepEqual(lost, []);
    decrypts = 0;
    assert.equal(codec.fetchKey?.(one, 'if-well'), undefined, 'it is known that nobody answers');
    assert.equal(decrypts, 0);
    answer = (sealed) => ({ kind: 'ok', value: unsealed(sealed) });
    await codec.fetchKey?.(one, 'once');
    assert.deepEqual(codec.decodeRecord(one).object, object);
  });

  it('is waited for by who is patient, for as long as the service is not well', async () => {
    const one = written();
    answer = () => ({ kind: 'failed', code: 'Unknown', message: 'away' });
    unwell = 'away';
    const codec = codecOf();
    let isThere = false;
    void codec.fetchKey?.(one, 'patient')?.then(() => (isThere = true));
    for (let i = 0; i < 100; i += 1) {
      await turn();
      time.advance(serviceKeyLimits.againMs);
    }
    assert.equal(isThere, false);
    assert.equal(decrypts, 1, 'a service that is not well is asked how it is, and nothing else');
    answer = (sealed) => ({ kind: 'ok', value: unsealed(sealed) });
    unwell = undefined;
    for (let i = 0; i < 5 && !isThere; i += 1) {
      await turn();
      time.advance(serviceKeyLimits.againMs);
    }
    await turn();
    assert.equal(isThere, true);
    assert.deepEqual(codec.decodeRecord(one).object, object);
  });

  const refusals: readonly (readonly [string, ServiceAnswer<Buffer>, RegExp])[] = [
    ['refuses', { kind: 'failed', code: 'NotFound', message: 'no such key' }, /NotFound: no such/],
    ['gives back nothing', { kind: 'ok', value: Buffer.alloc(0) }, /has 32 bytes, not 0/],
    ['gives back too much', { kind: 'ok', value: Buffer.alloc(33) }, /has 32 bytes, not 33/],
  ];
  for (const [what, refused, why] of refusals) {
    it(`is lost where a service that is well ${what}, and nobody waits for it`, async () => {
      const one = written();
      answer = () => refused;
      const codec = codecOf();
      let isOver = false;
      void codec.fetchKey?.(one, 'patient')?.then(() => (isOver = true));
      for (let i = 0; i < 10 && !isOver; i += 1) {
        await turn();
        time.advance(serviceKeyLimits.againMs);
      }
      assert.equal(isOver, true);
      assert.equal(decrypts, serviceKeyLimits.refusalsMax);
      assert.equal(lost.length, 1);
      assert.match(lost[0] ?? '', why);
      assert.throws(() => codec.decodeRecord(one), /cannot be decrypted/);
      assert.throws(() => codec.decodeRecord(one), isCorrupt, 'no key is awaited any more');
      for (const patience of ['patient', 'if-well'] as const) {
        assert.equal(codec.fetchKey?.(one, patience), undefined, `${patience} goes on`);
      }
      answer = (sealed) => ({ kind: 'ok', value: unsealed(sealed) });
      await codec.fetchKey?.(one, 'once');
      assert.deepEqual(codec.decodeRecord(one).object, object);
    });
  }

  it('is said to be lost once, however many seeds are', async () => {
    const codec = codecOf();
    answer = () => ({ kind: 'failed', code: 'NotFound', message: 'no such key' });
    let left = 20;
    for (let i = 0; i < 20; i += 1) {
      current = seedOf('one');
      void codec.fetchKey?.(written(), 'patient')?.then(() => (left -= 1));
    }
    for (let i = 0; i < 100 && left > 0; i += 1) {
      await turn();
      time.advance(serviceKeyLimits.againMs);
    }
    assert.equal(left, 0);
    assert.equal(lost.length, 1);
  });

  it('with another seed than it gave is no key of the record', async () => {
    const one = written();
    answer = () => ({ kind: 'ok', value: Buffer.alloc(32, 9) });
    const codec = codecOf();
    await codec.fetchKey?.(one, 'once');
    assert.throws(() => codec.decodeRecord(one), /not made by a key named/);
  });

  it('is not asked about a seed under the id of another, or what is none', async () => {
    const codec = codecOf();
    const bytes = Buffer.from(keyOf().encrypt(object, 'here'));
    bytes[0] = (bytes[0] as number) ^ 1;
    const key = keyOf();
    assert.equal(key.fetched?.fetch(bytes, 'once'), undefined);
    for (const length of [0, 1, 17, 18, 40]) {
      assert.equal(key.fetched?.fetch(bytes.subarray(0, length), 'patient'), undefined);
      assert.equal(key.fetched?.fetch(Buffer.alloc(length), 'patient'), undefined);
    }
    const damaged = written();
    damaged.value[20] = (damaged.value[20] as number) ^ 1;
    assert.equal(codec.fetchKey?.(damaged, 'patient'), undefined);
    assert.equal(codec.fetchKey?.({ ...place, value: Buffer.from('plain') }, 'patient'), undefined);
    await turn();
    assert.equal(decrypts, 0);
  });

  it('keeps the seeds that were used last', () => {
    const seeds = new KnownSeeds(10);
    const used = seedOf('used');
    seeds.add(used);
    for (let i = 0; i < 100; i += 1) {
      seeds.add(seedOf('one'));
      assert.equal(seeds.get(used.id), used);
      assert.ok(seeds.size <= 10);
    }
  });
});
