/**
 * Definitions of custom resources where things go wrong: kill -9 while they are made, changed and
 * deleted under writers; and several workers over one store.
 *
 * SLUICE_CRASH_ROUNDS (default 3) and SLUICE_CRASH_SEED (default random, printed) set the run.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, test } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { connectionTo, workersAt } from '../support/clients/worker-clients.ts';
import { conditionsOf, definition, definitionsPath } from '../support/data/custom-definitions.ts';
import { temporaryDirectories } from '../support/data/lmdb-directory.ts';
import { startServer } from '../support/servers/server-process.ts';

const rounds = Number(process.env['SLUICE_CRASH_ROUNDS'] ?? 3);
const seed = Number(process.env['SLUICE_CRASH_SEED'] ?? Date.now() % 1_000_000);
const directories = temporaryDirectories('sluice-definitions');
after(() => directories.removeAll());

const flags = ['--log-level=error', '--identity=kubernetes'];
const lasting = 'lasts';
const passing = ['p0s', 'p1s', 'p2s'];
const writersCount = 8;

function definitionOf(plural: string): JsonObject {
  return definition({ plural, kind: `Kind${plural}` });
}

function pathOf(plural: string): string {
  return `/apis/shop.example/v1/namespaces/default/${plural}`;
}

function objectOf(plural: string, name: string): JsonObject {
  return { apiVersion: 'shop.example/v1', kind: `Kind${plural}`, metadata: { name } };
}

function ownPath(plural: string): string {
  return `${definitionsPath}/${plural}.shop.example`;
}

async function isEstablished(connection: HttpConnection, plural: string): Promise<boolean> {
  const { status, value } = await connection.json<JsonObject>('GET', ownPath(plural));
  return status === 200 && conditionsOf(value)['Established']?.startsWith('True') === true;
}

/** Until the server dies: it makes objects, and remembers those that it was told of. */
async function writeObjects(port: number, id: string, made: Set<string>): Promise<void> {
  const connection = new HttpConnection(port);
  try {
    for (let n = 0; ; n += 1) {
      const name = `${id}-${n}`;
      const body = objectOf(lasting, name);
      const { status } = await connection.json('POST', pathOf(lasting), body);
      assert.equal(status, 201);
      made.add(name);
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  } finally {
    connection.close();
  }
}

/** Until the server dies: makes a definition and objects of it, changes it, deletes it. */
async function churn(port: number, plural: string, prng: Prng): Promise<void> {
  const connection = new HttpConnection(port);
  try {
    for (;;) {
      await connection.json('POST', definitionsPath, definitionOf(plural));
      while (!(await isEstablished(connection, plural))) await pause(2);
      const count = randomBelow(prng, 20);
      for (let n = 0; n < count; n += 1) {
        const { status } = await connection.json('POST', pathOf(plural), objectOf(plural, `o${n}`));
        assert.ok(status === 201 || status === 409, String(status));
      }
      const { value } = await connection.json<JsonObject>('GET', ownPath(plural));
      const spec = part(value, 'spec');
      const [version = {}] = objects(spec, 'versions');
      const versions = [{ ...version, deprecated: randomBelow(prng, 2) === 0 }];
      await connection.json('PUT', ownPath(plural), { ...value, spec: { ...spec, versions } });
      await connection.json('DELETE', ownPath(plural), undefined);
      for (let gone = false; !gone;) {
        const late = await connection.json('POST', pathOf(plural), objectOf(plural, 'late'));
        assert.ok([201, 404, 405].includes(late.status), String(late.status));
        gone = (await connection.json('GET', ownPath(plural))).status === 404;
      }
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  } finally {
    connection.close();
  }
}

async function namesIn(connection: HttpConnection, plural: string): Promise<Set<string>> {
  const { status, value } = await connection.json<JsonObject>('GET', pathOf(plural));
  assert.equal(status, 200, plural);
  return new Set(objects(value, 'items').map((item) => String(part(item, 'metadata')['name'])));
}

/** What was being deleted goes on to its end; what is made anew has nothing of before. */
async function checkPassing(connection: HttpConnection, plural: string): Promise<void> {
  const { status, value } = await connection.json<JsonObject>('GET', ownPath(plural));
  const isEnding = part(value, 'metadata')['deletionTimestamp'] !== undefined;
  if (status === 200 && !isEnding) {
    await eventually(`${plural} is served`, () => isEstablished(connection, plural));
    await connection.json('DELETE', ownPath(plural), undefined);
  }
  await eventually(`${plural} is gone`, async () => {
    return (await connection.json('GET', ownPath(plural))).status === 404;
  });
  await connection.json('POST', definitionsPath, definitionOf(plural));
  await eventually(`${plural} is served anew`, () => isEstablished(connection, plural));
  assert.deepEqual([...(await namesIn(connection, plural))], [], `${plural} is empty`);
  await connection.json('DELETE', ownPath(plural), undefined);
  await eventually(`${plural} is gone again`, async () => {
    return (await connection.json('GET', ownPath(plural))).status === 404;
  });
}

test(`kill -9: objects of a definition that lives stay, of one that goes none is left (seed ${seed})`, async () => {
  const prng = seededPrng(seed);
  const dataDir = path.join(directories.make(), 'data');
  const made = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer({ dataDir, flags });
    const connection = new HttpConnection(server.port);
    if (round === 0) await connection.json('POST', definitionsPath, definitionOf(lasting));
    await eventually('it is served', () => isEstablished(connection, lasting));
    const there = await namesIn(connection, lasting);
    for (const name of made) assert.ok(there.has(name), `${name} is lost`);
    for (const plural of passing) await checkPassing(connection, plural);
    connection.close();
    const work = [
      ...Array.from({ length: writersCount }, (_, i) =>
        writeObjects(server.port, `r${round}-w${i}`, made),
      ),
      ...passing.map((plural) => churn(server.port, plural, prng)),
    ];
    await pause(200 + randomBelow(prng, 1200));
    await server.kill();
    await Promise.all(work);
  }
  assert.ok(made.size > 0);
  const server = await startServer({ dataDir, flags });
  const connection = new HttpConnection(server.port);
  const there = await namesIn(connection, lasting);
  for (const name of made) assert.ok(there.has(name), `${name} is lost`);
  for (const plural of passing) await checkPassing(connection, plural);
  connection.close();
  assert.equal((await server.stop()).code, 0);
});

test('every worker over one store serves what is defined at one of them', async () => {
  const dataDir = path.join(directories.make(), 'data');
  const server = await startServer({ dataDir, flags: [...flags, '--workers=2'] });
  const workers = await workersAt(server.port, 2);
  const [one, two] = await Promise.all(
    [...workers.values()].map((pid) => connectionTo(server.port, pid)),
  );
  assert.ok(one !== undefined && two !== undefined);
  await one.json('POST', definitionsPath, definitionOf('shared'));
  for (const each of [one, two]) {
    await eventually('it is served', async () => {
      return (await each.json('GET', pathOf('shared'))).status === 200;
    });
  }
  for (const [at, each] of [one, two].entries()) {
    const body = objectOf('shared', `by-${at}`);
    assert.equal((await each.json('POST', pathOf('shared'), body)).status, 201);
  }
  for (const each of [one, two]) {
    assert.deepEqual([...(await namesIn(each, 'shared'))], ['by-0', 'by-1']);
  }
  await two.json('DELETE', ownPath('shared'), undefined);
  for (const each of [one, two]) {
    await eventually('it is gone', async () => {
      return (await each.json('GET', pathOf('shared'))).status === 404;
    });
  }
  one.close();
  two.close();
  assert.equal((await server.stop()).code, 0);
});
