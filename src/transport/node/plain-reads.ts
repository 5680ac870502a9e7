/**
 * How much is read in the clear in one turn of the event loop. Node's parser reads from its socket
 * itself, up to two megabytes of each connection in a turn, and what is no request and no body, as
 * empty lines between requests, it tells of to nobody. So what each read has brought is counted, as
 * a part of what connections may begin in a turn: above it all of them wait, and a few are read
 * from in each (session-turns.ts).
 *
 * Over TLS what comes is held before the parser has it (read-turns.ts).
 *
 * Not documented by node: where a version lacks it, nothing is counted.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** Counts the work of a connection, as if headers of so many names and values were read. */
export interface CountedReads {
  read(headerTexts: number): void;
}

/** Of a megabyte: four of them in a turn. */
const textsPerByte = 1024 / (1024 * 1024);

/** `result`: how much the parser has worked off, or what was wrong with it. */
type Executed = (result: unknown) => unknown;

/** Of node. */
interface Parser {
  /** By numbers that its class names. */
  [hook: number]: Executed | null | undefined;
}

interface Common {
  readonly HTTPParser?: { readonly kOnExecute?: number };
}

/** Returns what is called with each connection that has begun. */
export function createPlainReads(): (socket: Socket, reads: CountedReads) => void {
  const hook = executeHook();
  return (socket, reads) => {
    const { parser } = socket as { readonly parser?: Parser | null };
    if (hook === undefined || !parser) return;
    const nodesOwn = parser[hook];
    if (typeof nodesOwn !== 'function') return;
    parser[hook] = (result) => {
      if (typeof result === 'number') reads.read(result * textsPerByte);
      return nodesOwn(result);
    };
  };
}

function executeHook(): number | undefined {
  try {
    const common = createRequire(import.meta.url)('_http_common') as Common;
    return common.HTTPParser?.kOnExecute;
  } catch {
    return undefined;
  }
}
