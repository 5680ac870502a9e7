/**
 * The messages between the primary process and its workers, beside the store's channel.
 *
 *   worker ─ online ▶ primary ─ begin ▶ worker ─ ready ▶ primary   ...   primary ─ stop ▶ worker
 */
import type { WorkerPorts } from '../compose/server.ts';

export type ToWorker = BeginWorker | StopWorker;

/** Serve on these ports, under this number (1 and up; it stays with the worker's successor). */
interface BeginWorker {
  readonly kind: 'begin';
  readonly worker: number;
  readonly ports: WorkerPorts;
  /** No other worker serves. */
  readonly isFirst: boolean;
}

interface StopWorker {
  readonly kind: 'stop';
}

export type ToPrimary =
  /** The process runs and listens to messages. */
  { readonly kind: 'online' } | WorkerReady;

export interface WorkerReady {
  readonly kind: 'ready';
  readonly url: string;
  readonly httpUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  /** Adapter and binary, for the ready line. */
  readonly transport: string;
}

/** The pipe between store server and client, in the worker: behind stdio and the messages. */
export const storeChannelFd = 4;
