/** What a client says faster than it is taken: in order, bounded in memory and on disk. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { BodyBytes } from '../../src/transport/load.ts';
import { Spool, spoolLimits } from '../../src/transport/spool.ts';
import { heldMessageLimits, HeldMessages } from '../../src/transport/uws/held-messages.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const mebibyte = 1024 * 1024;
const directories = testDirectories('sluice-held');

after(() => directories.removeAll());

function holding(directory: string, bytesMax = 1024 * mebibyte, freeBytes?: () => number) {
  const spool = new Spool({ directory, bytesMax, freeBytes });
  const bodies = new BodyBytes(1024 * mebibyte);
  const errors: unknown[] = [];
  const owner = { ready: () => undefined, failed: (error: unknown) => errors.push(error) };
  const held = new HeldMessages({ bodies, spool }, owner);
  return { bodies, errors, held, spool };
}

type Holding = ReturnType<typeof holding>;

function push({ held }: Holding, at: number, bytes: number): boolean {
  const message = Buffer.alloc(bytes, `message ${at}, `);
  return held.push(message, at % 3 === 0);
}

/** The next one, once it has come. */
async function next({ held, errors }: Holding, at: number, bytes: number): Promise<void> {
  let said = held.next();
  await eventually('the next one is there', () => {
    assert.deepEqual(errors, []);
    said ??= held.next();
    return said !== undefined;
  });
  assert.equal(said?.isText, at % 3 === 0);
  assert.deepEqual(Buffer.from(said.bytes), Buffer.alloc(bytes, `message ${at}, `));
}

describe('messages that are held', () => {
  it('come in their order from memory and disk, and nothing is held at last', async () => {
    const size = 300_000;
    const all = holding(directories.make());
    for (let at = 0; at < 200; at += 1) {
      assert.equal(push(all, at, size), true);
      if (at % 10 === 0) await leaving(all);
    }
    await leaving(all);
    assert.ok(all.spool.usedBytes > 50 * mebibyte);
    for (let at = 0; at < 200; at += 1) await next(all, at, size);
    assert.equal(all.held.next(), undefined);
    assert.equal(all.bodies.heldBytes, 0);
    assert.equal(all.spool.usedBytes, 0);
    all.held.clear();
  });

  it('whatever is said and taken meanwhile', async () => {
    const steps = fc.array(fc.record({ said: fc.nat(12), taken: fc.nat(12) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 900_000 }), async (each, size) => {
        const all = holding(directories.make());
        let [said, taken] = [0, 0];
        for (const step of each) {
          for (let more = 0; more < step.said && push(all, said, size); more += 1) said += 1;
          for (let more = 0; more < step.taken && taken < said; more += 1) {
            await next(all, taken, size);
            taken += 1;
          }
        }
        for (; taken < said; taken += 1) await next(all, taken, size);
        assert.equal(all.held.isEmpty, true);
        assert.equal(all.bodies.heldBytes, 0);
        assert.equal(all.spool.usedBytes, 0);
        all.held.clear();
      }),
      { numRuns: 30 },
    );
  });

  it('have no name on the disk, and cannot be read there', async () => {
    const directory = directories.make();
    const all = holding(directory);
    for (let at = 0; at < 30; at += 1) push(all, at, 500_000);
    await leaving(all);
    assert.deepEqual(readdirSync(directory), []);
    const file = openFile(directory);
    assert.notEqual(file, undefined);
    assert.equal(readFileSync(file ?? '').includes('message '), false);
    all.held.clear();
    await eventually('the file is closed', () => openFile(directory) === undefined);
  });

  it('are refused above what fits in memory, where the disk has no room', () => {
    const all = holding(directories.make(), 0);
    let count = 0;
    while (push(all, count, 600_000)) count += 1;
    assert.equal(count, Math.floor(heldMessageLimits.memoryBytesMax / 600_128));
    all.held.clear();
    assert.equal(all.bodies.heldBytes, 0);
  });

  it('of one client take an eighth of the disk that there is for all', async () => {
    const all = holding(directories.make(), 80 * spoolLimits.blockBytesMax);
    let at = 0;
    while (push(all, at, 1_000_000)) {
      at += 1;
      if (all.spool.usedBytes < 10 * spoolLimits.blockBytesMax) await leaving(all);
    }
    assert.equal(all.spool.usedBytes, 10 * spoolLimits.blockBytesMax);
    all.held.clear();
    assert.equal(all.spool.usedBytes, 0);
  });

  it('leave half of what is free on the disk to others', async () => {
    const diskBytes = 20 * spoolLimits.blockBytesMax;
    const spool: Spool = new Spool({
      directory: directories.make(),
      bytesMax: 1024 * mebibyte,
      freeBytes: () => diskBytes - spool.usedBytes,
    });
    const all = { ...holding('', 0), spool };
    const owner = { ready: () => undefined, failed: (error: unknown) => all.errors.push(error) };
    const held = new HeldMessages(all, owner);
    let at = 0;
    while (push({ ...all, held }, at, 1_000_000)) {
      at += 1;
      if (spool.usedBytes < diskBytes / 2) await leaving(all);
    }
    assert.equal(spool.usedBytes, diskBytes / 2);
    held.clear();
  });

  it('that go in the middle leave nothing behind', async () => {
    const directory = directories.make();
    const all = holding(directory);
    for (let at = 0; at < 14; at += 1) push(all, at, 1_000_000);
    all.held.next();
    all.held.clear();
    assert.equal(all.bodies.heldBytes, 0);
    assert.equal(all.spool.usedBytes, 0);
    await eventually('the file is closed', () => openFile(directory) === undefined);
    assert.deepEqual(all.errors, []);
    assert.equal(all.bodies.heldBytes, 0);
    assert.equal(all.spool.usedBytes, 0);
  });

  it('are lost with a disk that fails, which is told', async () => {
    const all = holding(path.join(directories.make(), 'nowhere'), undefined, () => Infinity);
    for (let at = 0; at < 10; at += 1) push(all, at, 1_000_000);
    await eventually('it is told', () => all.errors.length > 0);
    assert.match(String(all.errors[0]), /ENOENT/);
    all.held.clear();
  });
});

/** Until what is on its way to the disk is there. */
async function leaving({ bodies, errors }: Holding): Promise<void> {
  await eventually('the rest is on the disk', () => {
    assert.deepEqual(errors, []);
    return bodies.heldBytes < heldMessageLimits.memoryBytesKept + 3 * mebibyte;
  });
}

/** Linux shows it without a name. */
function openFile(directory: string): string | undefined {
  return readdirSync('/proc/self/fd')
    .map((name) => `/proc/self/fd/${name}`)
    .find((name) => linkOf(name).startsWith(`${directory}/.spool-`));
}

function linkOf(name: string): string {
  try {
    return readlinkSync(name);
  } catch {
    return '';
  }
}
