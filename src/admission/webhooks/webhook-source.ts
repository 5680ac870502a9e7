/**
 * The stored webhooks of one type: followed, compiled in steps, and indexed by the requests that
 * they can match.
 *
 *     a change ─▶ queue ─▶ compiled in steps ─▶ in force, and in the index
 *
 * Invariants: a configuration stays in force until its successor is compiled. Changes take effect
 * in their order. A write whose shape no webhook can match costs one look-up, and a change of one
 * configuration costs a look at this one, however many there are.
 */
import type { Environment } from '../../cel/cel.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { matchingParts } from '../matching/changing-parts.ts';
import type { ConfiguredSource } from '../matching/concerns.ts';
import { learnedInTurns, namedMatchIndex } from '../matching/named-match-index.ts';
import type { RequestShape } from '../matching/matching.ts';
import { createReadiness } from '../readiness.ts';
import type { StoredConfiguration } from '../readiness.ts';
import { compileWebhooks } from './webhook-spec.ts';
import type { Webhook } from './webhook-spec.ts';

/** Candidates are in their order. */
export interface WebhookSource extends ConfiguredSource<Webhook> {
  /** These are all configurations there are. */
  reset(stored: Iterable<StoredConfiguration>): void;
  set(stored: StoredConfiguration): void;
  remove(name: string): void;
}

export interface WebhookSourceDeps {
  readonly turns: Pick<Turns, 'run'>;
  /** Of match conditions. */
  readonly environment: Environment;
  /** The name of one that is stored and cannot even be decoded; undefined: there is none. */
  readonly lost: () => string | undefined;
  /** What such a one is called: `validatingwebhookconfigurations`. */
  readonly resource: string;
  /** A configuration could not be read: what was in force before stays so. Where nothing was,
   * nothing is written that could be matched. */
  readonly onProblem: (configuration: string, error: unknown) => void;
}

export function createWebhookSource(deps: WebhookSourceDeps): WebhookSource {
  const configurations = new Map<string, readonly Webhook[]>();
  const queue = new RingBuffer<() => Promise<void>>();
  let working: Promise<void> | undefined;
  const unread = new Set<string>();
  const readiness = createReadiness(() => {
    const [name = deps.lost()] = unread;
    return name && `${deps.resource} "${name}"`;
  });
  const index = webhookIndex();
  const compile = async ({ name, read }: StoredConfiguration): Promise<void> => {
    try {
      const compiling = compileWebhooks(read(), deps.environment);
      const webhooks = await runToEnd(deps.turns, compiling);
      configurations.set(name, webhooks);
      unread.delete(name);
      index.set(name, webhooks);
    } catch (error) {
      if (!configurations.has(name)) unread.add(name);
      deps.onProblem(name, error);
    }
  };
  const drop = (name: string): void => {
    unread.delete(name);
    if (configurations.delete(name)) index.delete(name);
  };
  const workOff = async (): Promise<void> => {
    while (queue.length > 0) await queue.shift()();
    working = undefined;
    readiness.setReady();
  };
  const enqueue = (work: () => Promise<void>): void => {
    queue.push(work);
    working ??= workOff();
  };
  return {
    get isEmpty() {
      return configurations.size === 0;
    },
    readiness,
    candidates: (shape, generation) => index.candidates(shape, generation),
    isNew: (shape, generation) => index.isNew(shape, generation),
    known: (shape, generation) => learnedInTurns(index, deps.turns, shape, generation),
    settled: () => working,
    reset(objects) {
      enqueue(async () => {
        const gone = new Set([...configurations.keys(), ...unread]);
        for (const stored of objects) {
          gone.delete(stored.name);
          await compile(stored);
        }
        gone.forEach(drop);
      });
    },
    set: (stored) => enqueue(() => compile(stored)),
    remove: (name) => enqueue(() => Promise.resolve(drop(name))),
  };
}

interface WebhookIndex extends Pick<WebhookSource, 'candidates' | 'isNew'> {
  learn(shape: RequestShape, generation: number): Steps<void>;
  set(name: string, webhooks: readonly Webhook[]): void;
  delete(name: string): void;
}

/** Webhooks of one configuration, in their order. */
interface Configured {
  readonly name: string;
  readonly webhooks: readonly Webhook[];
}

function* narrowed({ name, webhooks }: Configured, shape: RequestShape): Steps<Configured> {
  return { name, webhooks: yield* matchingParts(webhooks, shape) };
}

function webhookIndex(): WebhookIndex {
  const sizes = new Map<string, number>();
  const byName = namedMatchIndex<Configured>({
    matcherOf: ({ webhooks }) => ({
      mayMatch: (shape) => webhooks.some(({ matcher }) => matcher.mayMatch(shape)),
    }),
    narrowed,
    partsOf: ({ webhooks }) => webhooks.length,
  });
  // A result is another one after each change, which may have moved everything behind it.
  const placed = new WeakMap<readonly Configured[], readonly Webhook[]>();
  return {
    set(name, webhooks) {
      sizes.set(name, webhooks.length);
      byName.set(name, { name, webhooks });
    },
    delete(name) {
      sizes.delete(name);
      byName.delete(name);
    },
    isNew: (shape, generation) => byName.isNew(shape, generation),
    learn: (shape, generation) => byName.learn(shape, generation),
    candidates(shape, generation) {
      const found = byName.candidates(shape, generation);
      if (found.length === 0) return none;
      const known = placed.get(found) ?? placedAfter(found, sizes);
      placed.set(found, known);
      return known;
    },
  };
}

const none: readonly never[] = [];

/** `sizes`: how many webhooks each configuration has. */
function placedAfter(
  found: readonly Configured[],
  sizes: ReadonlyMap<string, number>,
): readonly Webhook[] {
  const placed: Webhook[] = [];
  const names = [...sizes.keys()].sort();
  let at = 0;
  let before = 0;
  for (const { name, webhooks } of found) {
    for (; names[at] !== name; at += 1) before += sizes.get(names[at] as string) ?? 0;
    for (const webhook of webhooks) placed.push({ ...webhook, index: before + webhook.index });
  }
  return placed;
}
