/** Whose watches share frames: streams/ is told who asks. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';

const target = '/api/v1/namespaces/default/configmaps?watch=true';
const account = (name: string): string => `system:serviceaccount:default:${name}`;

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.remove());

async function groupsOf(users: readonly string[]): Promise<number> {
  const groupsCount = (): number => server.running.parts.streams.stats().groupsCount;
  const atFirst = groupsCount();
  const open = (user: string) => server.openWatch(target, { 'Impersonate-User': user });
  const watches = await Promise.all(users.map(open));
  const made = groupsCount() - atFirst;
  for (const watch of watches) watch.close();
  while (groupsCount() > atFirst) await new Promise((resolve) => setImmediate(resolve));
  return made;
}

const times = (count: number, user: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => user(at));

const most = defaultStreamLimits.callerWatchesMax;

test('watches share their frames, but for those of a caller with many', async () => {
  assert.equal(await groupsOf(times(most, () => 'alice')), 1);
  assert.equal(await groupsOf([...times(most, () => 'alice'), 'bob']), 1);
  assert.equal(await groupsOf([...times(most + 5, () => 'alice'), 'bob']), 2);
});

test('the service accounts of a namespace are one caller', async () => {
  assert.equal(await groupsOf(times(most + 5, (at) => account(`a${at}`))), 2);
  assert.equal(await groupsOf(times(most + 5, (at) => `user${at}`)), 1);
});
