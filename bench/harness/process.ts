/**
 * Measured processes: the server, and the floors it is compared with. Each is started on the
 * server's core, says when it is ready, and is asked things through inside.ts.
 *
 * Invariant: a process that was started here is stopped by stop(), and its directory removed.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onCore } from './cores.ts';
import type { InsideReply, InsideRequest, Turn } from './inside.ts';

export interface MeasuredProcess {
  readonly pid: number;
  readonly port: number;
  /** Of the same server over TLS, where it was started with it. */
  readonly securePort: number | undefined;
  /** The one of its TLS ports that is for tokens. */
  readonly tokenPort: number | undefined;
  /** Collects garbage, twice. */
  collectGarbage(): Promise<void>;
  /** Resident bytes of its young generation. */
  youngBytes(): Promise<number>;
  startTurns(): Promise<void>;
  /** The longest turn of the event loop since then. */
  stopTurns(): Promise<Turn>;
  startPauses(): Promise<void>;
  /** Pauses of its garbage collector since then, in milliseconds each. */
  stopPauses(): Promise<readonly number[]>;
  startProfile(): Promise<void>;
  /** Writes a .cpuprofile. */
  stopProfile(file: string): Promise<void>;
  /** Any other request the process knows. */
  ask(request: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;

/** The built tree: this file is <root>/bench/harness/process.js. */
const builtRoot = path.join(import.meta.dirname, '..', '..');

/** The plain port; the secure one where there is one, which then stands first; that for tokens. */
const urlsOf = new RegExp(
  'url=(?:https://[^ ]*:(?<secure>\\d+) http=)?http://[^ ]*:(?<port>\\d+)' +
    '(?: tokens=https://[^ ]*:(?<tokens>\\d+))?',
);

/** `program`: which Node runs it. */
export function startSluice(
  core: number | undefined,
  flags: readonly string[] = [],
  program = process.execPath,
): Promise<MeasuredProcess> {
  const argumentsIn = (directory: string): readonly string[] => [
    'serve',
    '--http-port=0',
    // What is measured is serving; access has a bench of its own.
    '--secure-port=off',
    '--authorization-mode=AlwaysAllow',
    '--anonymous-auth=true',
    // Nor the seats of priority levels, which one caller has few of; requests are classified.
    '--max-requests-inflight=0',
    '--max-mutating-requests-inflight=0',
    `--data-dir=${path.join(directory, 'data')}`,
    '--log-level=error',
    ...flags,
  ];
  return start(core, 'bin/sluice.js', urlsOf, argumentsIn, program);
}

const floorPorts = /port=(?<port>\d+) secure=(?<secure>\d+)/;

export function startUwsFloor(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/floors/uws-floor.js', floorPorts, (directory) => [directory]);
}

export function startNodeFloor(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/floors/node-floor.js', floorPorts, () => []);
}

/** Its secure port speaks HTTP/2. */
export function startNodeHttp2Floor(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/floors/node-floor.js', floorPorts, () => ['http2']);
}

export function startLmdbFloor(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/floors/lmdb-floor.js', /ready: (?<port>0)/, (directory) => [directory]);
}

export function startCodecs(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/harness/codec-process.js', /ready: (?<port>0)/, () => []);
}

/** `clusterAndStore`: the cluster file, and the prefix that the floor writes under. */
export function startFdbFloor(
  core: number | undefined,
  clusterAndStore: readonly [string, string],
): Promise<MeasuredProcess> {
  return start(core, 'bench/floors/fdb-floor.js', /ready: (?<port>0)/, () => clusterAndStore);
}

export function startAuthorization(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/harness/authorization-process.js', /ready: (?<port>0)/, () => []);
}

export function startTokens(core: number | undefined): Promise<MeasuredProcess> {
  return start(core, 'bench/harness/token-process.js', /ready: (?<port>0)/, () => []);
}

async function start(
  core: number | undefined,
  entry: string,
  ready: RegExp,
  argumentsIn: (directory: string) => readonly string[],
  program = process.execPath,
): Promise<MeasuredProcess> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  const inside = path.join(builtRoot, 'bench/harness/inside.js');
  const script = path.join(builtRoot, entry);
  const node = [program, ...ownFlags(script), '--expose-gc', '--import', inside];
  const [command = '', ...rest] = onCore(core, [...node, script, ...argumentsIn(directory)]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  try {
    return measured(child, await readyLine(child, ready), directory);
  } catch (error) {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** What the engine is told by the first line of a program: as its users start it. */
function ownFlags(script: string): readonly string[] {
  const [first = ''] = readFileSync(script, 'utf8').split('\n', 1);
  return /^#!\/usr\/bin\/env -S node (.*)$/.exec(first)?.[1]?.split(' ') ?? [];
}

type Ports = Readonly<Record<string, string | undefined>>;

function readyLine(child: ChildProcess, ready: RegExp): Promise<Ports> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => fail('said nothing in time'), START_TIMEOUT_MS);
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(`a measured process ${why}: ${child.spawnargs.join(' ')}\n${output}`));
    };
    const take = (text: Buffer): void => {
      output += text.toString();
      const found = ready.exec(output)?.groups;
      if (found === undefined) return;
      clearTimeout(timer);
      child.stdout?.off('data', take).resume();
      child.stderr?.off('data', take).pipe(process.stderr);
      resolve(found);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code) => fail(`ended with ${code}`));
  });
}

function measured(
  child: ChildProcess,
  { port, secure, tokens }: Ports,
  directory: string,
): MeasuredProcess {
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  let asked = 0;
  let stopping = false;
  child.once('exit', (code, signal) => {
    if (!stopping) console.error(`${child.spawnargs.join(' ')}\nended: ${code ?? signal}`);
  });
  const ask = (request: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = (asked += 1);
      const gone = (): void => reject(new Error('the measured process ended'));
      if (!child.connected) return gone();
      const take = (reply: InsideReply): void => {
        if (reply.id !== id) return;
        child.off('message', take);
        child.off('exit', gone);
        resolve(reply.result);
      };
      child.on('message', take);
      child.once('exit', gone);
      child.send({ id, request } satisfies InsideRequest);
    });
  return {
    pid: child.pid as number,
    port: Number(port),
    securePort: numberOf(secure),
    tokenPort: numberOf(tokens),
    collectGarbage: async () => void (await ask({ kind: 'gc' })),
    youngBytes: async () => (await ask({ kind: 'young-bytes' })) as number,
    startTurns: async () => void (await ask({ kind: 'turns-start' })),
    stopTurns: async () => (await ask({ kind: 'turns-stop' })) as Turn,
    startPauses: async () => void (await ask({ kind: 'pauses-start' })),
    stopPauses: async () => (await ask({ kind: 'pauses-stop' })) as readonly number[],
    startProfile: async () => void (await ask({ kind: 'profile-start' })),
    stopProfile: async (file) => void (await ask({ kind: 'profile-stop', file })),
    ask,
    async stop() {
      stopping = true;
      await ended(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
