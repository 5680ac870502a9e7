/**
 * Runs the actors of bootstrap tokens: hands them the timers of stored tokens, and sends the
 * command `due` when a deadline has passed (spec 2, section 3.1).
 *
 *   secrets, as they are and as they change ─▶ token actors ─▶ command `due` to the secret's actor
 *
 * The deadlines, and what they mean, are in actors/.
 *
 * Bounds: at the start, `restoredPerTurn` tokens in a turn of the event loop.
 */
import { createTokenActors } from '../../../actors/token-actors.ts';
import type { ResidentToken, TokenActors } from '../../../actors/token-actors.ts';
import type { RootActor } from '../../../actors/root-actor.ts';
import { tokenStates } from '../../../actors/actors.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { bootstrapExpiry } from '../../authentication/bootstrap-token.ts';
import { secretsResource } from '../../authentication/object-reader.ts';
import type { Controller } from '../../controllers/controller.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { ObjectKey } from '../../storage/keys.ts';
import type { RecordTimer } from '../../storage/record.ts';
import type { Entry } from '../../../streams/streams.ts';

const restoredPerTurn = 256;

export interface TokenDeadlinesDeps {
  readonly registry: RegistryDeps;
  readonly root: RootActor;
  readonly timers: Timers;
  readonly onError: (name: string, error: unknown) => void;
}

/** Lives as long as the server; each run of its controller has token actors of its own. */
export class TokenDeadlines {
  #actors: TokenActors | undefined;

  /** None while they run on another server. */
  *residents(): Iterable<ResidentToken> {
    if (this.#actors !== undefined) yield* this.#actors.residents();
  }

  controller({ onError, registry, root, timers }: TokenDeadlinesDeps): Controller {
    let stopFollowing: (() => void) | undefined;
    let run: TokenActors | undefined;
    return {
      start: () => {
        run = createTokenActors({
          root,
          clock: registry.clock,
          timers,
          expire: (key, nowMs) => expire(registry, key, nowMs),
          onError: ({ name }, error) => onError(name, error),
        });
        this.#actors = run;
        stopFollowing = follow(registry, timers, run);
      },
      stop: async () => {
        stopFollowing?.();
        if (this.#actors === run) this.#actors = undefined;
        await run?.stop();
      },
    };
  }
}

/** Until what it returns is called. */
function follow(registry: RegistryDeps, timers: Timers, actors: TokenActors): () => void {
  const { identity, streams } = registry;
  const { system } = identity.namespaces;
  const tell = (name: string): void => {
    const entry = streams.snapshot(secretsResource).get(system, name);
    actors.stored({ ...secretsResource, namespace: system, name }, timerOf(registry, entry));
  };
  const restore = (names: readonly string[], from: number): void => {
    for (const name of names.slice(from, from + restoredPerTurn)) tell(name);
    const next = from + restoredPerTurn;
    if (next < names.length) timers.nextTurn(() => restore(names, next));
  };
  const events = streams.resourceEvents(secretsResource);
  const subscription = streams.followers.follow('token-deadlines', events, (event) => {
    if (event.type === 'RESET') {
      const names = new Set([...event.snapshot.entries(system)].map(({ name }) => name));
      // Of those known before, some may have gone unseen.
      for (const { key } of actors.residents()) names.add(key.name);
      restore([...names], 0);
    } else if (event.entry.namespace === system) tell(event.entry.name);
  });
  return () => subscription.unsubscribe();
}

/** A record of a token that an older release wrote has no timer: it begins valid. */
function timerOf({ identity }: RegistryDeps, entry: Entry | undefined): RecordTimer | undefined {
  if (entry === undefined || entry.timer !== undefined) return entry?.timer;
  if (entry.fields['type'] !== identity.secretTypes.bootstrapToken) return undefined;
  const expiry = bootstrapExpiry(identity, decodeObject(entry.bytes));
  return expiry && { state: tokenStates.valid, dueMs: expiry.dueMs };
}

async function expire({ actors }: RegistryDeps, key: ObjectKey, nowMs: number): Promise<void> {
  const command = {
    type: 'due',
    nowMs,
    dryRun: false,
    qualifiedResource: secretsResource,
  } as const;
  const outcome = await actors.execute(key, command);
  if (outcome.kind === 'refused' && outcome.error.code !== 404) throw outcome.error;
}
