/**
 * What large objects are in a form (CBOR, Protobuf, a row, another version), made in parts for all
 * watches and lists that show them so.
 *
 *     ready? ─ no ──▶ a part of the work in hand is done; whoever asked asks again, later
 *            └ yes ─▶ what was made, or the error that making it ended with
 *
 * Nobody owns the work: who finds that of others in hand does a part of it. So it ends also where
 * who began it has gone, and nobody waits for another one's turn.
 *
 * Invariants: what is given out is what the form makes of the state, and is never changed. One work
 * is in hand, because what has been read of an object takes several times its size. What was found
 * ready is there for the rest of the step that found it so.
 * Bound: `keptBytesMax` of what was made; the oldest goes first, and the newest stays.
 */
import type { EventType } from './event-frames.ts';
import type { EncodableState } from './kept-encodings.ts';
import type { Steps } from '../stdx/stepwise.ts';

const keptBytesMax = 16 * 1024 * 1024;
/** What each counts for beside its bytes: its name, and an error. */
const keptCostBytes = 1024;

export interface LargeForm {
  /** Equal ids make equal bytes of equal states. */
  readonly id: string;
  readonly steps: (bytes: Uint8Array) => Steps<Uint8Array>;
}

export interface LargeStates {
  /** Does a part of what is left to do. */
  isReady(form: LargeForm, type: EventType, state: EncodableState): boolean;
  /** Undefined: it is not ready. Throws what making it has thrown. */
  find(form: LargeForm, type: EventType, state: EncodableState): Uint8Array | undefined;
}

type Made = { readonly bytes: Uint8Array } | { readonly bytes: undefined; readonly error: unknown };

function costOf({ bytes }: Made): number {
  return keptCostBytes + (bytes?.length ?? 0);
}

export function createLargeStates(bytesMax = keptBytesMax): LargeStates {
  const made = new Map<string, Made>();
  let madeBytes = 0;
  let inHand: { readonly name: string; readonly work: Steps<Uint8Array> } | undefined;
  const keep = (name: string, result: Made): void => {
    made.set(name, result);
    madeBytes += costOf(result);
    for (const [oldest, each] of made) {
      if (madeBytes <= bytesMax || oldest === name) return;
      made.delete(oldest);
      madeBytes -= costOf(each);
    }
  };
  const work = (): void => {
    if (inHand === undefined) return;
    const { name } = inHand;
    try {
      const step = inHand.work.next();
      if (step.done !== true) return;
      keep(name, { bytes: step.value });
    } catch (error) {
      keep(name, { bytes: undefined, error });
    }
    inHand = undefined;
  };
  return {
    isReady(form, type, state) {
      const name = nameOf(form, type, state);
      if (made.has(name)) return true;
      inHand ??= { name, work: form.steps(state.bytes) };
      work();
      return made.has(name);
    },
    find(form, type, state) {
      const found = made.get(nameOf(form, type, state));
      if (found?.bytes !== undefined || found === undefined) return found?.bytes;
      throw found.error;
    },
  };
}

/** What a list shows of a state, in parts that are those of all who show it so. */
export function* largeStateSteps(
  states: LargeStates,
  form: LargeForm,
  state: EncodableState,
): Steps<Uint8Array> {
  while (!states.isReady(form, 'ADDED', state)) yield;
  return states.find(form, 'ADDED', state) as Uint8Array;
}

/** What was deleted, or has left a selection, is shown as it was before that revision. */
function nameOf({ id }: LargeForm, type: EventType, state: EncodableState): string {
  const { name, namespace, revision, shape } = state;
  const when = type === 'DELETED' ? 'before' : 'at';
  return `${namespace}/${name}\n${when} ${revision}\n${shape ?? ''}\n${id}`;
}
