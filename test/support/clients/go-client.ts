/**
 * The program in test/conformance/client-go: built where Go and the reference's client library are
 * installed, and run as a child process that says what it finds in lines of JSON.
 *
 *     SLUICE_GOPATH   where the library is, in src/; /usr/share/gocode (of Debian) by default
 *     SLUICE_GO       the go command; else the one on the PATH, or of Debian's beside SLUICE_GOPATH
 *
 * Invariant: nothing is fetched; what is not installed is a reason to skip, in one line.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

const clientFolder = path.resolve('test/conformance/client-go');
const library = 'src/k8s.io/client-go';
/** Milliseconds; the first build makes the whole library. */
const buildMsMax = 900_000;
/** Milliseconds after which a program that does not end is ended. */
const runMsMax = 300_000;

export interface GoTools {
  readonly kind: 'found';
  readonly go: string;
  readonly goPath: string;
  /** Of the library. */
  readonly root: string;
}

export type FoundGo = GoTools | { readonly kind: 'missing'; readonly reason: string };

export function findGo(): FoundGo {
  const found = findGoWith(library);
  if (found.kind === 'missing') return found;
  const { goPath, root } = found;
  const watcher = path.join(root, 'tools', 'watch', 'retrywatcher.go');
  if (!readFileSync(watcher, 'utf8').includes('func NewRetryWatcherWithContext(')) {
    return { kind: 'missing', reason: `client-go in ${goPath} is older than 0.33` };
  }
  return found;
}

/** Go, and where one of its libraries is: `src/k8s.io/client-go`. */
export function findGoWith(wanted: string): FoundGo {
  const goPath = process.env['SLUICE_GOPATH'] ?? '/usr/share/gocode';
  const root = goPath
    .split(path.delimiter)
    .map((each) => path.join(each, wanted))
    .find((each) => existsSync(each));
  if (root === undefined) {
    return { kind: 'missing', reason: `no ${wanted} in ${goPath} (SLUICE_GOPATH)` };
  }
  const candidates = [process.env['SLUICE_GO'], onPath(), debianGo(goPath)];
  const go = candidates.find((each) => each !== undefined && existsSync(each));
  if (go === undefined) return { kind: 'missing', reason: 'no go command (SLUICE_GO)' };
  return { kind: 'found', go, goPath, root };
}

function onPath(): string | undefined {
  try {
    return execFileSync('which', ['go'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Packages that were only unpacked lie beside each other: share/gocode and lib/go. */
function debianGo(goPath: string): string {
  const first = goPath.split(path.delimiter)[0] ?? '';
  return path.join(first, '..', '..', 'lib', 'go', 'bin', 'go');
}

export const buildGoClient = (tools: GoTools): Promise<string> => buildGo(tools, clientFolder);

/** Where the built program is; built anew when the sources have changed. */
export async function buildGo({ go, goPath }: GoTools, sourceFolder: string): Promise<string> {
  const sources = readdirSync(sourceFolder)
    .filter((file) => file.endsWith('.go'))
    .sort();
  const hash = createHash('sha256').update(`${go}\n${goPath}\n`);
  for (const file of sources) hash.update(readFileSync(path.join(sourceFolder, file)));
  const name = hash.digest('hex').slice(0, 16);
  const folder = path.join(tmpdir(), 'sluice-client-go');
  const program = path.join(folder, `${path.basename(sourceFolder)}-${name}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const fresh = `${program}.${process.pid}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'] ?? folder,
    GOPATH: goPath,
    GOCACHE: path.join(folder, 'cache'),
    GO111MODULE: 'off',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '',
    CGO_ENABLED: '0',
  };
  await promisify(execFile)(go, ['build', '-o', fresh, '.'], {
    cwd: sourceFolder,
    env,
    timeout: buildMsMax,
    maxBuffer: 16 * 1024 * 1024,
  });
  renameSync(fresh, program);
  return program;
}

export interface GoClient {
  /** Everything said so far. */
  readonly lines: readonly JsonObject[];
  /** The first line from now on that fits; rejects when the program ends without one. */
  next(fits: (line: JsonObject) => boolean): Promise<JsonObject>;
  /** A line on its standard input. */
  tell(text: string): void;
  /** Its standard input ends here. */
  end(): void;
  /** Rejects with what it wrote to standard error unless the exit code is 0. */
  readonly ended: Promise<void>;
}

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export function runGoClient(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): GoClient {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: runMsMax,
    killSignal: 'SIGKILL',
  });
  living.add(child);
  const lines: JsonObject[] = [];
  const waiting = new Set<(line: JsonObject) => void>();
  let said = '';
  child.stderr.on('data', (piece) => (said = (said + String(piece)).slice(-16_384)));
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as JsonObject;
    lines.push(line);
    for (const tell of waiting) tell(line);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      living.delete(child);
      if (code === 0) resolve();
      else reject(new Error(`the program ended with ${code ?? signal}: ${said}`));
    });
  });
  ended.catch(() => undefined);
  const next = (fits: (line: JsonObject) => boolean): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const tell = (line: JsonObject): void => {
        if (!fits(line)) return;
        waiting.delete(tell);
        resolve(line);
      };
      waiting.add(tell);
      ended.then(() => reject(new Error('the program ended before it said so')), reject);
    });
  return {
    lines,
    next,
    tell: (text) => void child.stdin.write(`${text}\n`),
    end: () => child.stdin.end(),
    ended,
  };
}
