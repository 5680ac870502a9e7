/**
 * Definitions of custom resources where things go wrong: kill -9 while they are made, changed and
 * deleted under writers. It comes after so many answers that chance says.
 *
 * SLUICE_CRASH_ROUNDS (default 1) and SLUICE_CRASH_SEED (default random, printed) set the run.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, test } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { conditionsOf, definition, definitionsPath } from '../support/data/custom-definitions.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';

const rounds = Number(process.env['SLUICE_CRASH_ROUNDS'] ?? 1);
const seed = Number(process.env['SLUICE_CRASH_SEED'] ?? Date.now() % 1_000_000);
const directories = testDirectories('sluice-definitions');
after(() => directories.removeAll());

const flags = ['--log-level=error', '--identity=kubernetes'];
const lasting = 'lasts';
const passing = ['p0s', 'p1s', 'p2s'];
const writersCount = 4;
/** The server dies after as many answers at least, and after up to `answersMore` more. */
const answersMin = 50;
const answersMore = 400;

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

/** What was answered since the server came up. */
interface Progress {
  answers: number;
}

/** Until the server dies: it makes objects, and remembers those that it was told of. */
async function writeObjects(
  port: number,
  id: string,
  made: Set<string>,
  progress: Progress,
): Promise<void> {
  const connection = new HttpConnection(port);
  try {
    for (let n = 0; ; n += 1) {
      const name = `${id}-${n}`;
      const body = objectOf(lasting, name);
      const { status } = await connection.json('POST', pathOf(lasting), body);
      assert.equal(status, 201);
      made.add(name);
      progress.answers += 1;
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  } finally {
    connection.close();
  }
}

/** Until the server dies: makes a definition and objects of it, changes it, deletes it. */
async function churn(port: number, plural: string, prng: Prng, progress: Progress): Promise<void> {
  const connection = new HttpConnection(port);
  try {
    for (;;) {
      await connection.json('POST', definitionsPath, definitionOf(plural));
      progress.answers += 1;
      while (!(await isEstablished(connection, plural))) await nextTurn();
      const count = randomBelow(prng, 20);
      for (let n = 0; n < count; n += 1) {
        const { status } = await connection.json('POST', pathOf(plural), objectOf(plural, `o${n}`));
        assert.ok(status === 201 || status === 409, String(status));
        progress.answers += 1;
      }
      const { value } = await connection.json<JsonObject>('GET', ownPath(plural));
      const spec = part(value, 'spec');
      const [version = {}] = objects(spec, 'versions');
      const versions = [{ ...version, deprecated: randomBelow(prng, 2) === 0 }];
      await connection.json('PUT', ownPath(plural), { ...value, spec: { ...spec, versions } });
      await connection.json('DELETE', ownPath(plural), undefined);
      progress.answers += 1;
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
}

/** Nothing acknowledged is lost, and nothing that was deleted has left anything. */
async function check(port: number, made: ReadonlySet<string>): Promise<void> {
  const connection = new HttpConnection(port);
  await eventually('it is served', () => isEstablished(connection, lasting));
  const there = await namesIn(connection, lasting);
  for (const name of made) assert.ok(there.has(name), `${name} is lost`);
  connection.close();
  await Promise.all(
    passing.map(async (plural) => {
      const own = new HttpConnection(port);
      await checkPassing(own, plural);
      own.close();
    }),
  );
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
    connection.close();
    if (round > 0) await check(server.port, made);
    const progress: Progress = { answers: 0 };
    const work = Promise.all([
      ...Array.from({ length: writersCount }, (_, i) =>
        writeObjects(server.port, `r${round}-w${i}`, made, progress),
      ),
      ...passing.map((plural) => churn(server.port, plural, prng, progress)),
    ]);
    const enough = answersMin + randomBelow(prng, answersMore);
    // One of them that fails ends the test, and not only what is counted here.
    await Promise.race([
      work,
      eventually('there were answers', () => progress.answers >= enough && made.size > 0),
    ]);
    await server.kill();
    await work;
  }
  assert.ok(made.size > 0);
  const server = await startServer({ dataDir, flags });
  await check(server.port, made);
  assert.equal((await server.stop()).code, 0);
});
