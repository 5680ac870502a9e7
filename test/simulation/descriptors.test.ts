/**
 * More clients than file descriptors: the plain port is closed before they run out, so that nothing
 * spins and the store can be written to, and takes connections again when some are free.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import { eventually } from '../support/clients/watch-client.ts';

const descriptors = 400;
const timeout = 300_000;
const directories = testDirectories('sluice-descriptors');
after(() => directories.removeAll());

/** Undefined: refused. */
function open(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(undefined));
    socket.on('connect', () => resolve(socket));
  });
}

test(
  'idle clients beyond the descriptors close the plain port for a while',
  { timeout },
  async () => {
    const server = await startServer({
      dataDir: path.join(directories.make(), 'data'),
      flags: ['--log-level=info'],
      before: `ulimit -n ${descriptors}`,
    });
    const known = new HttpConnection(server.port);
    assert.equal((await known.request('GET', '/livez')).status, 200);
    const sockets: Socket[] = [];
    const isClosed = async (): Promise<boolean> => {
      const socket = await open(server.port);
      if (socket === undefined) return true;
      sockets.push(socket);
      // A request that is begun is not idle: the library would close an idle one.
      socket.write('GET /livez HTTP/1.1\r\n');
      return false;
    };
    for (let count = 0; count < descriptors; count += 1) if (await isClosed()) break;
    await eventually('the port is closed', isClosed);
    const body = JSON.stringify(configMap('written', '', 99));
    assert.equal((await known.request('POST', configMaps, body)).status, 201);
    for (const socket of sockets) socket.destroy();
    await eventually('the port is open again', async () => !(await isClosed()));
    const again = new HttpConnection(server.port);
    assert.equal((await again.request('GET', `${configMaps}/written`)).status, 200);
    for (const each of [known, again]) each.close();
    for (const socket of sockets) socket.destroy();
    const { code, stderr } = await server.stop();
    assert.equal(code, 0);
    assert.match(stderr, /file descriptors run out/);
    assert.match(stderr, /file descriptors are free again/);
  },
);
