/** The way to a key service: what comes back of each that can stand behind a socket. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { openKeyService } from '../../../src/encryption/key-service/client.ts';
import type { KeyService, ServiceAnswer } from '../../../src/encryption/key-service/key-service.ts';
import { sealedSeedBytes } from '../../../src/encryption/key-service/messages.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { systemPrng } from '../../../src/stdx/prng.ts';
import { testDirectories } from '../../support/data/test-directories.ts';
import { startKeyService } from '../../support/servers/key-service.ts';
import type { Mood, TestKeyService } from '../../support/servers/key-service.ts';

const directories = testDirectories('kms');
after(() => directories.removeAll());

const calls: string[] = [];
const opened: KeyService[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

async function open(socket: string, timeoutMs = 10_000): Promise<KeyService> {
  const service = await openKeyService(
    { socket, timeoutMs },
    {
      clock: systemClock,
      timers: systemTimers,
      prng: systemPrng(),
      onCall: (method, code, seconds) => {
        assert.ok(seconds >= 0);
        calls.push(`${method.split('/').at(-1)} ${code}`);
      },
    },
  );
  opened.push(service);
  return service;
}

function failure(answer: ServiceAnswer<unknown>): string {
  return answer.kind === 'ok' ? 'ok' : `${answer.code}: ${answer.message}`;
}

describe('a key service behind a socket', () => {
  let vault: TestKeyService;
  before(async () => {
    vault = await startKeyService(path.join(directories.make(), 's'));
  });
  after(() => vault.stop());

  it('says how it is, and decrypts what it has encrypted', async () => {
    calls.length = 0;
    const service = await open(vault.socket);
    const status = await service.status();
    assert.deepEqual(status, {
      kind: 'ok',
      value: { version: 'v2', healthz: 'ok', keyId: 'key-1' },
    });
    const seed = Buffer.alloc(32, 7);
    const sealed = await service.encrypt(seed);
    assert(sealed.kind === 'ok');
    assert.equal(sealed.value.keyId, 'key-1');
    const plain = await service.decrypt(sealedSeedBytes(sealed.value));
    assert.deepEqual(plain, { kind: 'ok', value: seed });
    assert.deepEqual(calls, ['Status OK', 'Encrypt OK', 'Decrypt OK']);
  });

  const moods: readonly (readonly [Mood, RegExp])[] = [
    ['failing', /^Unknown: "the vault is sealed"$/],
    ['garbage', /^Internal: the answer cannot be read: /],
    ['huge', /^ResourceExhausted: /],
  ];
  for (const [mood, expected] of moods) {
    it(`that is ${mood} has failed, and can be asked again`, async () => {
      const service = await open(vault.socket);
      vault.mood = mood;
      assert.match(failure(await service.status()), expected);
      vault.mood = 'well';
      assert.equal(failure(await service.status()), 'ok');
    });
  }

  it('that does not answer is given up after its time', async () => {
    const service = await open(vault.socket, 50);
    vault.mood = 'hanging';
    assert.match(failure(await service.encrypt(Buffer.alloc(32))), /^DeadlineExceeded: no answer/);
    vault.mood = 'well';
  });

  it('that was away is reached again', async () => {
    const service = await open(vault.socket, 20_000);
    assert.equal(failure(await service.status()), 'ok');
    vault.stop();
    const asked = service.status();
    await vault.start();
    assert.match(failure(await asked), /^(ok|Unavailable)/);
    assert.equal(failure(await service.status()), 'ok');
  });

  it('is not asked any more once it is closed', async () => {
    const service = await open(vault.socket);
    vault.mood = 'hanging';
    const asked = service.status();
    service.close();
    service.close();
    assert.match(failure(await service.status()), /^Unavailable: it is not asked any more/);
    assert.match(failure(await asked), /^Canceled: /);
    vault.mood = 'well';
  });
});

describe('what is no key service', () => {
  const stopping: (() => void)[] = [];
  after(() => {
    for (const stop of stopping) stop();
  });

  function listen(socket: string, onSocket: (socket: Socket) => void): Promise<Server> {
    const server = createServer(onSocket);
    stopping.push(() => server.close());
    return new Promise((resolve) => server.listen(socket, () => resolve(server)));
  }

  it('is given up in time: nobody, a file, a pipe', async () => {
    const directory = directories.make();
    const [file, pipe] = [path.join(directory, 'file'), path.join(directory, 'pipe')];
    writeFileSync(file, 'x');
    execFileSync('mkfifo', [pipe]);
    for (const socket of [path.join(directory, 'none'), file, pipe, '@sluice-nobody']) {
      const service = await open(socket, 200);
      assert.match(failure(await service.status()), /^(DeadlineExceeded|Unavailable): /, socket);
    }
  });

  it('is given up in time: who says nothing, hangs up, or says something else', async () => {
    const directory = directories.make();
    const kept: Socket[] = [];
    stopping.push(() => kept.forEach((each) => each.destroy()));
    const others: readonly ((socket: Socket) => void)[] = [
      (socket) => void kept.push(socket.on('error', () => undefined)),
      (socket) => void socket.destroy(),
      (socket) => void socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\nhello'),
      (socket) => void socket.on('error', () => undefined).end(Buffer.alloc(1024 * 1024, 0xff)),
    ];
    for (const [at, other] of others.entries()) {
      const socket = path.join(directory, String(at));
      await listen(socket, other);
      const service = await open(socket, 300);
      assert.match(failure(await service.status()), /^(DeadlineExceeded|Unavailable|Internal): /);
    }
  });
});
