/**
 * The objects that the server itself maintains beside roles and namespaces: which ones, by which
 * server, how often.
 *
 *     where controllers run   priority classes (at the start); flow control, namespaces, since when
 *                             uses of tokens are marked (every minute); service ranges (every ten
 *                             seconds); conditions of flow schemas (when they change)
 *     on every server         whom it trusts (when it is changed, and every minute), the service
 *                             default/kubernetes (every ten seconds)
 *
 * A server with a store to itself has made them before it serves anybody.
 *
 * Elsewhere: the objects (src/apis/flowcontrol, src/apis/scheduling) and the controllers
 * (src/controllers/system).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { defaultNamespaces } from '../../apis/core/namespaces/default-namespaces.ts';
import {
  autoUpdateAnnotation,
  defaultFlowSchemas,
  defaultPriorityLevels,
} from '../../apis/flowcontrol/default-configuration.ts';
import type { DefaultConfiguration } from '../../apis/flowcontrol/default-configuration.ts';
import { systemPriorityClasses } from '../../apis/scheduling/system-priority-classes.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import { identityLeaseName } from '../../controllers/identity-lease.ts';
import type { ServerInstance } from '../../controllers/identity-lease.ts';
import { leaseKind } from '../../controllers/lease-object.ts';
import { repeatWork } from '../../controllers/repeated-work.ts';
import { createTrustController } from '../../controllers/system/authentication-trust.ts';
import type { AuthenticationTrust } from '../../controllers/system/authentication-trust.ts';
import { asStored, ensureObject, noRepair } from '../../controllers/system/ensured-object.ts';
import { reconcileFlowControl } from '../../controllers/system/flow-control-defaults.ts';
import { policyTypeChecks } from './policy-type-checks.ts';
import { createFlowSchemaConditions } from '../../controllers/system/flow-schema-conditions.ts';
import { createKubernetesService } from '../../controllers/system/kubernetes-service.ts';
import type { Peers } from '../../controllers/system/kubernetes-service.ts';
import { liveServers } from '../../controllers/system/live-servers.ts';
import type { ServerAddress } from '../../controllers/system/server-endpoints.ts';
import { reconcileTokenTracking } from '../../controllers/system/token-tracking.ts';
import { reconcileServiceCidrs } from '../../controllers/system/service-cidrs.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { ControllerShortName } from './controller-choice.ts';
import type { Log } from './log.ts';
import type { CompletedConfig } from '../config/options.ts';
import type { ServerParts } from './server-parts.ts';

const minuteMs = 60_000;
const serviceRangesMs = 10_000;
const retryMs = 1000;

/** Minor release of 1 that began to say since when uses of legacy tokens are marked. */
const tracksTokens = 27;

/** What the service leads to where nothing is served securely. */
const noSecurePort = 443;

export interface SystemObjectsDeps {
  readonly parts: Pick<ServerParts, 'language' | 'queues' | 'registry'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly trust: () => AuthenticationTrust;
  /** Other servers may run over the same store. */
  readonly shared: boolean;
}

/** Where this server is, once it listens. */
export interface ServerLocation {
  readonly instance: ServerInstance;
  /** Undefined: others do not reach it. */
  readonly own: ServerAddress | undefined;
  readonly securePort: number | undefined;
}

/** Others reach the secure port alone, and not every address. */
export function ownAddress(
  { system }: CompletedConfig,
  port: number | undefined,
): ServerAddress | undefined {
  const address = system.advertisedAddress;
  return address === undefined || port === undefined ? undefined : { address, port };
}

export interface SystemObjects {
  /** Where controllers run. */
  controllers(registry: RegistryDeps): Controller;
  /** On every server. */
  everywhere(where: ServerLocation): Controller;
}

interface Job {
  readonly name: ControllerShortName;
  readonly work: (registry: RegistryDeps) => Promise<void>;
  /** Undefined: at the start alone. */
  readonly everyMs: number | undefined;
}

/** Where nobody else makes them, what needs no address is there when this resolves. What fails is
 * logged, and tried again later. */
export async function startSystemObjects(
  config: CompletedConfig,
  deps: SystemObjectsDeps,
): Promise<SystemObjects> {
  const { log, timers } = deps;
  const chosen = config.tokens.controllers;
  const jobs = jobsOf(config).filter(({ name }) => chosen.has(name));
  const failed = (name: string) => (error: unknown) =>
    log.error({ err: error, controller: name }, 'objects of the system could not be made');
  const trust = chosen.has('clusterauthenticationtrust') ? trustKeeperOf(deps) : undefined;
  if (!deps.shared) {
    const works = jobs.map(({ name, work }) => work(deps.parts.registry).catch(failed(name)));
    await Promise.all([...works, trust?.reconcile().catch(failed('clusterauthenticationtrust'))]);
  }
  return {
    controllers: (registry) =>
      controllerManager([
        ...jobs.map(({ name, work, everyMs }) =>
          repeatWork({
            timers,
            work: () => work(registry),
            afterSuccessMs: everyMs,
            afterFailureMs: retryMs,
            onError: failed(name),
          }),
        ),
        ...(chosen.has('flowcontrol') ? conditionsOf(registry, deps) : []),
        ...(chosen.has('validatingadmissionpolicystatus') ? typeChecksOf(registry, deps) : []),
      ]),
    everywhere: (where) =>
      controllerManager([
        ...(trust === undefined ? [] : [trust]),
        ...(chosen.has('kubernetesservice') ? [serviceOf(config, deps, where)] : []),
      ]),
  };
}

function jobsOf({ release, system }: CompletedConfig): readonly Job[] {
  const kept =
    (objectsOf: (identity: Identity) => readonly DefaultConfiguration[], resource: string) =>
    async (registry: RegistryDeps): Promise<void> => {
      const { identity, scheme } = registry;
      const kind = scheme.findStorage({ group: identity.groups.flowcontrol, resource });
      if (kind === undefined) return;
      const objects = objectsOf(identity).filter(({ since }) => since <= release);
      await reconcileFlowControl(registry, kind, objects, autoUpdateAnnotation(identity));
    };
  const levels = kept(defaultPriorityLevels, 'prioritylevelconfigurations');
  const schemas = kept(defaultFlowSchemas, 'flowschemas');
  return [
    { name: 'systemnamespaces', work: keepNamespaces, everyMs: minuteMs },
    {
      name: 'legacytokentracking',
      async work(registry) {
        const kind = registry.scheme.findStorage({ group: '', resource: 'configmaps' });
        if (kind !== undefined && release >= tracksTokens)
          await reconcileTokenTracking(registry, kind);
      },
      everyMs: minuteMs,
    },
    { name: 'systempriorityclasses', work: keepPriorityClasses, everyMs: undefined },
    {
      name: 'flowcontrol',
      async work(registry) {
        await levels(registry);
        await schemas(registry);
      },
      everyMs: minuteMs,
    },
    {
      name: 'servicecidr',
      work: (registry) => reconcileServiceCidrs(registry, system.serviceRanges),
      everyMs: serviceRangesMs,
    },
  ];
}

async function keepNamespaces(registry: RegistryDeps): Promise<void> {
  const kind = registry.scheme.findStorage({ group: '', resource: 'namespaces' });
  if (kind === undefined) return;
  for (const each of defaultNamespaces(registry.identity)) {
    await ensureObject(registry, kind, each, noRepair);
  }
}

async function keepPriorityClasses(registry: RegistryDeps): Promise<void> {
  const { identity, scheme } = registry;
  const group = identity.fill('scheduling.{domain}');
  const kind = scheme.findStorage({ group, resource: 'priorityclasses' });
  if (kind === undefined) return;
  const wanted = systemPriorityClasses(identity).map((each) => asStored(each, kind));
  await Promise.all(wanted.map((each) => ensureObject(registry, kind, each, noRepair)));
}

function conditionsOf(
  registry: RegistryDeps,
  { log, timers }: SystemObjectsDeps,
): readonly Controller[] {
  const find = (resource: string): KindInfo | undefined =>
    registry.scheme.findStorage({ group: registry.identity.groups.flowcontrol, resource });
  const [schemas, levels] = [find('flowschemas'), find('prioritylevelconfigurations')];
  if (schemas === undefined || levels === undefined) return [];
  const onError = (schema: string, error: unknown): void =>
    log.warn({ err: error, schema }, 'the condition of a flow schema was not written; tried again');
  return [createFlowSchemaConditions({ registry, timers, schemas, levels, onError })];
}

function typeChecksOf(
  registry: RegistryDeps,
  { log, parts, timers }: SystemObjectsDeps,
): readonly Controller[] {
  const { language, queues } = parts;
  return policyTypeChecks({ registry, language, queues, timers, log });
}

function trustKeeperOf({ parts, timers, log, trust }: SystemObjectsDeps) {
  return createTrustController({
    registry: parts.registry,
    timers,
    queues: parts.queues,
    trust,
    onError: (error) =>
      log.warn({ err: error }, 'whom this server trusts could not be told; it is tried again'),
  });
}

function serviceOf(
  config: CompletedConfig,
  deps: SystemObjectsDeps,
  { instance, own, securePort }: ServerLocation,
): Controller {
  const { parts, timers, log } = deps;
  return createKubernetesService({
    registry: parts.registry,
    timers,
    clusterIp: config.system.serviceAddress,
    port: securePort ?? noSecurePort,
    own,
    peers: peersOf(config, deps, instance),
    onError: (error) =>
      log.warn({ err: error }, 'the service of the API servers was not kept; it is tried again'),
  });
}

function peersOf(
  { featureGates }: CompletedConfig,
  { parts: { registry }, shared }: SystemObjectsDeps,
  own: ServerInstance,
): Peers {
  if (!shared) return { kind: 'alone' };
  const announces = featureGates.get('APIServerIdentity') ?? false;
  const kind = leaseKind(registry);
  if (!announces || kind === undefined) return { kind: 'unknown' };
  return { kind: 'known', present: liveServers(registry, kind, identityLeaseName(own)) };
}
