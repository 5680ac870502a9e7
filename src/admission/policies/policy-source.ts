/**
 * The stored policies of one kind and their bindings: followed, compiled in steps, and indexed by
 * the requests that they can match.
 *
 *     a change ─▶ queue ─▶ compiled in steps ─▶ in force, and in the index
 *
 * Invariants: a policy stays in force until its successor is compiled. It is compiled once for each
 * generation, so a change of its status costs nothing. A policy without a binding does nothing. A
 * change of one binding costs nothing for the others, however many there are.
 * Bound: one policy is compiled at a time, in steps.
 */
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { ChangingParts } from '../matching/changing-parts.ts';
import type { MatchedParts } from '../matching/changing-parts.ts';
import type { ConfiguredSource } from '../matching/concerns.ts';
import { learnedInTurns, namedMatchIndex } from '../matching/named-match-index.ts';
import type { Matcher, RequestShape } from '../matching/matching.ts';
import { createReadiness } from '../readiness.ts';
import type { StoredConfiguration } from '../readiness.ts';
import { readBinding } from './policy-spec.ts';
import type { ParamKind, PolicyBinding } from './policy-spec.ts';

export interface AnyPolicy {
  readonly name: string;
  readonly matcher: Matcher;
  readonly paramKind: ParamKind | undefined;
}

/** A policy with what puts it to work. */
export interface BoundPolicy<T> {
  readonly policy: T;
  /** In the order of their names. */
  readonly bindings: readonly PolicyBinding[];
}

/** Candidates are in the order of their names. */
export interface PolicySource<out T> extends ConfiguredSource<BoundPolicy<T>> {
  readonly policies: SourcePart;
  readonly bindings: SourcePart;
}

/** What the stored objects of one resource tell. */
export interface SourcePart {
  /** These are all there are. Read in turns. */
  reset(stored: Iterable<StoredConfiguration>): void;
  set(stored: StoredConfiguration): void;
  remove(name: string): void;
}

export interface PolicySourceDeps<T> {
  readonly turns: Turns;
  compile(policy: ApiObject): Steps<T>;
  /** The name of a policy or binding that is stored and cannot even be decoded, with its resource;
   * undefined: there is none. */
  readonly lost: () => string | undefined;
  /** What could not be read: what was in force before stays so. Where nothing was, nothing is
   * written that could be matched. */
  readonly onProblem: (policy: string, error: unknown) => void;
}

export function createPolicySource<T extends AnyPolicy>(
  deps: PolicySourceDeps<T>,
): PolicySource<T> {
  return new Source(deps);
}

interface Known<T> {
  readonly policy: T;
  readonly generation: string;
}

type Work = () => Steps<void>;

/** A policy and all that binds it. */
interface Bound<T> {
  readonly policy: T;
  readonly bindings: ChangingParts<PolicyBinding>;
}

/** For one shape. */
interface Narrowed<T> extends BoundPolicy<T> {
  readonly matched: MatchedParts<PolicyBinding>;
}

class Source<T extends AnyPolicy> implements PolicySource<T> {
  readonly #deps: PolicySourceDeps<T>;
  readonly #policies = new Map<string, Known<T>>();
  /** By the policy that they name. */
  readonly #bindings = new Map<string, ChangingParts<PolicyBinding>>();
  readonly #policyOf = new Map<string, string>();
  /** Of those that could not be read and have nothing in force in their place. */
  readonly #unread = { policy: new Set<string>(), binding: new Set<string>() };
  readonly #queue = new RingBuffer<Work>();
  #working: Promise<void> | undefined;
  /** Policies that have bindings. */
  readonly #index = namedMatchIndex<Bound<T>, Narrowed<T>>({
    matcherOf: ({ policy }) => policy.matcher,
    narrowed,
    // One whose policy names a kind that is not served is an error, whatever its bindings are.
    isCandidate: ({ bindings, policy }) => bindings.length > 0 || policy.paramKind !== undefined,
    partsOf({ bindings, policy }, look) {
      const isLooked = look === undefined || policy.matcher.mayMatch(look.shape);
      return isLooked ? bindings.unlooked(look?.before?.matched) : 1;
    },
  });

  constructor(deps: PolicySourceDeps<T>) {
    this.#deps = deps;
  }

  readonly readiness = createReadiness(() => {
    const [policy] = this.#unread.policy;
    if (policy !== undefined) return `policy "${policy}"`;
    const [binding] = this.#unread.binding;
    return binding === undefined ? this.#deps.lost() : `binding "${binding}"`;
  });

  readonly policies: SourcePart = {
    reset: (stored) => this.#enqueue(() => this.#resetPolicies(stored)),
    set: (stored) => this.#enqueue(() => this.#setPolicy(stored)),
    remove: (name) => this.#enqueue(() => this.#removePolicy(name)),
  };

  readonly bindings: SourcePart = {
    reset: (stored) => this.#enqueue(() => this.#resetBindings(stored)),
    set: (stored) => this.#enqueue(() => this.#setBinding(stored)),
    remove: (name) => this.#enqueue(() => this.#dropBinding(name)),
  };

  get isEmpty(): boolean {
    return this.#index.isEmpty;
  }

  candidates(shape: RequestShape, generation: number): readonly BoundPolicy<T>[] {
    return this.#index.candidates(shape, generation);
  }

  isNew(shape: RequestShape, generation: number): boolean {
    return this.#index.isNew(shape, generation);
  }

  known(shape: RequestShape, generation: number): Promise<void> | undefined {
    return learnedInTurns(this.#index, this.#deps.turns, shape, generation);
  }

  settled(): Promise<void> | undefined {
    return this.#working;
  }

  /** The policy, or what binds it, has changed. */
  #reindex(name: string): void {
    const known = this.#policies.get(name);
    const bindings = this.#bindings.get(name);
    if (known === undefined || bindings === undefined) this.#index.delete(name);
    else this.#index.set(name, { policy: known.policy, bindings });
  }

  #enqueue(work: Work): void {
    this.#queue.push(work);
    this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    while (this.#queue.length > 0) {
      await runToEnd(this.#deps.turns, this.#queue.shift()());
    }
    this.#working = undefined;
    this.readiness.setReady();
  }

  *#resetPolicies(all: Iterable<StoredConfiguration>): Steps<void> {
    const gone = new Set([...this.#policies.keys(), ...this.#unread.policy]);
    for (const stored of all) {
      gone.delete(stored.name);
      yield* this.#setPolicy(stored);
      yield;
    }
    for (const name of gone) yield* this.#removePolicy(name);
  }

  *#setPolicy({ name, read }: StoredConfiguration): Steps<void> {
    let policy: T;
    let generation: string;
    try {
      const object = read();
      generation = `${object.metadata.uid ?? ''} ${object.metadata.generation ?? ''}`;
      if (this.#policies.get(name)?.generation === generation) return;
      policy = yield* this.#deps.compile(object);
    } catch (error) {
      if (!this.#policies.has(name)) this.#unread.policy.add(name);
      return this.#deps.onProblem(name, error);
    }
    this.#unread.policy.delete(name);
    this.#policies.set(name, { policy, generation });
    this.#reindex(name);
  }

  *#removePolicy(name: string): Steps<void> {
    this.#unread.policy.delete(name);
    if (this.#policies.delete(name)) this.#reindex(name);
    yield;
  }

  *#resetBindings(all: Iterable<StoredConfiguration>): Steps<void> {
    const gone = new Set([...this.#policyOf.keys(), ...this.#unread.binding]);
    for (const stored of all) {
      gone.delete(stored.name);
      yield* this.#setBinding(stored);
      yield;
    }
    for (const name of gone) yield* this.#dropBinding(name);
  }

  *#setBinding({ name, read }: StoredConfiguration): Steps<void> {
    let binding: PolicyBinding;
    try {
      binding = readBinding(read());
    } catch (error) {
      if (!this.#policyOf.has(name)) this.#unread.binding.add(name);
      return this.#deps.onProblem(name, error);
    }
    this.#unread.binding.delete(name);
    const before = this.#policyOf.get(binding.name);
    if (before !== undefined && before !== binding.policyName)
      yield* this.#dropBinding(binding.name);
    const all = this.#bindings.get(binding.policyName) ?? new ChangingParts();
    all.set(binding);
    this.#bindings.set(binding.policyName, all);
    this.#policyOf.set(binding.name, binding.policyName);
    this.#reindex(binding.policyName);
    yield;
  }

  *#dropBinding(name: string): Steps<void> {
    this.#unread.binding.delete(name);
    const policyName = this.#policyOf.get(name);
    const all = policyName === undefined ? undefined : this.#bindings.get(policyName);
    if (policyName === undefined || all === undefined) return;
    all.delete(name);
    if (all.size === 0) this.#bindings.delete(policyName);
    this.#policyOf.delete(name);
    this.#reindex(policyName);
    yield;
  }
}

/** To the bindings that can match. */
function* narrowed<T>(
  { bindings, policy }: Bound<T>,
  shape: RequestShape,
  before: Narrowed<T> | undefined,
): Steps<Narrowed<T>> {
  const matched = yield* bindings.matching(shape, before?.matched);
  return { policy, bindings: matched.parts, matched };
}
