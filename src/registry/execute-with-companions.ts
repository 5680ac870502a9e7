/**
 * A write whose companions could not be written is refused, or decided again.
 *
 *   execute ─▶ companion-failed, or one of their conditions failed ─▶ companionRefusal
 *      ▲                                                                 │ why it is refused
 *      └──────── the world has moved on: decided again ◀─────────────────┘
 *
 * Elsewhere: the companions and the meaning of their failures (src/admission/companions).
 *
 * Invariant: a new decision uses the state of that moment. Bound: `attemptsMax` decisions of one
 * command.
 */
import type { ObjectOutcome } from '../../actors/actors.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { newServerTimeout } from '../apimachinery/status-error.ts';
import { retryAfterSeconds } from '../../actors/limits.ts';

const attemptsMax = 64;

type CompanionFailure = Extract<ObjectOutcome, { readonly kind: 'companion-failed' }>;
type ConditionFailure = Extract<ObjectOutcome, { readonly kind: 'condition-failed' }>;

/** The object of the write. */
interface WriteTarget {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
}

interface RefusalPort {
  readonly companionRefusal?: CompanionRefusal | undefined;
}

/** An outcome that is final. */
export type FinalOutcome = Exclude<ObjectOutcome, CompanionFailure>;

/** Why the write is refused; `again`: it must be decided again, and may be now. Undefined: the
 * failed condition does not belong to a companion. */
export type CompanionRefusal = (
  target: WriteTarget,
  failure: CompanionFailure | ConditionFailure,
  dryRun: boolean,
) => Promise<StatusError | 'again'> | undefined;

/** Handles the outcome of one decision, number `attempt` (from 0). */
export async function resolveOutcome(
  { companionRefusal }: RefusalPort,
  target: WriteTarget,
  outcome: ObjectOutcome,
  { attempt, dryRun }: { readonly attempt: number; readonly dryRun: boolean },
): Promise<FinalOutcome | 'again'> {
  if (outcome.kind !== 'companion-failed' && outcome.kind !== 'condition-failed') return outcome;
  const verdict = await companionRefusal?.(target, outcome, dryRun);
  if (verdict === 'again' && attempt < attemptsMax) return 'again';
  const { notes } = outcome;
  if (verdict !== undefined && verdict !== 'again') {
    return { kind: 'refused', error: verdict, notes };
  }
  if (outcome.kind === 'condition-failed' && verdict === undefined) return outcome;
  // Others keep being first.
  const error = newServerTimeout(target.kind, 'write', retryAfterSeconds);
  return { kind: 'refused', error, notes };
}

/** Executes a command until its outcome is final. */
export async function executeWithCompanions(
  deps: RefusalPort,
  target: WriteTarget,
  dryRun: boolean,
  execute: () => Promise<ObjectOutcome>,
): Promise<FinalOutcome> {
  for (let attempt = 0; ; attempt += 1) {
    const final = await resolveOutcome(deps, target, await execute(), { attempt, dryRun });
    if (final !== 'again') return final;
  }
}
