/** Which seed records are written with: what the service says decides, and how long ago it was. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { writeMs } from '../../../src/encryption/key-service/current-seed.ts';
import type { SharedSeed } from '../../../src/encryption/key-service/current-seed.ts';
import { sha256Of } from '../../../src/stdx/sha256-of.ts';
import type { KeyService } from '../../../src/encryption/key-service/key-service.ts';
import { sealedSeedBytes } from '../../../src/encryption/key-service/messages.ts';
import type { SealedSeed } from '../../../src/encryption/key-service/messages.ts';
import { createSeedWriter, watchTimes } from '../../../src/encryption/key-service/seed-writer.ts';
import type { SeedWriter } from '../../../src/encryption/key-service/seed-writer.ts';
import { manualTime } from '../../support/doubles/manual-time.ts';
import type { ManualTime } from '../../support/doubles/manual-time.ts';

const failed = { kind: 'failed', code: 'Unavailable', message: 'nobody is there' } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the seed that records are written with', () => {
  let time: ManualTime;
  let status: { version: string; healthz: string; keyId: string } | undefined;
  let sealed: SealedSeed | undefined;
  /** What is shared, and what another server leaves a moment before this one. */
  let left: Buffer | undefined;
  let others: Buffer | undefined;
  let decryptedBytes: number;
  let asked: string[];
  let health: (string | undefined)[];
  let wrongKeyIds: string[];
  let writer: SeedWriter;

  beforeEach(() => {
    time = manualTime();
    status = { version: 'v2', healthz: 'ok', keyId: 'one' };
    sealed = undefined;
    asked = [];
    health = [];
    wrongKeyIds = [];
    decryptedBytes = 32;
    left = undefined;
    others = undefined;
    const shared: SharedSeed = {
      read: () => Promise.resolve(left),
      leave(mine) {
        if (others !== undefined) {
          left = others;
          others = undefined;
          return Promise.resolve(false);
        }
        left = mine;
        return Promise.resolve(true);
      },
    };
    const service: Pick<KeyService, 'status' | 'encrypt' | 'decrypt'> = {
      decrypt() {
        asked.push('decrypt');
        return Promise.resolve({ kind: 'ok', value: Buffer.alloc(decryptedBytes, 5) });
      },
      status() {
        asked.push('status');
        return Promise.resolve(status === undefined ? failed : { kind: 'ok', value: status });
      },
      encrypt(plain) {
        asked.push('encrypt');
        assert.equal(plain.length, 32);
        const keyId = status?.keyId ?? '';
        const value = sealed ?? {
          ciphertext: Buffer.from(`${asked.length}`),
          keyId,
          annotations: [],
        };
        return Promise.resolve({ kind: 'ok', value });
      },
    };
    writer = createSeedWriter({
      service,
      shared: () => shared,
      ...time,
      onSeed: () => asked.push('seed'),
      onKeyId: () => undefined,
      onWrongKeyId: (why) => wrongKeyIds.push(why),
      onHealth: (why) => health.push(why),
    });
  });

  const started = async (): Promise<void> => {
    await writer.start();
    await turn();
  };
  const after = async (ms: number): Promise<void> => {
    time.advance(ms);
    await turn();
  };

  it('is made when the service is well, and kept while its key stays', async () => {
    assert.match(writer.refusal() ?? '', /not encrypted a seed yet/);
    await started();
    const { seed } = writer;
    assert.equal(seed?.keyIdHash, sha256Of('one'));
    assert.equal(writer.refusal(), undefined);
    for (let minutes = 0; minutes < 30; minutes += 1) await after(watchTimes.askWhileWellMs);
    assert.equal(writer.seed, seed);
    assert.equal(writer.refusal(), undefined);
    assert.equal(asked.filter((each) => each === 'status').length, 31);
    assert.equal(asked.filter((each) => each === 'encrypt').length, 1);
    assert.deepEqual(health, [undefined]);
  });

  it('is made anew when the service has another key', async () => {
    await started();
    const first = writer.seed;
    status = { version: 'v2', healthz: 'ok', keyId: 'two' };
    await after(watchTimes.askWhileWellMs);
    assert.equal(writer.seed?.keyIdHash, sha256Of('two'));
    assert.notEqual(writer.seed?.id, first?.id);
  });

  it('is used for a while when the service is away, and again when it is back', async () => {
    await started();
    const { seed } = writer;
    status = undefined;
    await after(watchTimes.askWhileWellMs);
    assert.deepEqual(health, [undefined, 'Status: Unavailable: nobody is there']);
    await after(writeMs - watchTimes.askWhileWellMs);
    assert.equal(writer.refusal(), undefined);
    await after(1);
    assert.match(writer.refusal() ?? '', /not been well for too long/);
    assert.equal(writer.seed, seed, 'and it can still be told which it was');
    status = { version: 'v2', healthz: 'ok', keyId: 'one' };
    await after(watchTimes.askWhileUnwellMs);
    assert.equal(writer.refusal(), undefined);
    assert.equal(writer.seed, seed);
    assert.equal(health.length, 3);
  });

  it('stays where the service encrypts with another key than it names', async () => {
    await started();
    const { seed } = writer;
    status = { version: 'v2', healthz: 'ok', keyId: 'two' };
    sealed = { ciphertext: Buffer.of(1), keyId: 'three', annotations: [] };
    await after(watchTimes.askWhileWellMs);
    assert.match(health.at(-1) ?? '', /used the key sha256:\w+, and its status names sha256:/);
    assert.equal(writer.seed, seed);
    await after(writeMs);
    assert.match(writer.refusal() ?? '', /too long/);
  });

  const sealedBy = (keyId: string): Buffer =>
    sealedSeedBytes({ ciphertext: Buffer.from('shared'), keyId, annotations: [] });
  const askedFor = (): string => asked.filter((each) => each !== 'status').join(' ');

  it('is left for the others where there is none, or one of another key', async () => {
    left = sealedBy('zero');
    await started();
    assert.equal(askedFor(), 'encrypt seed');
    assert.ok(left?.includes('one'));
  });

  it('is the shared one where that is of the same key', async () => {
    left = sealedBy('one');
    await started();
    assert.equal(askedFor(), 'decrypt seed');
    assert.deepEqual(left, sealedBy('one'));
  });

  it('is that of who was faster', async () => {
    others = sealedBy('one');
    await started();
    assert.equal(askedFor(), 'encrypt decrypt seed');
    assert.deepEqual(left, sealedBy('one'));
  });

  it('is a new one where the shared one is none, or is not given back', async () => {
    left = Buffer.from('garbage');
    await started();
    assert.equal(askedFor(), 'encrypt seed');
    left = sealedBy('two');
    decryptedBytes = 31;
    status = { version: 'v2', healthz: 'ok', keyId: 'two' };
    await after(watchTimes.askWhileWellMs);
    assert.equal(askedFor(), 'encrypt seed decrypt encrypt seed');
  });

  const wrongSeeds: readonly (readonly [string, Partial<SealedSeed>, RegExp])[] = [
    ['empty', { ciphertext: Buffer.alloc(0) }, /encrypted seed is empty/],
    ['too long', { ciphertext: Buffer.alloc(1025) }, /1025 bytes, at most 1024/],
    ['without a key', { keyId: '' }, /key id is empty/],
    ['with a long key id', { keyId: 'k'.repeat(1025) }, /more than 1024 bytes/],
    ['with a name that is none', { annotations: [['version', Buffer.of(1)]] }, /no full domain/],
    ['with long notes', { annotations: [['a.b', Buffer.alloc(32 * 1024)]] }, /annotations have/],
  ];
  for (const [what, part, expected] of wrongSeeds) {
    it(`is not one that is ${what}`, async () => {
      sealed = { ciphertext: Buffer.of(1), keyId: 'one', annotations: [], ...part };
      void writer.start();
      await turn();
      assert.match(health[0] ?? '', expected);
      assert.notEqual(writer.refusal(), undefined);
      writer.stop();
    });
  }

  const wrongStatuses: readonly (readonly [string, Partial<NonNullable<typeof status>>, RegExp])[] =
    [
      ['is not well', { healthz: 'no\nvault' }, /says that it is "no\\nvault"/],
      ['has another version', { version: 'v1' }, /version v2 expected, it has "v1"/],
      ['has no key', { keyId: '' }, /id of its key is empty/],
      ['has a key of too long a name', { keyId: 'k'.repeat(1025) }, /id of its key is too long/],
    ];
  for (const [what, part, expected] of wrongStatuses) {
    it(`waits for a service that ${what}`, async () => {
      status = { version: 'v2', healthz: 'ok', keyId: 'one', ...part };
      let isWell = false;
      void writer.start().then(() => (isWell = true));
      await turn();
      assert.match(health[0] ?? '', expected);
      assert.equal(isWell, false);
      status = { version: 'v2', healthz: 'ok', keyId: 'one' };
      await after(watchTimes.askWhileUnwellMs);
      assert.equal(isWell, true);
      assert.equal(wrongKeyIds.length, 'keyId' in part ? 1 : 0);
    });
  }

  it('is not one of a service whose version changes', async () => {
    await started();
    status = { version: 'v2beta1', healthz: 'ok', keyId: 'one' };
    await after(watchTimes.askWhileWellMs);
    assert.match(health.at(-1) ?? '', /no longer v2/);
  });

  it('costs the service one question, however many ask how it is', async () => {
    await started();
    await Promise.all(Array.from({ length: 50 }, () => writer.check()));
    assert.equal(asked.filter((each) => each === 'status').length, 1);
    await after(watchTimes.wellMs);
    await Promise.all(Array.from({ length: 50 }, () => writer.check()));
    assert.equal(asked.filter((each) => each === 'status').length, 2);
    status = undefined;
    await after(watchTimes.wellMs);
    assert.match((await writer.check()) ?? '', /nobody/);
    await after(watchTimes.unwellMs - 1);
    assert.match((await writer.check()) ?? '', /nobody/);
    assert.equal(asked.filter((each) => each === 'status').length, 3);
  });

  it('is asked about no more when nobody writes with it', async () => {
    status = undefined;
    const starting = writer.start();
    await turn();
    writer.stop();
    await starting;
    const count = asked.length;
    await after(10 * watchTimes.askWhileWellMs);
    assert.equal(asked.length, count);
    assert.equal(time.pendingCount, 0);
  });
});
