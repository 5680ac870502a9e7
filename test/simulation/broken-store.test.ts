/**
 * A store that takes no more writes: the process says so once, not once for each request, and goes
 * on reading.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { listOf } from '../support/clients/watch-client.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';

const timeout = 400_000;
const writesCount = 40;
const directories = testDirectories('sluice-broken');
after(() => directories.removeAll());

for (const workers of [1, 2]) {
  const title = `a store whose file is gone is said in one line, with --workers=${workers}`;
  test(title, { timeout }, async () => {
    const dataDir = directories.make();
    const server = await startServer({ dataDir, flags: [`--workers=${workers}`] });
    const connection = new HttpConnection(server.port);
    const kept = await connection.json('POST', configMaps, configMap('kept', '', 100));
    assert.equal(kept.status, 201);
    rmSync(path.join(dataDir, 'data.mdb'));
    for (let n = 0; n < writesCount; n += 1) {
      const body = configMap(`lost-${n}`, '', 100);
      const { status } = await connection.json('POST', configMaps, body);
      assert.ok(status === 500 || status === 504, `${status}`);
    }
    assert.equal((await connection.request('GET', '/livez')).status, 500);
    const { items } = await listOf(server.port, configMaps);
    assert.ok(items.some(({ metadata }) => metadata.name === 'kept'));
    connection.close();
    const { stderr, stdout } = await server.stop();
    const lines = (stdout + stderr).split('\n').filter((line) => line.includes('a request failed'));
    // One connection: one worker has all of them.
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(String(lines[0]), /the store takes no more writes/);
  });
}
