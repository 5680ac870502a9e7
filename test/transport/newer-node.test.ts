/** What users of a newer Node have: no uWebSockets.js loads, and node's HTTP serves all ports. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { parse } from 'yaml';
import { apiClient } from '../support/servers/test-server.ts';
import { newerNode } from '../support/servers/newer-node.ts';
import { startServer } from '../support/servers/server-process.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-newer');

const newer = newerNode();
const skip = newer.program === undefined ? newer.why : false;
const program = newer.program ?? '';
const dataDir = directories.make();
after(() => directories.removeAll());

interface Ended {
  readonly failed: boolean;
  readonly output: string;
}

function run(args: readonly string[]): Promise<Ended> {
  const options = { maxBuffer: 64 * 1024 * 1024, env: { PATH: process.env['PATH'] } };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ failed: error !== null, output: `${stdout}${stderr}` });
    });
  });
}

/** Reads a watch over TLS until `text` has come. */
function watchedUntil(url: string, head: string, ca: string, text: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connectTls({ host, port: Number(port), ca });
  return new Promise((resolve, reject) => {
    let seen = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the watch has ended: ${seen}`)));
    socket.on('data', (bytes) => {
      seen += bytes.toString();
      if (!seen.includes(text)) return;
      resolve(seen);
      socket.destroy();
    });
    socket.write(head);
  });
}

describe('on Node 24', { skip }, () => {
  for (const file of ['node', 'node-tls', 'pipeline', 'tls', 'tls-handshakes', 'change-tls']) {
    it(`the transport holds: ${file}`, async () => {
      const { failed, output } = await run([`dist/test/transport/${file}.test.js`]);
      assert.ok(!failed, output.slice(-20_000));
      assert.match(output, /(?:# |ℹ )pass [1-9]/);
    });
  }

  it('a server says how uWebSockets.js comes back, and serves watches on every port', async () => {
    const flags = ['--secure-port=0', '--store=lmdb', '--log-level=info'];
    const server = await startServer({ dataDir, flags, node: program });
    const client = apiClient(`http://127.0.0.1:${server.port}`);
    try {
      const { stdout } = await run(['--version']).then(({ output }) => ({ stdout: output }));
      assert.match(stdout, /^v24\./);
      assert.match(server.readyLine, /transport="node \(h2, http\/1\.1\), node/);
      const config = parse(readFileSync(path.join(dataDir, 'admin.kubeconfig'), 'utf8')) as {
        clusters: { cluster: { server: string } }[];
      };
      const urls = config.clusters.map(({ cluster }) => cluster.server);
      assert.equal(urls.length, 2);
      const token = readFileSync(path.join(dataDir, 'pki', 'admin.token'), 'utf8').trim();
      const ca = readFileSync(path.join(dataDir, 'pki', 'ca.crt'), 'utf8');
      const target = '/api/v1/namespaces/default/configmaps?watch=1';
      const head = `GET ${target} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const watches = urls.map((url) => watchedUntil(url, head, ca, 'through every port'));
      const body = { metadata: { name: 'a' }, data: { text: 'through every port' } };
      const collection = '/api/v1/namespaces/default/configmaps';
      const created = await client.request('POST', collection, { body });
      assert.equal(created.status, 201);
      for (const seen of await Promise.all(watches)) assert.match(seen, /"type":"ADDED"/);
    } finally {
      client.close();
      const end = await server.stop();
      assert.equal(end.code, 0);
      assert.match(`${end.stdout}${end.stderr}`, /npm install @btc-vision\/uwebsockets\.js/);
    }
  });
});
