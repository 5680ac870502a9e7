/** placeholder: replaced by its owner */
import type { Mutation, MutationOutcome } from './storage.ts';

/** A submitted mutation. `after` of a later submission may name it. */
export interface CommitTicket {
  /** Resolves when durable, or with the reason why nothing was written. Rejects with StorageError. */
  readonly outcome: Promise<CommitOutcome>;
}

export type CommitOutcome =
  | MutationOutcome
  /** The mutation this one was decided on was not applied, so this one was not tried. */
  | { readonly kind: 'predecessor-failed' }
  /** The queue is full (`committerLimits`): try again later. */
  | { readonly kind: 'overloaded' };

/** A mutation whose expectation is either a stored fact or an earlier ticket on the same key. */
export type Submission = Omit<Mutation, 'expect'> & {
  readonly expect: Exclude<Mutation['expect'], { kind: 'after' }> | CommitTicket;
};

export interface Committer {
  submit(submission: Submission): CommitTicket;
  /** Refuses new work, resolves when everything accepted has its outcome. */
  drain(): Promise<void>;
}
