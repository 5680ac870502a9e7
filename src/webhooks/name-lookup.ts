/**
 * Looks up the names of other servers. The system's own look-up (getaddrinfo) holds a thread until
 * it has an answer, and the process has two threads for that: one name whose servers are silent
 * would stop the look-ups of all others.
 *
 *     a name ─▶ one question for all who ask at once ─▶ in line ─▶ a thread ─▶ addresses
 *                 │ no answer within `patienceMs`
 *                 └─▶ the addresses of last time, if they are not older than `keptMs`
 *
 * Invariants: every new connection asks anew, so a change is seen; a name that was not answered
 * promptly the last time has one thread, which all of its kind share, and leaves the other to the
 * rest. Addresses are kept for a name that is not answered, never for one that does not exist.
 * Bounds: `threads` questions at once; the line has each name once, and a name whose askers have
 * waited for `waitMaxMs` is not asked any more; `namesMax` names are known, the one asked longest
 * ago goes first. Who asks bounds the time of its own call (http-call.ts).
 */
import dns from 'node:dns';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';

export const nameLookupLimits = {
  /** Of the pool of four that node has: it gives look-ups half of them. */
  threads: 2,
  slowThreads: 1,
  patienceMs: 1_000,
  keptMs: 10 * 60_000,
  waitMaxMs: 30_000,
  namesMax: 1024,
} as const;

type Answer =
  | { readonly kind: 'addresses'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'failed'; readonly error: NodeJS.ErrnoException };

type Asker = (answer: Answer) => void;

/** What was learned of a name the last time. */
interface Known {
  readonly isPrompt: boolean;
  readonly addresses: readonly LookupAddress[];
  readonly atMs: number;
}

interface Question {
  readonly key: string;
  readonly hostname: string;
  readonly options: LookupAllOptions;
  askers: Asker[];
  /** When the last of them came. */
  askedMs: number;
  startedMs: number | undefined;
  patience: TimerHandle | undefined;
}

export interface NameLookupPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Absent: the system's. */
  readonly system?: typeof systemLookup | undefined;
}

/** Errors that say nothing of the name itself. */
const passing: ReadonlySet<string> = new Set(['EAI_AGAIN', 'EAI_FAIL', 'EAI_SYSTEM', 'EAI_MEMORY']);

export function createNameLookup(ports: NameLookupPorts): LookupFunction {
  const { clock, timers, system = systemLookup } = ports;
  const { patienceMs, slowThreads, threads, waitMaxMs } = nameLookupLimits;
  const known = knownNames(clock);
  /** In line, in order, and those under way. */
  const waiting = new Map<string, Question>();
  const underWay = new Map<string, Question>();

  const isSlow = ({ key, startedMs }: Question): boolean => {
    const hangs = startedMs !== undefined && clock.monotonicMs() - startedMs >= patienceMs;
    return hangs || known.of(key)?.isPrompt === false;
  };
  const end = (question: Question, answer: Answer): void => {
    const { key, startedMs = 0 } = question;
    const nowMs = clock.monotonicMs();
    question.patience?.cancel();
    underWay.delete(key);
    const isPrompt = nowMs - startedMs < patienceMs;
    if (answer.kind === 'addresses') {
      known.learn(key, { isPrompt, addresses: answer.addresses, atMs: nowMs });
      tell(question, answer);
    } else {
      const stays = passing.has(answer.error.code ?? '');
      const { addresses = [], atMs = nowMs } = (stays ? known.of(key) : undefined) ?? {};
      known.learn(key, { isPrompt, addresses, atMs });
      tell(question, known.kept(key) ?? answer);
    }
    beginNext();
  };
  const begin = (question: Question): void => {
    waiting.delete(question.key);
    if (clock.monotonicMs() - question.askedMs > waitMaxMs) {
      question.patience?.cancel();
      return tell(question, { kind: 'failed', error: tooLate(question.hostname) });
    }
    underWay.set(question.key, question);
    question.startedMs = clock.monotonicMs();
    system(question.hostname, question.options, (answer) => end(question, answer));
  };
  const beginNext = (): void => {
    for (const question of waiting.values()) {
      if (underWay.size >= threads) return;
      const slow = [...underWay.values()].filter(isSlow).length;
      if (slow < slowThreads || !isSlow(question)) begin(question);
    }
  };
  const losePatience = (question: Question): void => {
    const kept = known.kept(question.key);
    if (kept !== undefined) tell(question, kept);
  };
  const ask: Ask = (hostname, options, asker) => {
    const key = `${hostname} ${String(options.family ?? 0)} ${options.hints ?? 0}`;
    const running = underWay.get(key) ?? waiting.get(key);
    if (running !== undefined) {
      running.askedMs = clock.monotonicMs();
      running.askers.push(asker);
      // Not within the call that asks.
      if (running.patience === undefined) queueMicrotask(() => losePatience(running));
      return;
    }
    const question = newQuestion(key, hostname, options, asker, clock.monotonicMs());
    question.patience = timers.after(patienceMs, () => {
      question.patience = undefined;
      losePatience(question);
    });
    waiting.set(key, question);
    beginNext();
  };
  return asLookup(ask);
}

type Ask = (hostname: string, options: LookupAllOptions, asker: Asker) => void;

/** In the form that node's sockets want. */
function asLookup(ask: Ask): LookupFunction {
  return (hostname, { all = false, family, hints }, callback) => {
    ask(hostname, { all: true, family: familyOf(family), hints: hints ?? 0 }, (answer) => {
      if (answer.kind === 'failed') return callback(answer.error, all ? [] : '', 0);
      const [first] = answer.addresses;
      if (all) callback(null, [...answer.addresses]);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

function tell(question: Question, answer: Answer): void {
  for (const asker of question.askers.splice(0)) asker(answer);
}

function newQuestion(
  key: string,
  hostname: string,
  options: LookupAllOptions,
  asker: Asker,
  askedMs: number,
): Question {
  const unbegun = { startedMs: undefined, patience: undefined };
  return { key, hostname, options, askers: [asker], askedMs, ...unbegun };
}

function knownNames(clock: Pick<Clock, 'monotonicMs'>) {
  const { keptMs, namesMax } = nameLookupLimits;
  const known = new Map<string, Known>();
  return {
    of: (key: string): Known | undefined => known.get(key),
    /** The addresses of last time, if they may still be used. */
    kept(key: string): Answer | undefined {
      const { addresses = [], atMs = 0 } = known.get(key) ?? {};
      const isGood = addresses.length > 0 && clock.monotonicMs() - atMs <= keptMs;
      return isGood ? { kind: 'addresses', addresses } : undefined;
    },
    learn(key: string, next: Known): void {
      known.delete(key);
      known.set(key, next);
      const [oldest] = known.keys();
      if (known.size > namesMax && oldest !== undefined) known.delete(oldest);
    },
  };
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : (family ?? 0);
}

function systemLookup(
  hostname: string,
  options: LookupAllOptions,
  done: (answer: Answer) => void,
): void {
  dns.lookup(hostname, options, (error, addresses) => {
    done(error === null ? { kind: 'addresses', addresses } : { kind: 'failed', error });
  });
}

function tooLate(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} could not be looked up in time`), {
    code: 'EAI_AGAIN',
  });
}
