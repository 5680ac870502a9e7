/** What events cost a server, one at a time: the next is written when everybody has the last. */
import type { MeasuredProcess } from '../harness/process.ts';
import { measureUsage } from '../harness/usage.ts';
import type { Usage } from '../harness/usage.ts';
import { connectMany } from './http-client.ts';
import type { ClientConnection } from './http-client.ts';
import { objectName, replaceRequest } from './objects.ts';
import type { Watchers } from './deliveries.ts';

export interface Writing {
  readonly process: MeasuredProcess;
  readonly core: number | undefined;
  /** Each writes something new. */
  next(): Buffer;
}

export interface EventCost {
  /** Processor time of one event, all of it. */
  readonly microseconds: number;
  readonly usage: Usage;
}

const eventBytes = 1024;

/** `watchers` of whom `reached` get each event; absent: nobody watches. */
export async function eventCost(
  { process, core, next }: Writing,
  events: number,
  watchers?: Watchers,
  reached = watchers?.counts().length ?? 0,
): Promise<EventCost> {
  const [connection] = await connectMany(process.port, 1);
  const stop = measureUsage(process.pid, core);
  for (let i = 0; i < events; i += 1) {
    const all = (watchers?.deliveries ?? 0) + reached;
    await sent(connection as ClientConnection, next());
    await watchers?.reached(all);
  }
  const usage = stop();
  connection?.close();
  return { microseconds: (usage.serverCpuSeconds / events) * 1e6, usage };
}

/** Replaces `count` of the config maps `<prefix>-00000000` ... in turn. */
export function replacements(prefix: string, count: number): () => Buffer {
  let sequence = 10_000_000;
  return () => {
    sequence += 1;
    return replaceRequest(objectName(prefix, sequence % count), sequence, eventBytes);
  };
}

function sent(connection: ClientConnection, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(request, (status) =>
      status === 200 ? resolve() : reject(new Error(`a write was answered ${status}`)),
    );
  });
}
