/**
 * A lazy variable: its value is computed, and its cost charged, when it is first read.
 *
 * Invariant: its cost is the same whether it is computed on reading or earlier, in parts.
 */
import { EvaluationCancelled, EvaluationError } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import type { Frame, Planned } from './frame.ts';
import { valueInParts } from './in-parts.ts';

export class Deferred {
  readonly #make: (frame: Frame) => Value;
  #made: { readonly outcome: Value | Error } | undefined;
  constructor(make: (frame: Frame) => Value) {
    this.#make = make;
  }

  read(frame: Frame): Value {
    this.#made ??= { outcome: outcomeOf(() => this.#make(frame)) };
    const { outcome } = this.#made;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }
}

/** Made in parts now; what it costs is charged when it is read. */
export function* deferredInParts(
  planned: Planned,
  frame: Frame,
): Generator<undefined, Deferred, undefined> {
  const before = frame.cost;
  let made: Value | Error;
  try {
    made = yield* valueInParts(planned, frame);
  } catch (error) {
    made = kept(error);
  }
  const units = frame.cost - before;
  frame.cost = before;
  return new Deferred((reader) => {
    reader.charge(units);
    if (made instanceof Error) throw made;
    return made;
  });
}

function outcomeOf(make: () => Value): Value | Error {
  try {
    return make();
  } catch (error) {
    return kept(error);
  }
}

/** Only what the language knows is kept for whoever reads the value. */
function kept(error: unknown): Error {
  if (error instanceof EvaluationError || error instanceof EvaluationCancelled) return error;
  throw error;
}
