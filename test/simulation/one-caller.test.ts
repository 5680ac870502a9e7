/**
 * Nothing that one caller sends stops the others: a real server, real sockets, row after row, while
 * a thread of its own asks for /livez. Sizes are small here, full with SLUICE_ATTACK_FULL=1.
 *
 * How long the longest answer took, and the memory before and after, are told as a table and not
 * judged: they are the machine's. Judged is that the server lives and that each answer is right.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { attackRows, send } from '../support/data/attack-rows.ts';
import { attackCustomRows } from '../support/data/attack-custom-rows.ts';
import { attackServerRows } from '../support/data/attack-server-rows.ts';
import { attackStoreRows } from '../support/data/attack-store-rows.ts';
import { attackTextRows } from '../support/data/attack-text-rows.ts';
import { attackTlsRows } from '../support/data/attack-tls-rows.ts';
import type { AttackRow, SizeOf } from '../support/data/attack-rows.ts';
import { pollLivez } from '../support/clients/livez-poller.ts';
import type { LivezPoller } from '../support/clients/livez-poller.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { fill } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';

const isFull = process.env['SLUICE_ATTACK_FULL'] === '1';
const of: SizeOf = (small, full) => (isFull ? full : small);
const timeout = isFull ? 600_000 : 300_000;
const directories = testDirectories('sluice-one-caller');

interface Told {
  readonly title: string;
  readonly livezMs: number;
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly statuses: string;
}

describe('one caller', () => {
  let server: ServerProcess;
  let poller: LivezPoller;
  const told: Told[] = [];
  before(async () => {
    const dataDir = path.join(directories.make(), 'data');
    const flags = ['--log-level=error', '--identity=kubernetes', '--secure-port=0'];
    server = await startServer({ dataDir, flags });
    await fill(server.port, of(1_000, 20_000), 1024);
    poller = pollLivez(server.port);
  });
  after(async () => {
    await poller.stop();
    const end = await server.stop();
    await directories.removeAll();
    console.log(tableOf(told));
    assert.equal(end.code, 0, end.stderr);
  });

  const tell = (row: AttackRow, portOf: () => number): void => {
    it(`is answered, and the server lives: ${row.title}`, { timeout }, async () => {
      await poller.report();
      const beforeBytes = server.memory().rssBytes;
      const statuses = await row.run(portOf(), of);
      assert.equal(await send(server.port, { method: 'GET', path: '/livez' }), 200);
      // One more answer of each row is seen.
      await sleep(50);
      const { failed, longestMs } = await poller.report();
      const afterBytes = server.memory().rssBytes;
      const { title } = row;
      const seen = [...new Set(statuses)].join(' ');
      told.push({ title, livezMs: longestMs, beforeBytes, afterBytes, statuses: seen });
      assert.equal(failed, 0, 'every /livez was answered');
      for (const status of statuses) {
        assert.ok(row.right.includes(status), `${status} is not one of ${row.right.join(', ')}`);
      }
    });
  };
  for (const row of attackRows) tell(row, () => server.port);
  for (const row of attackServerRows) tell(row, () => server.port);
  for (const row of attackStoreRows) tell(row, () => server.port);
  for (const row of attackTextRows) tell(row, () => server.port);
  for (const row of attackCustomRows) tell(row, () => server.port);
  for (const row of attackTlsRows) tell(row, () => server.securePort);
});

function tableOf(told: readonly Told[]): string {
  const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
  const lines = told.map(({ afterBytes, beforeBytes, livezMs, statuses, title }) =>
    [title, livezMs.toFixed(0), mib(beforeBytes), mib(afterBytes), statuses].join(' | '),
  );
  const head = 'sent | longest /livez, ms | resident before, MiB | after | statuses';
  return [head, '--- | --- | --- | --- | ---', ...lines].join('\n');
}
