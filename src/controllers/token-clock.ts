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

const tokenClockTimes = { tickMs: 1000, slotsCount: 512, farMs: 24 * 3600_000, retryMs: 5000 } as const;

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

export function createTokenClock({ onError, registry, timers }: TokenClockDeps): Controller {
  const { actors, clock, identity, streams } = registry;
  const { system } = identity.namespaces;
  const { farMs, retryMs, slotsCount, tickMs } = tokenClockTimes;
  const alarms = new Map<string, Alarm>();
  const underWay = new Set<Promise<void>>();
  let following: Following | undefined;
  let running = false;

  const tell = async (name: string): Promise<void> => {
    const key = { ...secretsResource, namespace: system, name };
    const command = { type: 'due', nowMs: clock.nowMs(), qualifiedResource: secretsResource } as const;
    try {
      const outcome = await actors.execute(key, command);
      if (outcome.kind !== 'refused' || outcome.error.code === 404) return;
      throw outcome.error;
    } catch (error) {
      onError(name, error);
      set(name, retryMs);
    }
  };
  const ring = ({ name }: Alarm): void => {
    alarms.delete(name);
    const leftMs = dueIn(name);
    if (leftMs === undefined) return;
    if (leftMs > 0) {
      set(name, leftMs);
      return;
    }
    const telling = tell(name).finally(() => underWay.delete(telling));
    underWay.add(telling);
  };
  const wheel = new TimerWheel<Alarm>({ clock, timers, tickMs, slotsCount }, ring);
  const set = (name: string, delayMs: number): void => {
    if (!running) return;
    const alarm = alarms.get(name) ?? new Alarm(name);
    alarms.set(name, alarm);
    wheel.schedule(alarm, wheel.now() + wheel.ticks(Math.min(delayMs, farMs)));
  };
  /** Undefined: it cannot expire (any more). */
  const dueIn = (name: string): number | undefined => {
    const entry = streams.snapshot(secretsResource).get(system, name);
    const typed = entry?.fields['type'] === identity.secretTypes.bootstrapToken;
    const expiry = entry && typed ? bootstrapExpiry(identity, decodeObject(entry.bytes)) : undefined;
    if (entry === undefined || expiry?.dueMs === undefined) return undefined;
    return entry.timer?.state === 'expired' ? undefined : expiry.dueMs - clock.nowMs();
  };
  const look = (name: string): void => {
    const leftMs = dueIn(name);
    const alarm = alarms.get(name);
    if (leftMs !== undefined) set(name, Math.max(0, leftMs));
    else if (alarm !== undefined) {
      wheel.cancel(alarm);
      alarms.delete(name);
    }
  };
  return {
    start() {
      running = true;
      following = followResource(streams, timers, secretsResource, {
        onState(snapshot) {
          for (const { name } of snapshot.entries(system)) look(name);
        },
        onChange(namespace, name) {
          if (namespace === system) look(name);
        },
      });
    },
    async stop() {
      running = false;
      following?.stop();
      wheel.stop();
      await Promise.all(underWay);
    },
  };
}
