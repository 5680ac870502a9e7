/** Request rates: of the server, and of the load generator against an answer that costs nothing. */
import { decodeObject, encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import type { StoreKey } from '../../src/storage/storage.ts';
import { connectMany, drive } from '../load/http-client.ts';
import type { MeasuredProcess } from './process.ts';
import type { Bench } from './scenario.ts';
import { seriesOf } from './series.ts';
import { measureUsage } from './usage.ts';
import type { Usage } from './usage.ts';

export interface RequestRate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly usage: Usage;
}

export interface RequestTarget extends Pick<MeasuredProcess, 'pid' | 'port'> {
  /** Over TLS. */
  readonly secure?: boolean;
}

/** @throws when an answer has another status than `expected`. */
export async function measureRequests(
  bench: Bench,
  target: RequestTarget,
  connectionsCount: number,
  count: number,
  expected: number,
  requestOf: (index: number) => Buffer,
): Promise<RequestRate> {
  // Made before the clock starts: the load generator shall only send.
  const requests = Array.from({ length: count }, (_, i) => requestOf(i));
  const connections = await connectMany(target.port, connectionsCount, target.secure);
  const stop = measureUsage(target.pid, bench.cores.server);
  const { statuses } = await drive(connections, count, (i) => requests[i] as Buffer);
  const usage = stop();
  for (const connection of connections) connection.close();
  if (statuses[expected] !== count) {
    throw new Error(`not all were answered ${expected}: ${JSON.stringify(statuses)}`);
  }
  return rateOf(count, usage);
}

/** `count` of whatever was done meanwhile. */
export function rateOf(count: number, usage: Usage): RequestRate {
  return {
    perSecond: count / usage.seconds,
    perCpuSecond: count / usage.serverCpuSeconds,
    usage,
  };
}

/** Bytes of the stored record of an object, given as the server answers it. */
export function createRecordBytes(text: string): number {
  const decoded = decodeObject(Buffer.from(text));
  const { bytes, metadataAt } = encodeObject(decoded);
  const uid = String(decoded.metadata.uid);
  const record = { uid, labels: {}, fields: {}, metadataAt, object: bytes };
  // Of any key: all checksums have one length.
  return encodeRecord(record, { key: '' as StoreKey, state: 'live' }).byteLength;
}

/** What the load generator can do, measured between the rounds that need it. */
export class LoadProof {
  readonly #bench: Bench;
  readonly #bare: MeasuredProcess;
  readonly #connectionsCount: number;
  readonly #rates: number[] = [];

  constructor(bench: Bench, bare: MeasuredProcess, connectionsCount: number) {
    this.#bench = bench;
    this.#bare = bare;
    this.#connectionsCount = connectionsCount;
  }

  /** Requests a second of this round. */
  async round(count: number, requestOf: (index: number) => Buffer): Promise<number> {
    const { perSecond } = await measureRequests(
      this.#bench,
      this.#bare,
      this.#connectionsCount,
      count,
      201,
      requestOf,
    );
    this.#rates.push(perSecond);
    return perSecond;
  }

  result(): Record<string, unknown> {
    return { barePerSecond: seriesOf(this.#rates) };
  }

  note(): string {
    const { median } = seriesOf(this.#rates);
    return `the load reaches ${Math.round(median)} requests/s where answers cost nothing`;
  }
}
