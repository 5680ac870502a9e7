/**
 * Objects and writes for tests with real servers: a collection filled over many connections, and a
 * paced stream of changes that remembers what was acknowledged.
 */
import assert from 'node:assert/strict';
import { randomBelow } from '../../../src/stdx/prng.ts';
import type { Prng } from '../../../src/stdx/prng.ts';
import { HttpConnection } from '../clients/http-connection.ts';
import type { StoredObject } from '../clients/watch-client.ts';

export const configMaps = '/api/v1/namespaces/default/configmaps';

/** A config map of about `bytes` bytes as JSON. */
export function configMap(name: string, text: string, bytes: number): object {
  const padding = 'x'.repeat(Math.max(0, bytes - 320 - text.length));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text, padding } };
}

/** Creates `count` objects `o0`, `o1`, ... over `connections` connections. */
export async function fill(
  port: number,
  count: number,
  bytes: number,
  connections = 100,
): Promise<void> {
  let next = 0;
  const creator = async (): Promise<void> => {
    const connection = new HttpConnection(port);
    while (next < count) {
      const name = `o${next++}`;
      const body = JSON.stringify(configMap(name, 'first', bytes));
      const { status } = await connection.request('POST', configMaps, body);
      assert.equal(status, 201, name);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, creator));
}

export interface PacedWriter {
  /** Revision of every acknowledged creation and replacement. */
  readonly revisions: bigint[];
  /** Stops; resolves when every write has its answer. */
  stop(): Promise<void>;
}

export interface PacedWriterOptions {
  readonly port: number;
  readonly perSecond: number;
  readonly prng: Prng;
  /** Objects `o0` ... that are replaced; others are made and deleted. */
  readonly count: number;
  readonly bytes: number;
}

/** Half of the writes replace one of the filled objects, the others make or delete one. */
export function startWriter({
  port,
  perSecond,
  prng,
  count,
  bytes,
}: PacedWriterOptions): PacedWriter {
  const revisions: bigint[] = [];
  const idle: HttpConnection[] = Array.from({ length: 50 }, () => new HttpConnection(port));
  const made: string[] = [];
  const open = new Set<Promise<void>>();
  let failure: Error | undefined;
  let sequence = 0;

  async function writeOne(connection: HttpConnection): Promise<void> {
    const draw = randomBelow(prng, 4);
    if (draw === 0 && made.length > 0) {
      const name = made.splice(randomBelow(prng, made.length), 1)[0] as string;
      const { status } = await connection.request('DELETE', `${configMaps}/${name}`);
      assert.equal(status, 200, name);
      return;
    }
    sequence += 1;
    const isNew = draw === 1;
    const name = isNew ? `made${sequence}` : `o${randomBelow(prng, count)}`;
    const [method, target] = isNew ? ['POST', configMaps] : ['PUT', `${configMaps}/${name}`];
    const body = configMap(name, `change ${sequence}`, bytes);
    const { status, value } = await connection.json<StoredObject>(method, target, body);
    assert.equal(status, isNew ? 201 : 200, `${name}: ${JSON.stringify(value)}`);
    if (isNew) made.push(name);
    revisions.push(BigInt(value.metadata.resourceVersion));
  }

  const startedMs = performance.now();
  let given = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedMs) / 1000) * perSecond;
    while (given < due) {
      given += 1;
      const connection = idle.pop();
      // All connections busy: this write is not made up for later.
      if (connection === undefined) continue;
      const write = writeOne(connection).then(
        () => {
          idle.push(connection);
          open.delete(write);
        },
        (error: Error) => {
          failure ??= error;
          open.delete(write);
        },
      );
      open.add(write);
    }
  }, 5);

  return {
    revisions,
    async stop() {
      clearInterval(timer);
      while (open.size > 0) await Promise.all(open);
      for (const connection of idle) connection.close();
      if (failure !== undefined) throw failure;
    },
  };
}
