/**
 * Looks for a pattern in a text part by part: long texts and large patterns take seconds, and the
 * library does it in one call. Both walks say what they have done since they last said it, in
 * units of some ten nanoseconds, and can be left there.
 *
 *     isFound      the states of the library's automaton, as it makes them; where they are too many
 *                  to remember, the instructions one by one
 *     firstMatch   the instructions, in their order of preference, with where each began
 *
 * Invariants: they find what the library finds. The work depends on nothing but the pattern and
 * the text: what the library remembers of earlier texts is forgotten first.
 * Bounds: linear in the instructions times the text; a part is as long as `partWork`, and one
 * character.
 */
/** What the library makes of a pattern. */
export interface Regex {
  readonly cond: unknown;
  readonly prog: Instructions;
  readonly dfa: Automaton;
}

interface Instructions {
  readonly start: number;
  numInst(): number;
  getInst(pc: number): unknown;
}

interface Automaton {
  readonly numClasses: number;
  readonly stateCount: number;
  clearCache(): void;
  runeClass(rune: number): number;
  start(input: { context(): number }, at: number): unknown;
  step(state: State, rank: number, rune: number, anchor: 0): unknown;
  resetCache(state: State): unknown;
}

/** Where a match begins and ends in a text. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const partWork = 10_000;

/** Of the library: what an instruction does, and what may stand at a place of the text. */
const operation = { alternative: 1, alternativeMatch: 2, capture: 3, empty: 4, match: 6, nop: 7 };
const runeOperations = { rune: 8, rune1: 9, any: 10, anyInLine: 11 };
const place = { lineBegins: 1, lineEnds: 2, textBegins: 4, textEnds: 8, wordEdge: 16, inside: 32 };

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** No character: before the first, after the last. */
const none = -1;
const newline = 10;

function runeAt(text: string, at: number): number {
  return text.codePointAt(at) ?? none;
}

const widthOf = (rune: number): number => (rune > 0xffff ? 2 : 1);

function isOfWord(rune: number): boolean {
  return (
    (rune >= 97 && rune <= 122) ||
    (rune >= 65 && rune <= 90) ||
    (rune >= 48 && rune <= 57) ||
    rune === 95
  );
}

function placeBetween(before: number, after: number): number {
  const begins = before === none ? place.lineBegins | place.textBegins : 0;
  const ends = after === none ? place.lineEnds | place.textEnds : 0;
  const lines =
    (before === newline ? place.lineBegins : 0) | (after === newline ? place.lineEnds : 0);
  const word = isOfWord(before) === isOfWord(after) ? place.inside : place.wordEdge;
  return begins | ends | lines | word;
}

interface State {
  readonly isMatch: boolean;
  readonly nfaStates: readonly number[];
  readonly next: readonly (State | null)[] | null;
}

/** Of a state that has to be made, for each of its instructions. */
const workOfMaking = 10;

/** Whether some part of the text matches. */
export function* isFound(regex: Regex, text: string): Generator<number, boolean> {
  const found = yield* isFoundByStates(regex, text);
  return found ?? (yield* firstMatch(regex, text, 0, true)) !== undefined;
}

/** Undefined: there are too many states. */
function* isFoundByStates({ dfa }: Regex, text: string): Generator<number, boolean | undefined> {
  dfa.clearCache();
  const start = { context: () => place.lineBegins | place.textBegins };
  let state = dfa.start(start, 0) as State | null;
  let work = 0;
  let forgotAt: number | undefined;
  for (let at = 0; state !== null;) {
    const rune = runeAt(text, at);
    const rank = rune === none ? dfa.numClasses : dfa.runeClass(rune);
    let next: State | null = state.next?.[rank] ?? null;
    work += 1;
    if (next === null) {
      work += workOfMaking * (1 + state.nfaStates.length);
      next = dfa.step(state, rank, rune, 0) as State | null;
      if (next === null) {
        // As the library does: where it forgets too often, it is slower than without states.
        const progress = at - (forgotAt ?? -Infinity);
        if (progress < dfa.stateCount * statesPay) break;
        forgotAt = at;
        const again = dfa.resetCache(state) as State | null;
        next = again && (dfa.step(again, rank, rune, 0) as State | null);
        if (next === null) break;
      }
    }
    state = next;
    if (state.isMatch || rune === none) {
      yield work;
      return state.isMatch;
    }
    at += widthOf(rune);
    if (work >= partWork) {
      yield work;
      work = 0;
    }
  }
  yield work;
  return undefined;
}

/** Characters for each state that was made. */
const statesPay = 10;

/** Of an instruction that is looked at: the first walks of a process take several times as long. */
const workOfLook = 2;

/** Instructions that the walk is at, those that are preferred first. */
interface Threads {
  count: number;
  readonly pcs: Int32Array;
  /** Where the match would begin. */
  readonly starts: Int32Array;
  /** Where an instruction is among `pcs`. */
  readonly ranks: Int32Array;
}

function noThreads(size: number): Threads {
  const [pcs, starts, ranks] = [0, 1, 2].map(() => new Int32Array(size)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  return { count: 0, pcs, starts, ranks };
}

/**
 * The first match at or after `from`, and of those that begin there the one that the pattern
 * prefers. `any`: the first that is found, which is quicker.
 */
export function* firstMatch(
  regex: Regex,
  text: string,
  from: number,
  any = false,
): Generator<number, Match | undefined> {
  const { prog } = regex;
  const size = prog.numInst();
  const beginsAtStart = ((regex.cond as number) & place.textBegins) !== 0;
  let [run, next] = [noThreads(size), noThreads(size)];
  const stack = new Int32Array(size + 1);
  let work = size >> 3;
  let found: Match | undefined;
  let at = from;
  let rune = runeAt(text, at);
  let here = placeBetween(from === 0 ? none : text.charCodeAt(from - 1), rune);
  for (;;) {
    if (found === undefined && (at === 0 || !beginsAtStart)) {
      work += enter(prog, run, stack, prog.start, at, here);
    }
    if (run.count === 0 && (found !== undefined || beginsAtStart)) break;
    const end = at + widthOf(rune);
    const following = rune === none ? none : runeAt(text, end);
    const there = placeBetween(rune, following);
    work += run.count + 1;
    for (let rank = 0; rank < run.count; rank += 1) {
      const instruction = prog.getInst(run.pcs[rank] as number) as Instruction;
      if (instruction.op === operation.match) {
        found = { start: run.starts[rank] as number, end: at };
        break;
      }
      if (rune === none || !takes(instruction, rune)) continue;
      work += enter(prog, next, stack, instruction.out, run.starts[rank] as number, there);
    }
    if (rune === none || (any && found !== undefined)) break;
    [run, next] = [next, run];
    next.count = 0;
    [at, rune, here] = [end, following, there];
    if (work < partWork) continue;
    yield work * workOfLook;
    work = 0;
  }
  yield work * workOfLook;
  return found;
}

function takes(instruction: Instruction, rune: number): boolean {
  const { op } = instruction;
  if (op < runeOperations.rune) return false;
  switch (op) {
    case runeOperations.any:
      return true;
    case runeOperations.anyInLine:
      return rune !== newline;
    default:
      return instruction.matchRune(rune);
  }
}

/** Goes on at an instruction, and at all that it leads to without a character. Returns how many
 * were looked at. */
function enter(
  prog: Instructions,
  threads: Threads,
  stack: Int32Array,
  pc: number,
  start: number,
  where: number,
): number {
  let looked = 0;
  let height = 0;
  stack[height++] = pc;
  while (height > 0) {
    let at = stack[--height] as number;
    while (at !== 0) {
      looked += 1;
      const rank = threads.ranks[at] as number;
      if (rank < threads.count && threads.pcs[rank] === at) break;
      threads.ranks[at] = threads.count;
      threads.pcs[threads.count] = at;
      threads.starts[threads.count] = start;
      threads.count += 1;
      const { arg, op, out } = prog.getInst(at) as Instruction;
      switch (op) {
        case operation.alternative:
        case operation.alternativeMatch:
          stack[height++] = arg;
          at = out;
          break;
        case operation.empty:
          at = (arg & ~where) === 0 ? out : 0;
          break;
        case operation.capture:
        case operation.nop:
          at = out;
          break;
        default:
          at = 0;
      }
    }
  }
  return looked;
}
