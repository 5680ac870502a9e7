/**
 * The timers of bootstrap tokens: follows their secrets, and tells a token's actor when its time is
 * over (spec 2, section 3.1).
 *
 *   secrets, as they are at the start and as they change ─▶ wheel ─▶ DueCommand to the actor
 *
 * What it is not: the one who decides. What is due lies in the record, and the actor looks at that;
 * here is only an alarm. So restarts and passivation lose nothing: the alarms are set again from
 * what the store has.
 *
 * Bounds: one entry for each token that can still expire; a turn a second while there are any. An
 * expiration further away than `farMs` is looked at again after that time.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { bootstrapExpiry } from '../authentication/bootstrap-token.ts';
import { secretsResource } from '../authentication/object-reader.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import { TimerWheel, WheelEntry } from '../stdx/timer-wheel.ts';
import { followResource } from '../../streams/follow-resource.ts';
import type { Following } from '../../streams/follow-resource.ts';
import type { Controller } from './controller.ts';

const tokenClockTimes = {
  tickMs: 1000,
  slotsCount: 512,
  farMs: 24 * 3600_000,
  retryMs: 5000,
} as const;

export interface TokenClockDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (name: string, error: unknown) => void;
}

class Alarm extends WheelEntry {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

export function createTokenClock(deps: TokenClockDeps): Controller {
  return new TokenClock(deps);
}

class TokenClock implements Controller {
  readonly #deps: TokenClockDeps;
  readonly #system: string;
  readonly #alarms = new Map<string, Alarm>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #wheel: TimerWheel<Alarm>;
  #following: Following | undefined;
  #running = false;

  constructor(deps: TokenClockDeps) {
    this.#deps = deps;
    const { registry, timers } = deps;
    this.#system = registry.identity.namespaces.system;
    const { slotsCount, tickMs } = tokenClockTimes;
    const options = { clock: registry.clock, timers, tickMs, slotsCount };
    this.#wheel = new TimerWheel<Alarm>(options, (alarm) => this.#ring(alarm));
  }

  start(): void {
    this.#running = true;
    const { registry, timers } = this.#deps;
    this.#following = followResource(registry.streams, timers, secretsResource, {
      name: 'token-clock',
      onState: (snapshot) => {
        for (const { name } of snapshot.entries(this.#system)) this.#look(name);
      },
      onChange: (namespace, name) => {
        if (namespace === this.#system) this.#look(name);
      },
    });
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#following?.stop();
    this.#wheel.stop();
    await Promise.all(this.#underWay);
  }

  #look(name: string): void {
    const leftMs = this.#leftMs(name);
    const alarm = this.#alarms.get(name);
    if (leftMs !== undefined) this.#set(name, Math.max(0, leftMs));
    else if (alarm !== undefined) {
      this.#wheel.cancel(alarm);
      this.#alarms.delete(name);
    }
  }

  /** Undefined: it cannot expire (any more). */
  #leftMs(name: string): number | undefined {
    const { clock, identity, streams } = this.#deps.registry;
    const entry = streams.snapshot(secretsResource).get(this.#system, name);
    if (entry === undefined || entry.timer?.state === 'expired') return undefined;
    if (entry.fields['type'] !== identity.secretTypes.bootstrapToken) return undefined;
    const dueMs = bootstrapExpiry(identity, decodeObject(entry.bytes))?.dueMs;
    return dueMs === undefined ? undefined : dueMs - clock.nowMs();
  }

  #set(name: string, delayMs: number): void {
    if (!this.#running) return;
    const alarm = this.#alarms.get(name) ?? new Alarm(name);
    this.#alarms.set(name, alarm);
    const ticks = this.#wheel.ticks(Math.min(delayMs, tokenClockTimes.farMs));
    this.#wheel.schedule(alarm, this.#wheel.now() + ticks);
  }

  #ring({ name }: Alarm): void {
    this.#alarms.delete(name);
    const leftMs = this.#leftMs(name);
    if (leftMs === undefined) return;
    if (leftMs > 0) {
      this.#set(name, leftMs);
      return;
    }
    const telling = this.#tell(name).finally(() => this.#underWay.delete(telling));
    this.#underWay.add(telling);
  }

  async #tell(name: string): Promise<void> {
    const { onError, registry } = this.#deps;
    const nowMs = registry.clock.nowMs();
    const key = { ...secretsResource, namespace: this.#system, name };
    const command = { type: 'due', nowMs, qualifiedResource: secretsResource } as const;
    try {
      const outcome = await registry.actors.execute(key, command);
      if (outcome.kind === 'refused' && outcome.error.code !== 404) throw outcome.error;
    } catch (error) {
      onError(name, error);
      this.#set(name, tokenClockTimes.retryMs);
    }
  }
}
