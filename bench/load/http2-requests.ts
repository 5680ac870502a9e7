/** GETs of one thing over HTTP/2: so many connections, so many requests at a time on each. */
import http2 from 'node:http2';
import { rateOf } from '../harness/writes.ts';
import type { RequestRate } from '../harness/writes.ts';
import { measureUsage } from '../harness/usage.ts';
import { Http2Client } from './http2-client.ts';
import type { Http2Target } from './http2-client.ts';

export interface GetPlan extends Http2Target {
  readonly pid: number;
  /** Where it runs. */
  readonly core: number | undefined;
  readonly connections: number;
  readonly atOnce: number;
  readonly count: number;
  /** Of each answer. */
  readonly bodyBytes: number;
}

/** @throws when one is not answered 200 with as many bytes, or the server is silent. */
export async function measureGets(plan: GetPlan): Promise<RequestRate> {
  const { atOnce, bodyBytes, core, count, pid } = plan;
  let asked = 0;
  let answered = 0;
  let begun = 0;
  let bytes = 0;
  let onEnd: (failure?: Error) => void = () => undefined;
  const askMore = (client: Http2Client, wanted: number): void => {
    const more = Math.min(wanted, count - asked);
    if (more === 0) return;
    asked += more;
    client.ask(more);
  };
  const clients = Array.from({ length: plan.connections }, () => {
    let free = 0;
    const client: Http2Client = new Http2Client(plan, {
      begun: () => (begun += 1),
      data: (_, from, to) => (bytes += to - from),
      ended: () => (free += 1),
      // What a read has answered is followed by one write.
      read: () => {
        answered += free;
        askMore(client, free);
        free = 0;
        if (answered === count) onEnd();
      },
      lost: (why) => onEnd(new Error(`after ${answered} of ${count} answers: ${why}`)),
    });
    return client;
  });
  try {
    await Promise.all(clients.map((client) => client.connected()));
    const stop = measureUsage(pid, core);
    await new Promise<void>((resolve, reject) => {
      onEnd = (failure) => (failure === undefined ? resolve() : reject(failure));
      for (const client of clients) askMore(client, atOnce);
    });
    const usage = stop();
    if (begun !== count || bytes !== count * bodyBytes) {
      throw new Error(`${begun} answers and ${bytes} bytes instead of ${count} by ${bodyBytes}`);
    }
    return rateOf(count, usage);
  } finally {
    for (const client of clients) client.close();
  }
}

export interface Http2Answer {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One answer, as any client has it: what a floor is to say. */
export function captureHttp2({ path, port, token }: Http2Target): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const authorization = `Bearer ${token}`;
    const stream = session.request({ ':path': path, accept: 'application/json', authorization });
    let headers: Http2Answer['headers'] = {};
    let body = '';
    stream.setEncoding('utf8');
    stream.on('response', (given) => (headers = { ...given }));
    stream.on('data', (text: string) => (body += text));
    stream.on('end', () => {
      session.close();
      resolve({ headers, body });
    });
    stream.on('error', reject);
    session.on('error', reject);
  });
}
