/**
 * The parts between the store and the requests, composed: streams, actors, authorization, registry.
 *
 *   store ▶ streams (caches loaded) ▶ committer, actors ▶ authorization ▶ registry ▶ defaults
 *
 * Elsewhere: listeners (serving.ts), background work (background.ts) and start and stop
 * (server.ts).
 */
import { availableParallelism } from 'node:os';
import { createActorSystem } from '../../../actors/actor-system.ts';
import type { ObjectActorSystem } from '../../../actors/actor-system.ts';
import { createRoot } from '../../../actors/root-actor.ts';
import type { RootActor } from '../../../actors/root-actor.ts';
import { createStreams } from '../../../streams/watch-cache.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { KeptEncodings } from '../../apimachinery/kept-encodings.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { ServedScheme } from '../../apimachinery/served-scheme.ts';
import { isAlreadyExists } from '../../apimachinery/status-error.ts';
import { defaultNamespaces } from '../../apis/core/namespaces/default-namespaces.ts';
import type { KindSet } from '../../apis/kind-set.ts';
import { connectionsOf, decisionsOf, operationsOf } from '../../apis/operations.ts';
import { apiServicesGroup, localApiServices } from '../../apis/local-api-services.ts';
import { strategiesOf } from '../../apis/strategies.ts';
import type { Authorization } from '../../authorization/authorization.ts';
import { reconcileApiServices } from '../../controllers/local-api-services.ts';
import { createAdmissionTimes } from '../../admission/admission-times.ts';
import type { AdmissionTimes } from '../../admission/admission-times.ts';
import { createSecurityCounts } from '../../admission/pod-security/security-counts.ts';
import type { SecurityCounts } from '../../admission/pod-security/security-counts.ts';
import { createQueueMeters } from '../../controllers/queue-meters.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import { reconcileRbacDefaults } from '../../controllers/rbac-defaults.ts';
import { turnLabels } from '../../endpoints/request-counts.ts';
import type { RequestInfo } from '../../endpoints/request-info.ts';
import { createAnswers } from '../../registry/answers.ts';
import { createObject } from '../../registry/create.ts';
import { createDecide } from '../../registry/decide.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { whenSettled } from '../../stdx/clock.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import type { Prng } from '../../stdx/prng.ts';
import { createTurnShare } from '../../stdx/turn-share.ts';
import type { TurnShare } from '../../stdx/turn-share.ts';
import { createTurnWatch } from '../../stdx/turn-watch.ts';
import type { TurnWatch } from '../../stdx/turn-watch.ts';
import { createCommitter } from '../../storage/committer.ts';
import type { GroupCommitter } from '../../storage/committer.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import type { Storage } from '../../storage/storage.ts';
import { createWriteStages } from '../../storage/write-stages.ts';
import type { WriteStages } from '../../storage/write-stages.ts';
import { writeGuards } from './admission.ts';
import { configuredPlugins } from './admission-configuration.ts';
import type { WriteGuardDeps } from './admission.ts';
import type { MakeNamespace } from '../../admission/namespaces.ts';
import { assert } from '../../stdx/assert.ts';
import { createAdmissionWebhooks } from './admission-webhooks.ts';
import type { AdmissionWebhookDeps } from './admission-webhooks.ts';
import type { AdmissionWebhooks } from './admission-webhooks.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { companionParts } from './companions.ts';
import { createPolicies, namespaceReader } from './policies.ts';
import type { Policies } from './policies.ts';
import { startAuthorization } from './authorization.ts';
import { openCommandLog } from './command-log-file.ts';
import { expressionLanguage } from './expression-language.ts';
import type { Language } from '../../cel/language.ts';
import { watchHeap } from './heap-watch.ts';
import type { HeapWatch } from './heap-watch.ts';
import type { Log } from './log.ts';
import { boundsReadiness, lostBounds } from './unreadable-records.ts';
import { isEnding } from './open-storage.ts';
import type { CompletedConfig } from '../config/options.ts';
import { readingPorts, recordPorts } from './record-ports.ts';
import { streamLimits } from './stream-limits.ts';
import { streamPorts } from './stream-ports.ts';
import { TokenDeadlines } from './token-deadlines.ts';
import { expiryOf } from './token-serving.ts';
import type { ResolveService, ServiceAddress } from '../../webhooks/service-resolver.ts';
import { serviceResolver } from './service-resolver.ts';
import { serveCustomResources, withCustomStrategies } from './custom-resources.ts';
import type { CustomResources, CustomResourcesDeps } from './custom-resources.ts';
import { createMigration } from './validation-migration.ts';
import type { Readiness } from '../../admission/readiness.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import { watchedTurns } from '../watchdog/watched-turns.ts';
import { warmAddresses } from './warm-addresses.ts';
import { warmExpressions } from './warm-expressions.ts';
import type { ServerMigration } from './validation-migration.ts';

export interface ServerParts {
  readonly storage: Storage;
  readonly streams: Streams;
  readonly actors: ObjectActorSystem;
  readonly root: RootActor;
  readonly tokens: TokenDeadlines;
  readonly committer: GroupCommitter;
  readonly registry: RegistryDeps;
  /** How long it takes. */
  readonly admission: Pick<AdmissionTimes, 'read'>;
  readonly securityCounts: Pick<SecurityCounts, 'read'>;
  readonly policies: Pick<Policies, 'conditions' | 'counts' | 'settled'>;
  readonly webhooks: Pick<AdmissionWebhooks, 'counts' | 'settled'>;
  /** Of the plugins that follow what is stored, and are on. */
  readonly admissionReadiness: ReadonlyMap<string, Pick<Readiness, 'refusal'>>;
  /** Of the controllers. */
  readonly queues: QueueMeters;
  readonly encodings: KeptEncodings;
  readonly turnWatch: TurnWatch<RequestInfo>;
  /** From requests to the sockets of who watches. */
  readonly stages: Pick<WriteStages, 'stages' | 'deliveries'>;
  readonly validation: Pick<ServerMigration, 'stats'>;
  readonly authorization: Authorization;
  /** Of what is given to services. */
  readonly allocations: readonly MetricSeries[];
  /** Undefined: definitions are not served, so nothing can be defined. */
  readonly customResources: CustomResources | undefined;
  /** Where this server takes HTTPS: webhooks may stand behind its own service. */
  setOwnAddress(address: ServiceAddress): void;
  readonly resolveService: ResolveService;
  /** What expressions in objects and configurations are written in. */
  readonly language: Language;
}

export interface PartsDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly identity: Identity;
  readonly kinds: KindSet;
  readonly scheme: ServedScheme;
  readonly storage: Storage;
  /** How records are written there. */
  readonly codec: RecordCodec;
  /** Whether other servers may run over the same store. */
  readonly shared: boolean;
  readonly log: Log;
  /** The log can no longer be followed: to go on would be to go on with a gap. */
  readonly onFatal: (error: unknown) => void;
}

/** Resolves when the caches are loaded and the objects that are always there exist.
 * @throws OptionsError, StorageError. */
export async function assembleParts(
  config: CompletedConfig,
  deps: PartsDeps,
): Promise<ServerParts> {
  const { clock, codec, timers, identity, kinds, scheme, storage, shared, log } = deps;
  const prng = systemPrng();
  const { committer, others, share, stages, streams } = await startAtStore(config, prng, deps);
  const language = expressionLanguage(config, identity);
  const turnWatch = turnWatchOf(scheme, { clock, timers });
  const turns = turnsOf(turnWatch, share, { clock, timers });
  const access = { streams, clock, timers, turns, identity, language, log };
  const authorization = startAuthorization(config.access.authorization, access);
  const common = { scheme, streams, turns, timers, prng, identity, kinds, language };
  // Each of the stages that follow has much to make: a signal is seen in between.
  await turns.pause(wholeTurnMs);
  const types = typeParts(config, { ...common, log });
  await turns.pause(wholeTurnMs);
  const { customResources, resolveService, setOwnAddress, strategyOf, validation } = types;
  const lost = lostBounds({ ...deps, streams });
  const bounds = { lost, configured: configuredPlugins(config, identity) };
  const companions = companionParts(config, { ...common, ...bounds, clock, codec });
  const makeNamespace = namespaceMaker(() => registry);
  const asked = { ...access, ...common, ...bounds, authorization, resolveService, makeNamespace };
  const { guardOf, ...admitted } = admissionParts(config, { ...asked, last: companions.plugins });
  const root = createRoot();
  const decide = createDecide({ scheme, identity, strategyOf, operations: decisionsOf(kinds) });
  const ports = { root, decide, storage, committer, clock, timers };
  const actors = createActorSystem({
    ...recordPorts(scheme, codec),
    ...actorSettings(config, deps),
    ...ports,
    answer: createAnswers(scheme, guardOf, strategyOf),
    pause: () => turns.pause(wholeTurnMs),
    ...companions.ofActors,
  });
  others.seen = (change) => actors.seen(change);
  const registry: RegistryDeps = {
    turns,
    actors,
    streams,
    scheme,
    identity,
    ...furtherOperations(config, deps),
    strategyOf,
    clock,
    prng,
    guardOf,
    companionRefusal: companions.refusal(() => registry),
  };
  await makeFirstObjects(registry, kinds, authorization.usesRbac && !shared);
  return {
    storage,
    streams,
    actors,
    root,
    tokens: new TokenDeadlines(),
    committer,
    registry,
    ...admitted,
    queues: createQueueMeters(clock),
    encodings: new KeptEncodings(config.keptEncodingsBytesMax),
    turnWatch,
    stages,
    validation,
    authorization,
    allocations: companions.series,
    customResources,
    ...{ setOwnAddress, resolveService, language },
  };
}

function isOnIn({ featureGates }: CompletedConfig): (gate: string) => boolean {
  return (gate) => featureGates.get(gate) ?? false;
}

/** What a release, or the operator, offers beside reading and writing. */
function furtherOperations(
  config: CompletedConfig,
  { identity, kinds }: PartsDeps,
): Pick<RegistryDeps, 'operationOf' | 'connectionOf' | 'isFeatureOn'> {
  return {
    operationOf: operationsOf(identity, kinds),
    connectionOf: connectionsOf(identity, kinds),
    isFeatureOn: isOnIn(config),
  };
}

/** What is always there, when all that is asked for each write knows what is stored. */
async function makeFirstObjects(
  registry: RegistryDeps,
  kinds: KindSet,
  withRbac: boolean,
): Promise<void> {
  await registry.streams.followers.settled();
  await Promise.all([createDefaults(registry), keepApiServices(registry, kinds)]);
  if (withRbac) await reconcileRbacDefaults(registry);
}

/** What kinds there are beside the scheme's own, and the rules of all. */
function typeParts(
  config: CompletedConfig,
  deps: Omit<CustomResourcesDeps, 'release' | 'resolveService'> & Pick<PartsDeps, 'log'>,
) {
  const { identity, kinds, language, log } = deps;
  const { toEndpoints } = config.admission;
  const own: { address?: ServiceAddress } = {};
  const ownAddress = () => own.address;
  const resolveService = serviceResolver({ ...deps, toEndpoints, ownAddress });
  const validation = createMigration(config.featureGates, log);
  const { release } = config;
  const customResources = serveCustomResources({ ...deps, resolveService, release });
  if (customResources !== undefined) warmExpressions(language);
  warmAddresses();
  const isFeatureOn = isOnIn(config);
  const builtIn = strategiesOf(identity, validation.migration, kinds, language, isFeatureOn);
  const strategyOf = withCustomStrategies(builtIn, customResources);
  const setOwnAddress = (address: ServiceAddress): void => void (own.address = address);
  return { customResources, resolveService, setOwnAddress, strategyOf, validation };
}

/** The guards of writes, with their metrics. */
function admissionParts(
  config: CompletedConfig,
  deps: Omit<WriteGuardDeps, 'times' | 'securityCounts' | 'policies' | 'webhooks'> &
    Pick<PartsDeps, 'log'> &
    Pick<AdmissionWebhookDeps, 'language' | 'resolveService'>,
) {
  const admission = createAdmissionTimes(deps.clock);
  const namespaces = namespaceReader(deps.streams);
  const stored = { ...deps, access: deps.authorization, namespaces };
  const mutating = config.featureGates.get('MutatingAdmissionPolicy') ?? false;
  const policies = createPolicies({ ...stored, mutating });
  const { conditions } = policies;
  const { webhookCallsMax: callsMax } = config.admission;
  const webhooks = createAdmissionWebhooks({ ...stored, conditions, callsMax });
  const securityCounts = createSecurityCounts(config.release);
  const reviewed = { ...deps, times: admission, securityCounts, policies, webhooks };
  const guardOf = writeGuards(config, reviewed);
  const { plugins } = config.admission;
  const readiness = Object.entries({
    ...policies.readiness,
    ...webhooks.readiness,
    LimitRanger: boundsReadiness(deps.lost, { group: '', resource: 'limitranges' }),
    ResourceQuota: boundsReadiness(deps.lost, { group: '', resource: 'resourcequotas' }),
  });
  const admissionReadiness = new Map(
    readiness.filter(([name]) => (plugins as ReadonlySet<string>).has(name)),
  );
  return { admission, admissionReadiness, guardOf, policies, securityCounts, webhooks };
}

/** Who is told of what others write: the actors, from when they are there. */
interface LogReader {
  seen?: ObjectActorSystem['seen'];
}

/** What writes to the store, and what follows it. */
async function startAtStore(config: CompletedConfig, prng: Prng, deps: PartsDeps) {
  const { clock, storage, timers } = deps;
  const others: LogReader = {};
  const stages = createWriteStages(clock);
  const share = createTurnShare(timers);
  const heap = watchHeap(storage.found?.records ?? 0);
  const streams = streamsOf(config, prng, stages, { ...deps, timers: share.timers }, others, heap);
  try {
    await streams.start();
  } finally {
    heap.end();
  }
  const committer = createCommitter({
    storage,
    clock,
    timers,
    largeTimers: share.timers,
    isEnding,
    stages,
    settled: whenSettled,
  });
  return { committer, others, share, stages, streams };
}

function actorSettings(config: CompletedConfig, { identity, log, shared }: PartsDeps) {
  const { commandLogFile, residentObjectsMax } = config;
  return {
    commandLog: commandLogFile === undefined ? undefined : openCommandLog(commandLogFile, log),
    onBroken: (error: unknown) =>
      log.error({ err: error }, 'an actor has failed; the next one reads anew'),
    soleWriter: !shared,
    limits: { residentMax: residentObjectsMax },
    expiryOf: expiryOf(identity),
  };
}

function streamsOf(
  config: CompletedConfig,
  prng: Prng,
  stages: WriteStages,
  { clock, codec, timers, storage, scheme, shared, log, onFatal }: PartsDeps,
  others: LogReader,
  heap: HeapWatch,
): Streams {
  return createStreams({
    ...streamPorts(codec),
    ...readingPorts(scheme),
    storage,
    clock,
    timers,
    prng,
    stages,
    limits: streamLimits(config, availableParallelism()),
    onApplied: shared ? (change) => others.seen?.(change) : undefined,
    onWaiting({ group, resource }, isWaiting) {
      if (isWaiting) log.error({ group, resource }, 'records cannot be read yet: keys are away');
      else log.info({ group, resource }, 'all records can be read again');
    },
    onLoaded: (records) => heap.loaded(records),
    onFollowerFailure: ({ name, error, failuresInARow, retryMs }) => {
      const context = { err: error, follower: name, failuresInARow, retryMs };
      log.error(context, 'what follows changes has failed; it begins anew');
    },
    onFatal,
  });
}

function turnWatchOf(
  scheme: Scheme,
  { clock, timers }: Pick<PartsDeps, 'clock' | 'timers'>,
): TurnWatch<RequestInfo> {
  return createTurnWatch({ clock, timers, describe: (info) => turnLabels(scheme, info) });
}

function turnsOf<L>(
  watch: TurnWatch<L>,
  share: TurnShare,
  deps: Pick<PartsDeps, 'clock' | 'timers'>,
): Turns {
  return share.yielding(watchedTurns({ ...deps, settled: whenSettled }, watch));
}

async function createDefaults(registry: RegistryDeps): Promise<void> {
  const kind = registry.scheme.findStorage({ group: '', resource: 'namespaces' });
  if (kind === undefined) return;
  for (const object of defaultNamespaces(registry.identity)) {
    const target = { kind, namespace: '' };
    const options = { dryRun: false, manager: registry.identity.serverName };
    const created = await createObject(registry, target, object, options);
    if (created.kind === 'ok' || isAlreadyExists(created.error)) continue;
    throw new Error('the default objects could not be made', { cause: created.error });
  }
}

/** Makes a missing namespace for a write into it, as the server itself. */
function namespaceMaker(registry: () => RegistryDeps): MakeNamespace {
  return async (name) => {
    const deps = registry();
    const kind = deps.scheme.findStorage({ group: '', resource: 'namespaces' });
    assert(kind !== undefined, 'there are namespaces where something is in one');
    const user = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} };
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const made = await createObject(deps, { kind, namespace: '' }, object, { dryRun: false, user });
    if (made.kind === 'ok' || isAlreadyExists(made.error)) return undefined;
    return made.error;
  };
}

/** What this server answers for itself is said where clients look. */
async function keepApiServices(registry: RegistryDeps, kinds: KindSet): Promise<void> {
  const { scheme, identity } = registry;
  const group = identity.fill(apiServicesGroup);
  const kind = scheme.findStorage({ group, resource: 'apiservices' });
  if (kind === undefined) return;
  await reconcileApiServices(registry, kind, localApiServices(scheme, identity, kinds));
}
