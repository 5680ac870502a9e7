/**
 * A controller on the reference's client library (test/support/widget-controller) for a kind that
 * its user defines: informers, a queue, leader election. It does its work across kill -9 of the
 * server, and another takes over from it.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildGo, findGo, runGoClient } from '../support/clients/go-client.ts';
import type { GoClient } from '../support/clients/go-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { conditionsOf, definition, definitionsPath } from '../support/data/custom-definitions.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';
import { freePort } from '../support/servers/free-port.ts';

const found = findGo();
const skip = found.kind === 'missing' ? found.reason : false;
const directories = testDirectories('sluice-controller');
after(() => directories.removeAll());

const widgets = '/apis/shop.example/v1/namespaces/default/widgets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const configMaps = '/api/v1/namespaces/default/configmaps';
const count = 20;

const integers = { type: 'object', properties: { replicas: { type: 'integer', minimum: 0 } } };
const status = {
  type: 'object',
  properties: { ...integers.properties, observedGeneration: { type: 'integer' } },
};
const widgetType = definition({
  plural: 'widgets',
  kind: 'Widget',
  properties: { spec: integers, status },
  version: { subresources: { status: {} } },
});

/** One request on a connection of its own: the server may have been another a moment ago. */
async function ask(
  port: number,
  method: string,
  target: string,
  body?: JsonObject,
): Promise<{ readonly status: number; readonly value: JsonObject }> {
  const connection = new HttpConnection(port);
  try {
    return await connection.json<JsonObject>(method, target, body);
  } finally {
    connection.close();
  }
}

async function make(port: number, name: string, replicas: number): Promise<void> {
  const body = {
    apiVersion: 'shop.example/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { replicas },
  };
  assert.equal((await ask(port, 'POST', widgets, body)).status, 201);
}

async function scale(port: number, name: string, replicas: number): Promise<void> {
  for (;;) {
    const { value } = await ask(port, 'GET', `${widgets}/${name}`);
    const next = { ...value, spec: { replicas } };
    const reply = await ask(port, 'PUT', `${widgets}/${name}`, next);
    if (reply.status === 200) return;
    assert.equal(reply.status, 409);
  }
}

/** Until the widget, what was made for it and what is said of it agree. */
function whenKept(port: number, name: string, replicas: number): Promise<void> {
  return eventually(`${name} has ${replicas}`, async () => {
    const widget = await ask(port, 'GET', `${widgets}/${name}`);
    const { generation } = part(widget.value, 'metadata');
    const said = part(widget.value, 'status');
    if (said['replicas'] !== replicas || said['observedGeneration'] !== generation) return false;
    const deployment = await ask(port, 'GET', `${deployments}/${name}`);
    const map = await ask(port, 'GET', `${configMaps}/${name}`);
    return part(deployment.value, 'spec')['replicas'] === replicas && map.status === 200;
  });
}

const isGone = (port: number, name: string): Promise<void> =>
  eventually(`nothing is left of ${name}`, async () => {
    const targets = [widgets, deployments, configMaps].map((each) => `${each}/${name}`);
    const replies = await Promise.all(targets.map((target) => ask(port, 'GET', target)));
    return replies.every((reply) => reply.status === 404);
  });

test('a controller of a custom type works across kill -9 of the server', { skip }, async () => {
  assert.ok(found.kind === 'found');
  const program = await buildGo(found, path.resolve('test/support/widget-controller'));
  const port = await freePort();
  const dataDir = path.join(directories.make(), 'data');
  const flags = ['--log-level=error', '--identity=kubernetes', `--http-port=${port}`];
  let server = await startServer({ dataDir, flags });
  assert.equal((await ask(port, 'POST', definitionsPath, widgetType)).status, 201);
  await eventually('it is served', async () => {
    const { value } = await ask(port, 'GET', `${definitionsPath}/widgets.shop.example`);
    return conditionsOf(value)['Established']?.startsWith('True') === true;
  });
  const started = (name: string): GoClient =>
    runGoClient(program, [`http://127.0.0.1:${port}`, name]);
  const names = Array.from({ length: count }, (_, at) => `w${at}`);
  const first = started('first');
  await first.next(({ what }) => what === 'synced');
  const second = started('second');
  for (const [at, name] of names.entries()) await make(port, name, at);
  for (const [at, name] of names.entries()) await whenKept(port, name, at);

  await scale(port, 'w1', 7);
  await server.kill();
  server = await startServer({ dataDir, flags });
  await scale(port, 'w2', 8);
  await ask(port, 'DELETE', `${widgets}/w3`);
  // What somebody else takes away comes back.
  await ask(port, 'DELETE', `${configMaps}/w4`);
  await make(port, 'late', 2);
  for (const [name, replicas] of [
    ['w1', 7],
    ['w2', 8],
    ['w4', 4],
    ['late', 2],
  ] as const) {
    await whenKept(port, name, replicas);
  }
  await isGone(port, 'w3');

  assert.deepEqual(second.lines, [], 'one of them leads');
  const leads = second.next(({ what }) => what === 'synced');
  first.end();
  await first.ended;
  await leads;
  await scale(port, 'w5', 9);
  await whenKept(port, 'w5', 9);
  const { value } = await ask(port, 'GET', deployments);
  assert.equal((value['items'] as readonly unknown[]).length, count);
  second.end();
  await second.ended;
  assert.equal((await server.stop()).code, 0);
});
