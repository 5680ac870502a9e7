/** Storms of connections: of watches that begin and go, of requests that come in one turn. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectionPath, configMap, getRequest, requestBytes } from '../load/objects.ts';
import { fill } from '../load/prepare.ts';
import type { Place, Scene, Storm } from './storm.ts';
import { makeNamespace, readTogether, sendMany } from './storm.ts';

/** Of what it is sent it looks at the beginning alone. */
interface Client {
  readonly socket: net.Socket;
  /** Resolves with the first bytes of an answer. */
  readonly answered: Promise<string>;
}

const listenQueue = 100;

async function connected(place: Place, count: number): Promise<readonly Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const size = Math.min(listenQueue, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: size }, () => connect(place.port)))));
  }
  return clients;
}

function connect(port: number): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    const answered = new Promise<string>((answer) => {
      socket.once('data', (bytes) => {
        answer(bytes.toString('latin1', 0, 12));
        socket.resume();
      });
      socket.once('close', () => answer('closed'));
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.on('error', () => undefined);
      resolve({ socket, answered });
    });
  });
}

/** The server is stopped while they are sent, so that all of them wait for it in one turn. */
async function sendWhileStopped(
  place: Place,
  clients: readonly Client[],
  request: Buffer,
  expected: string,
): Promise<void> {
  process.kill(place.server.pid, 'SIGSTOP');
  try {
    for (const { socket } of clients) socket.write(request);
    await sleep(500);
  } finally {
    process.kill(place.server.pid, 'SIGCONT');
  }
  const seen = await Promise.all(clients.map(({ answered }) => answered));
  const others = seen.filter((each) => each !== `HTTP/1.1 ${expected}`);
  if (others.length > 0) throw new Error(`${others.length} were answered ${others[0]}`);
}

function go(clients: readonly Client[]): void {
  for (const { socket } of clients) socket.destroy();
}

/** Not at once, which is a storm of its own. */
async function goSlowly(clients: readonly Client[]): Promise<void> {
  for (let from = 0; from < clients.length; from += listenQueue) {
    go(clients.slice(from, from + listenQueue));
    await sleep(10);
  }
}

/** Until the server has seen that clients went. */
const settle = (place: Place): Promise<void> => sleep(place.of(2_000));

const bodiesStorm: Storm = {
  title: '4,000 bodies of 20 KB that come in one turn, the first of a process',
  async run(place) {
    const clients = await connected(place, place.of(4_000));
    const body = configMap('one', 0, 20_000);
    // Nobody may make it, for there is one already.
    await sendMany(place, 1, () => ({ method: 'POST', path: collectionPath, body }), 201);
    const request = requestBytes('POST', collectionPath, body);
    await sendWhileStopped(place, clients, request, '409');
    await goSlowly(clients);
  },
};

const waitingStorm: Storm = {
  title: '4,000 requests that come in one turn',
  async run(place) {
    const clients = await connected(place, place.of(4_000));
    await sendWhileStopped(place, clients, getRequest(`${collectionPath}/one`), '200');
    await goSlowly(clients);
  },
};

const goingStorm: Storm = {
  title: '9,000 connections that go at once',
  async run(place) {
    const clients = await connected(place, place.of(9_000));
    process.kill(place.server.pid, 'SIGSTOP');
    go(clients);
    await sleep(500);
    process.kill(place.server.pid, 'SIGCONT');
    await settle(place);
  },
};

const quiet = '/api/v1/namespaces/quiet/configmaps';

const watchesStorm: Storm = {
  title: '9,000 watches of a namespace begin, and go while 1,000 lists of 2,000 objects run',
  async prepare(place) {
    await makeNamespace(place, 'quiet');
    await fill(place.port, 'listed', place.of(2_000), 1_000);
  },
  async run(place) {
    await place.watch(`${quiet}?watch=1`, place.of(9_000));
    const lists = readTogether(place, place.of(1_000), collectionPath);
    place.endWatches();
    await lists;
    await settle(place);
  },
};

/** One of its own for each watch. */
const selectors: Record<string, (index: number) => string> = {
  'a label that no object has': (i) => `labelSelector=mine%3Dv${i}`,
  'a label that all objects have in another form': (i) => `labelSelector=mine!%3Dv${i}`,
  'twenty labels': (i) => {
    const each = Array.from({ length: 20 }, (_, k) => `l${k} notin (v${i},w${i})`);
    return `labelSelector=${encodeURIComponent(each.join(','))}`;
  },
  'a name that is another one': (i) => `fieldSelector=metadata.name!%3Dn${i}`,
};

const selectedStorms: readonly Storm[] = Object.entries(selectors).map(([what, selector]) => ({
  title: `1,000 objects are made under 9,000 watches, each of ${what}`,
  prepare: async (place) => {
    if (what.includes('no object')) await makeNamespace(place, 'quiet');
    // That they go at once is a storm of its own.
    place.endWatches();
    await settle(place);
    await place.watch((i) => `${quiet}?watch=1&${selector(i)}`, place.of(9_000));
  },
  async run(place) {
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'c-', labels: { mine: 'yes', l1: `${i}` } },
    });
    const post = (i: number) => ({ method: 'POST', path: quiet, body: made(i) });
    await sendMany(place, place.of(1_000), post, 201);
  },
}));

const upgrade = [
  `GET ${quiet}?watch=1 HTTP/1.1`,
  'Host: bench',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n');

const webSocketStorm: Storm = {
  title: '1,000 watches over WebSocket that begin and go',
  async run(place) {
    const clients = await connected(place, place.of(1_000));
    for (const { socket } of clients) socket.write(upgrade);
    const seen = await Promise.all(clients.map(({ answered }) => answered));
    if (seen.some((each) => each !== 'HTTP/1.1 101')) throw new Error('one was refused');
    go(clients);
    await settle(place);
  },
};

export const connectionScenes: readonly Scene[] = [
  { storms: selectedStorms },
  { storms: [bodiesStorm, waitingStorm, goingStorm, watchesStorm, webSocketStorm] },
];
