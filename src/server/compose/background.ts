/**
 * Background work of a server: compaction, controllers, its identity Lease.
 *
 *   store of its own    controllers run from start to stop, no Lease
 *   shared store        controllers run while this server holds the Lease `controllersLease`
 *
 * Compaction needs no Lease: any server may run it, and the store lets one do it at a time.
 *
 * Elsewhere: the controllers (src/controllers) and which of them run (controller-choice.ts).
 */
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createEventExpiry } from '../../controllers/event-expiry.ts';
import type { RemoteAccess } from '../../aggregation/remote-access.ts';
import { createGarbageCollector } from '../../controllers/garbage-collector.ts';
import { createIdentityLeaseCollector } from '../../controllers/identity-lease-collector.ts';
import { createIdentityLease } from '../../controllers/identity-lease.ts';
import type { IdentityLease, ServerInstance } from '../../controllers/identity-lease.ts';
import { createLeaderElection } from '../../controllers/leader-election.ts';
import type { LeaderElection } from '../../controllers/leader-election.ts';
import { leaseKind } from '../../controllers/lease-object.ts';
import { createNamespaceController } from '../../controllers/namespace-lifecycle.ts';
import { formatAddress } from '../../controllers/system/server-endpoints.ts';
import { yieldingRegistry } from '../../controllers/yielding-registry.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { compactorDefaults, createCompactor } from '../../storage/compactor.ts';
import type { ComponentHealth } from './component-statuses.ts';
import type { Log } from './log.ts';
import type { Measured } from '../metrics/metrics.ts';
import type { CompletedConfig } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';
import type { ServerParts } from './server-parts.ts';
import { ownAddress } from './system-objects.ts';
import type { ServerLocation } from './system-objects.ts';

const controllersLease = 'sluice-controllers';
/** As a health check has it. */
export const identityLeaseHook = 'start-kube-apiserver-identity-lease-controller';

export interface BackgroundDeps {
  readonly parts: ServerParts;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Other servers may run over the same store. */
  readonly shared: boolean;
  /** False where somebody else compacts the store. */
  readonly compacts: boolean;
  readonly hostname: string;
  /** Objects of other servers. */
  readonly remote: RemoteAccess;
  /** More controllers, where this server runs them. */
  readonly controllers: (registry: RegistryDeps) => Controller;
  /** What every server does for itself, once it listens. */
  readonly everywhere: (where: ServerLocation) => Controller;
}

export interface Background {
  /** Once the server listens: `endpoint` tells it from others of its host. */
  start(endpoint: string, securePort: number | undefined): void;
  stop(): Promise<void>;
  readonly measured: readonly Measured[];
  /** As this server's identity Lease is named; '': it has none. */
  serverId(): string;
  /** What the start has to do here, by the name of its health check: whether it is done. */
  readonly hooks: ReadonlyMap<string, () => boolean>;
  /** Whether anybody runs the controllers, as far as this server can see. */
  controllersHealth(): ComponentHealth;
}

/** @throws OptionsError when what is asked for needs Leases and they are not served. */
export function createBackground(config: CompletedConfig, deps: BackgroundDeps): Background {
  const { parts, shared, timers } = deps;
  const { registry } = parts;
  const announces = config.featureGates.get('APIServerIdentity') ?? false;
  const kind = leaseKind(registry);
  if (kind === undefined && (shared || announces)) {
    throw new OptionsError(
      '--runtime-config: leases cannot be left out where several servers share a store, ' +
        'nor with --feature-gates=APIServerIdentity=true',
    );
  }
  const controllers = (own: RegistryDeps): Controller =>
    controllerManager([
      controllersOf(yieldingRegistry(own), announces ? kind : undefined, config, deps),
      deps.controllers(own),
    ]);
  const election = kind !== undefined && shared ? electionOf(deps, kind, controllers) : undefined;
  const compactor = createCompactor({
    storage: parts.storage,
    clock: deps.clock,
    timers,
    historyMs: config.watchHistoryMs,
    intervalMs: Math.min(compactorDefaults.intervalMs, config.watchHistoryMs),
    onError: (error) => deps.log.error({ err: error }, 'compaction failed; it is tried again'),
  });
  const running: Controller[] = [election ?? controllers(registry)];
  if (deps.compacts) running.push(compactor);
  let identity: IdentityLease | undefined;
  let started = false;
  let everywhere: Controller | undefined;
  return {
    start(endpoint, securePort) {
      started = true;
      const own = ownAddress(config, securePort);
      const instance = { hostname: deps.hostname, endpoint, advertised: own && formatAddress(own) };
      if (kind !== undefined && announces) {
        identity = identityLeaseOf(deps, kind, instance);
        identity.start();
      }
      everywhere = deps.everywhere({ instance, own, securePort });
      everywhere.start();
      controllerManager(running).start();
    },
    async stop() {
      // First the server says that it goes, then it takes back what it has said of itself.
      const leave = async (): Promise<void> => {
        await identity?.stop();
        await everywhere?.stop();
      };
      await Promise.all([controllerManager(running).stop(), leave()]);
    },
    hooks: new Map(
      announces && kind !== undefined
        ? [[identityLeaseHook, () => !Number.isNaN(identity?.ageSeconds ?? NaN)]]
        : [],
    ),
    serverId: () => identity?.name ?? '',
    controllersHealth: () => healthOf(election, started),
    measured: measuredOf(election, announces ? () => identity?.ageSeconds ?? NaN : undefined),
  };
}

function controllersOf(
  registry: RegistryDeps,
  identityLeases: KindInfo | undefined,
  { eventTtlMs, tokens }: CompletedConfig,
  deps: BackgroundDeps,
): Controller {
  const { log, timers } = deps;
  const chosen = tokens.controllers;
  const running: Controller[] = [];
  if (chosen.has('namespace')) running.push(namespacesOf(registry, deps));
  if (chosen.has('garbagecollector')) running.push(garbageOf(registry, deps));
  const events = createEventExpiry({
    registry,
    timers,
    ttlMs: eventTtlMs,
    onError: (error) => log.warn({ err: error }, 'expired events were not removed; tried again'),
  });
  running.push(events);
  if (identityLeases === undefined) return controllerManager(running);
  const collector = createIdentityLeaseCollector({
    registry,
    timers,
    kind: identityLeases,
    onError: (error) => log.warn({ err: error }, 'expired leases of servers were not removed'),
  });
  return controllerManager([...running, collector]);
}

function namespacesOf(registry: RegistryDeps, deps: BackgroundDeps): Controller {
  const { log, parts, remote, timers } = deps;
  return createNamespaceController({
    registry,
    remote,
    timers,
    queues: parts.queues,
    onError: (namespace, error) => {
      log.error({ err: error, namespace }, 'a namespace could not be emptied; it is tried again');
    },
  });
}

function garbageOf(registry: RegistryDeps, deps: BackgroundDeps): Controller {
  const { log, parts, remote, timers } = deps;
  return createGarbageCollector({
    registry,
    remote,
    timers,
    queues: parts.queues,
    onMisplaced: ({ kind, entry }) => {
      const object = `${kind.kind} ${entry.name}`;
      log.warn({ object }, 'an object without a namespace names an owner in one: it is kept');
    },
    onError: (reference, error) => {
      log.error({ err: error, reference }, 'garbage could not be collected; it is tried again');
    },
  });
}

function electionOf(
  { hostname, log, parts, timers }: BackgroundDeps,
  kind: KindInfo,
  lead: (registry: RegistryDeps) => Controller,
): LeaderElection {
  return createLeaderElection({
    registry: parts.registry,
    timers,
    kind,
    leaseName: controllersLease,
    holder: `${hostname}_${parts.registry.prng.uuid()}`,
    lead,
    onChange: (leading, why) => {
      log.info({ why }, leading ? 'controllers run here' : 'controllers no longer run here');
    },
    onError: (error) => log.warn({ err: error }, 'the lease of controllers: it is tried again'),
  });
}

function identityLeaseOf(
  { log, parts, timers }: BackgroundDeps,
  kind: KindInfo,
  instance: ServerInstance,
): IdentityLease {
  return createIdentityLease({
    registry: parts.registry,
    timers,
    kind,
    instance,
    onError: (error) => log.warn({ err: error }, 'the lease of this server was not renewed'),
  });
}

function healthOf(election: LeaderElection | undefined, started: boolean): ComponentHealth {
  if (election?.leading ?? started) return { kind: 'healthy', message: 'ok' };
  const leader = election?.leader();
  return leader === undefined
    ? { kind: 'unhealthy', error: 'no server runs the controllers' }
    : { kind: 'healthy', message: `ok: run by ${leader}` };
}

function measuredOf(
  election: LeaderElection | undefined,
  identityAge: (() => number) | undefined,
): readonly Measured[] {
  const measured: Measured[] = [];
  if (election !== undefined) {
    const labels = { name: controllersLease };
    measured.push(
      {
        name: 'leader_election_master_status',
        help: '1 while this server holds the lease.',
        labels,
        read: () => (election.leading ? 1 : 0),
      },
      {
        name: 'sluice_leader_terms_total',
        help: 'Times this server has acquired the lease.',
        labels,
        read: () => election.termsTotal,
      },
    );
  }
  if (identityAge !== undefined) {
    measured.push({
      name: 'sluice_identity_lease_age_seconds',
      help: "Time since this server's own lease was renewed.",
      read: identityAge,
    });
  }
  return measured;
}
