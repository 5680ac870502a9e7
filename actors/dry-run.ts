/**
 * What the transaction of a write would have said, for a command that only tries: a dry run has no
 * transaction in which its conditions are tested and its companions decided, so the records that
 * they are about are read.
 *
 * Elsewhere: the decision, which a dry run shares with the real command (object-decision.ts).
 *
 * Invariant: nothing is written. What is read may have changed by the next real write.
 */
import { companionFailure } from '../src/storage/companion-plan.ts';
import type {
  Companion,
  CompanionRules,
  Condition,
  StoredRecord,
  StoreKey,
} from '../src/storage/storage.ts';
import type { ObjectOutcome } from './actors.ts';

export interface TriedWrite {
  /** Those of the command and those of its companions. */
  readonly conditions: readonly Condition[];
  readonly companions: readonly Companion[];
}

/** `outcome`, or why the transaction would have refused it. `rules` undefined: no companions. */
export async function triedOutcome(
  outcome: ObjectOutcome,
  { companions, conditions }: TriedWrite,
  read: (key: StoreKey) => Promise<StoredRecord | undefined>,
  rules: CompanionRules | undefined,
): Promise<ObjectOutcome> {
  const { notes } = outcome;
  for (const condition of conditions) {
    const found = (await read(condition.key))?.state;
    if (found !== condition.state) return { kind: 'condition-failed', condition, found, notes };
  }
  if (companions.length === 0 || rules === undefined) return outcome;
  const records = new Map<StoreKey, StoredRecord>();
  for (const { key } of companions) {
    const record = await read(key);
    if (record !== undefined) records.set(key, record);
  }
  const failure = companionFailure(companions, records, rules);
  return failure === undefined ? outcome : { ...failure, notes };
}
