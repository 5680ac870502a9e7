/**
 * Bodies in the clear that come in tiny chunks. Node's parser tells of each, a read brings ten
 * thousand of one byte, and all connections that have something to read are read from in one turn:
 * no pause takes effect before the end of a read. So they are counted as they are told of, as
 * parts of what connections may begin in a turn: above it the others are not read from
 * (session-turns.ts). The parser of a connection that is cut is left without anybody whom it
 * tells: the rest of the read is worked off without a word.
 *
 * Over TLS what comes is held before the parser has it (read-turns.ts).
 *
 * Bounds: those of bodyTurnLimits, for all connections together. Not documented by node: where a
 * version lacks it, nothing is counted here, and who sends such is cut by whoever takes the body.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Timers } from '../../stdx/clock.ts';
import { bodyTurnLimits, BodyTurns } from '../body-turns.ts';
import type { CountedReads } from './plain-reads.ts';

type Told = (this: Parser, bytes: Uint8Array) => unknown;

/** Of node. */
interface Parser {
  readonly socket?: Socket | null;
  /** Where it reads answers: what they are for. */
  readonly outgoing?: object | null;
  /** By numbers that its class names. */
  [hook: number]: Told | undefined;
}

interface Common {
  readonly HTTPParser?: { readonly kOnBody?: number };
}

interface Counted {
  turn: number;
  small: number;
  /** Of its connection. */
  member: CountedReads | undefined;
}

/** Ten pieces take as long as a request. */
const textsPerPiece = 3.2;

/** What node itself makes of a piece: the same for all parsers. */
let nodesOwn: Told | undefined;

/** Returns what is called with each connection that has begun. */
export function createChunkTurns(
  timers: Pick<Timers, 'nextTurn'>,
): (socket: Socket, member: CountedReads) => void {
  const hook = bodyHook();
  const turns = new BodyTurns(timers);
  const counts = new WeakMap<Parser, Counted>();
  const countedOf = (parser: Parser): Counted => {
    let counted = counts.get(parser);
    if (counted === undefined) {
      counted = { turn: -1, small: 0, member: undefined };
      counts.set(parser, counted);
    }
    return counted;
  };
  const isTooFine = (parser: Parser): boolean => {
    const counted = countedOf(parser);
    counted.member?.read(textsPerPiece);
    if (counted.turn !== turns.turn) counted.small = 0;
    counted.turn = turns.turn;
    counted.small += 1;
    return !turns.tookSmall(counted.small);
  };
  const told: Told = function (bytes) {
    const isSmall = bytes.length < bodyTurnLimits.smallPieceBytes;
    if (!isSmall || this.outgoing || !isTooFine(this)) return nodesOwn?.call(this, bytes);
    stop(this);
    return undefined;
  };
  const stop = (parser: Parser): void => {
    if (hook === undefined) return;
    parser[hook] = undefined;
    // Behind the read, and before the next connection has it.
    queueMicrotask(() => (parser[hook] = told));
    parser.socket?.destroy();
  };
  return (socket, member) => {
    const { parser } = socket as { readonly parser?: Parser | null };
    if (hook === undefined || !parser) return;
    nodesOwn ??= parser[hook];
    if (nodesOwn !== undefined) parser[hook] = told;
    // Parsers are used again.
    countedOf(parser).member = member;
  };
}

function bodyHook(): number | undefined {
  try {
    const common = createRequire(import.meta.url)('_http_common') as Common;
    return common.HTTPParser?.kOnBody;
  } catch {
    return undefined;
  }
}
