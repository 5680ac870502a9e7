/**
 * The composition root: starts a server from its parts, in this order, and stops it.
 *
 *   start   the store's place ▶ keys ▶ listen (early-answers.ts) ▶ store ▶ key services are well ▶
 *           streams ▶ actors ▶ the system's objects ▶ controllers ▶ ready
 *   stop    readyz fails ▶ (delay) ▶ no new connections ▶ watches end ▶ writes in flight finish
 *           ▶ store closes
 *
 * Elsewhere: the construction of the parts: open-storage.ts, server-parts.ts (request handling),
 * serving.ts (listeners), background.ts (background work).
 *
 * Invariant: after stop() resolves nothing of this server runs, and another one may open the store.
 */
import { hostname } from 'node:os';
import type { Identity } from '../../apimachinery/identity.ts';
import { identityOf } from '../../apimachinery/identity.ts';
import type { ServedScheme } from '../../apimachinery/served-scheme.ts';
import { buildScheme } from '../../apis/build-scheme.ts';
import { builtInKinds } from '../../apis/kind-set.ts';
import type { KindSet } from '../../apis/kind-set.ts';
import { parseRuntimeConfig } from '../../apis/runtime-config.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { sleep, systemClock, systemTimers } from '../../stdx/clock.ts';
import { createAbandonable } from '../../storage/abandonable.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { fetchingCommits, fetchingStorage } from '../../storage/fetching-storage.ts';
import type { Storage, StoreKey } from '../../storage/storage.ts';
import { timedStorage } from '../../storage/timed-storage.ts';
import { startAggregation } from './aggregation.ts';
import type { AggregationPart } from './aggregation.ts';
import { awaitedResources } from './awaited-resources.ts';
import type { AwaitedResources } from './awaited-resources.ts';
import { assembleAccess, readAccessMaterial } from './access.ts';
import type { AccessMaterial, AccessParts } from './access.ts';
import { StartStopped } from '../known-failures.ts';
import { startAudit } from './audit.ts';
import type { AuditDeps, AuditPart } from './audit.ts';
import { createBackground } from './background.ts';
import { allocationControllers } from './companions.ts';
import type { Background } from './background.ts';
import { connectionDeps } from './connections.ts';
import { createFront } from './early-answers.ts';
import { startFlowControl } from './flow-control.ts';
import { createLogFollow } from './log-follow.ts';
import { issuerDocuments } from './token-serving.ts';
import { assembleParts } from './server-parts.ts';
import type { ServerParts } from './server-parts.ts';
import { createTransportLoad } from '../../transport/load.ts';
import type { TransportLoad } from '../../transport/load.ts';
import { createServing, transportLimits } from './serving.ts';
import type { Serving } from './serving.ts';
import { adminAccess, writeKubeconfig } from './kubeconfig.ts';
import { prepareListeners } from './listeners.ts';
import type { Listeners, OpenPorts, TlsMaterial } from './listeners.ts';
import type { Log } from './log.ts';
import { readEncryption } from './encryption.ts';
import type { StoreEncryption } from './encryption.ts';
import type { FollowedConfiguration } from './followed-configuration.ts';
import { holdStorage, makeDataDir, openStorage } from './open-storage.ts';
import type { TokenPort } from '../config/access-options.ts';
import type { CompletedConfig } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';
import { guardSecretFiles } from './secret-files.ts';
import { startSystemObjects } from './system-objects.ts';
import type { SystemObjects } from './system-objects.ts';
import { followTls } from './tls-reload.ts';
import type { FollowedTls } from './tls-reload.ts';
import { startTracing } from './tracing.ts';
import type { TracingPart } from './tracing.ts';

export interface RunningServer {
  /** Of the secure port, where there is one. */
  readonly url: string;
  /** Of plain HTTP beside the secure port. */
  readonly httpUrl: string | undefined;
  /** HTTPS for callers with tokens. */
  readonly tokenUrl: string | undefined;
  /** Adapter and binary, for the ready line. */
  readonly transport: string;
  /** Path of the client configuration; '' in a worker, whose primary writes it. */
  readonly kubeconfig: string;
  /** For tests and operators' tools that run in the same process. */
  readonly parts: ServerParts;
  stop(): Promise<void>;
}

export interface ServerEnvironment {
  readonly log: Log;
  /** A promise would be broken by going on. */
  readonly onFatal: (error: unknown) => void;
  readonly clock?: Clock | undefined;
  readonly timers?: Timers | undefined;
  /** Whether the process ends when the server has stopped. Default: it goes on. */
  readonly endsProcess?: boolean | undefined;
  /** What is served. Default: the built-in kinds. Workers serve those, whatever stands here. */
  readonly kinds?: KindSet | undefined;
  /** Aborted when the server is to end before it is ready: then the start rejects. */
  readonly stopping?: AbortSignal | undefined;
  /** Which of the servers over one store and one address this is; undefined: the only one. */
  readonly worker?: WorkerAssignment | undefined;
}

/** What a worker is given by its primary process instead of finding it itself. */
export interface WorkerAssignment {
  readonly number: number;
  /** As in AccessConfig, chosen already. */
  readonly ports: WorkerPorts;
  /** The store that the primary holds and compacts. Undefined: the worker opens its own. */
  readonly storage: Storage | undefined;
  /** Whether it answers while it reads the store; not where another worker serves: that one should.
   * Default: it does. */
  readonly answersEarly?: boolean | undefined;
}

export interface WorkerPorts {
  readonly http: number | undefined;
  readonly secure: number | undefined;
  readonly tokens: TokenPort | undefined;
}

/** @throws OptionsError (also when the address is not to be had), StorageError, StartStopped. */
export async function startServer(
  config: CompletedConfig,
  environment: ServerEnvironment,
): Promise<RunningServer> {
  const { log, stopping, worker } = environment;
  const clock = environment.clock ?? systemClock;
  const timers = environment.timers ?? systemTimers;
  const identity = identityOf(config.identity);
  for (const warning of config.warnings) log.warn({}, warning);
  const kinds = environment.kinds ?? builtInKinds;
  const scheme = schemeOf(config, identity, kinds, log);
  const transportLoad = createTransportLoad({
    ...transportLimits(config),
    spool: { directory: config.dataDir, bytesMax: config.load.spooledBytesMax },
  });
  const prepared = await preparePorts(config, worker, transportLoad, log);
  makeDataDir(config.dataDir);
  const lock = worker === undefined ? await holdStorage(config) : undefined;
  const begun: Begun = { undo: [async () => lock?.release()], failed: false };
  const basics = { clock, timers, identity, kinds, log, scheme, transportLoad };
  const start = async (): Promise<RunningServer> => {
    guardSecretFiles(config, worker?.number, log);
    const material = await readAccessMaterial(config, identity, clock);
    const encryption = await readEncryption(config, basics, identity);
    begun.undo.push(() => Promise.resolve(encryption.close()));
    const shuttingDown = (): boolean => stopping?.aborted ?? false;
    const { codec, servicesHealthy } = encryption;
    const front = createFront(config, { identity, clock, shuttingDown, servicesHealthy });
    const open = async (): Promise<Listeners> => {
      const listeners = await prepared(material.tls, front.handler, front.handshakeFailed);
      begun.undo.push(() => listeners.close(true));
      return listeners;
    };
    const early = (worker?.answersEarly ?? true) ? await open() : undefined;
    const store = worker?.storage ?? (await openStorage(config, clock, timers, log, codec, lock));
    begun.undo.push(() => store.close());
    const { areKeysNeeded, mayWait } = awaitedResources(scheme, codec);
    await encryption.start(store, areKeysNeeded);
    const composed = await compose(config, environment, {
      ...basics,
      store,
      encryption,
      material,
      begun,
      mayWait,
    });
    const { background, parts, serving } = composed;
    const server = early ?? (await open());
    const { url, address, securePort, httpUrl, tokenUrl, name: transport } = server;
    setOwnAddress(config, parts, securePort);
    serving.setAddress(address);
    front.give(serving);
    const place = worker === undefined ? address : `${address}/${worker.number}`;
    background.start(place, securePort);
    const { turns } = composed.parts.registry;
    const following = { log, timers, turns };
    const { kubeconfig, tlsFiles } = keepTls(config, worker, server, material, following);
    const running = { ...composed, server, clock, timers, tlsFiles };
    const stop = stopper(config, running, environment);
    return { url, httpUrl, tokenUrl, transport, kubeconfig, parts, stop };
  };
  try {
    return await unlessStopped(start(), stopping);
  } catch (error) {
    begun.failed = true;
    for (const undo of begun.undo.reverse()) await undo();
    throw error;
  }
}

/** What a start has taken by now, for one that fails. */
interface Begun {
  readonly undo: (() => Promise<void>)[];
  failed: boolean;
}

/** What is left of a start that is stopped ends as the store is closed under it. */
function unlessStopped<T>(start: Promise<T>, stopping: AbortSignal | undefined): Promise<T> {
  if (stopping === undefined) return start;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new StartStopped());
    stopping.addEventListener('abort', stop);
    if (stopping.aborted) stop();
    start.then(resolve, reject).finally(() => stopping.removeEventListener('abort', stop));
  });
}

interface ComposeDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly identity: Identity;
  readonly kinds: KindSet;
  readonly log: Log;
  readonly scheme: ServedScheme;
  readonly transportLoad: TransportLoad;
  readonly store: Storage;
  readonly encryption: StoreEncryption;
  readonly material: AccessMaterial;
  readonly begun: Begun;
  readonly mayWait: AwaitedResources['mayWait'];
}

/** All that answers requests, over a store whose objects are in memory then. */
async function compose(
  config: CompletedConfig,
  environment: ServerEnvironment,
  { store, encryption, material, begun, scheme, mayWait, transportLoad, ...basics }: ComposeDeps,
) {
  const { timers } = basics;
  const { worker } = environment;
  const { codec } = encryption;
  const holdsStore = worker?.storage === undefined;
  const { abandonStore, storage, storeTimes } = storeParts(store, codec, holdsStore, {
    ...basics,
    mayWait,
  });
  // A start that failed closes the store under its followers: that is no second failure.
  const onFatal = (error: unknown): void => {
    if (!begun.failed) environment.onFatal(error);
  };
  const shared = isShared(config, environment);
  const watched = await startObserving(config, { ...basics, worker: worker?.number });
  const over = { codec, scheme, storage, shared, onFatal };
  const parts = await assembleParts(config, { ...basics, ...over });
  const keys = encryption.follow({ ...basics, turns: parts.registry.turns });
  const common = { ...basics, codec, parts };
  const access = assembleAccess(config, { ...common, material, shared });
  const aggregated = await startAggregation(config, { ...common, ...material });
  const system = await startSystemObjects(config, { ...common, shared, trust: access.trust });
  const background = createBackground(config, {
    ...common,
    shared,
    compacts: holdsStore,
    hostname: hostname(),
    remote: aggregated.remote,
    controllers: controllersOf(config, common, access, system, aggregated),
    everywhere: (where) => system.everywhere(where),
  });
  const flow = await startFlowControl(config, common);
  const serving = createServing(config, {
    ...common,
    flow,
    background,
    logFollow: createLogFollow(parts.streams, storage, timers),
    worker: worker?.number,
    authentication: access.authentication,
    reviews: access.reviews,
    aggregation: aggregated.aggregation,
    accessSeries: [...access.series, ...keys.series, ...aggregated.series],
    storeTimes,
    servicesHealthy: encryption.servicesHealthy,
    transportLoad,
    connections: connectionDeps(
      config.kubelet,
      material.pki.kubeletClient,
      basics.identity,
      timers,
    ),
    ...watched,
    issuerDocuments: (address) => issuerDocuments(access.tokens, address),
  });
  return {
    parts,
    access,
    aggregated,
    keys,
    encryption,
    ...watched,
    background,
    serving,
    abandonStore,
  };
}

/** What is written down of requests. @throws OptionsError. */
async function startObserving(config: CompletedConfig, deps: AuditDeps) {
  const audit = startAudit(config.audit, deps);
  return { audit, tracing: await startTracing(config.tracingFile, deps) };
}

/** As the rest sees it. `isHeld`: not by a primary, which looks after its commits. */
function storeParts(
  store: Storage,
  codec: RecordCodec,
  isHeld: boolean,
  { clock, mayWait, timers }: Pick<ComposeDeps, 'clock' | 'mayWait' | 'timers'>,
) {
  const patienceOf = (key: StoreKey) => (mayWait(key) ? 'if-well' : 'patient');
  const { abandon, storage: answering } = createAbandonable(store, timers);
  const committing = isHeld ? fetchingCommits(answering, codec) : answering;
  const reading = fetchingStorage(committing, codec, patienceOf);
  const { storage, times } = timedStorage(reading, clock);
  return { storage, storeTimes: times, abandonStore: abandon };
}

/** Webhooks that name the server itself are asked there. */
function setOwnAddress(
  { bindAddress }: CompletedConfig,
  parts: ServerParts,
  port: number | undefined,
): void {
  if (port !== undefined) parts.setOwnAddress({ host: reachedLocally(bindAddress), port });
}

interface Controlling {
  readonly codec: RecordCodec;
  readonly parts: ServerParts;
  readonly log: Log;
  readonly timers: Timers;
}

function controllersOf(
  config: CompletedConfig,
  { codec, parts, log, timers }: Controlling,
  access: AccessParts,
  system: SystemObjects,
  aggregated: AggregationPart,
): (registry: RegistryDeps) => Controller {
  const { customResources, queues } = parts;
  return (registry) => {
    const ports = { log, timers, queues };
    const own = customResources === undefined ? [] : [customResources.controllers(registry, ports)];
    const allocations = allocationControllers(config, registry, {
      ...ports,
      codec,
      committer: parts.committer,
    });
    return controllerManager([
      access.controllers(registry),
      system.controllers(registry),
      aggregated.controllers(registry),
      ...allocations,
      ...own,
    ]);
  };
}

/** The ports follow the files of TLS, and so does the kubeconfig; of a worker there is none: its
 * primary writes it. */
function keepTls(
  { access, dataDir }: CompletedConfig,
  worker: WorkerAssignment | undefined,
  ports: Listeners,
  { files, pki, rootCa, tls }: AccessMaterial,
  deps: Pick<FollowedTls, 'log' | 'timers' | 'turns'>,
): { readonly kubeconfig: string; readonly tlsFiles: { stop(): void } } {
  const onServing = (served: TlsMaterial): string =>
    worker === undefined ? writeKubeconfig(dataDir, adminAccess(ports, served, pki, rootCa)) : '';
  const kubeconfig = onServing(tls);
  const { cas } = files;
  return { kubeconfig, tlsFiles: followTls(access, { ...deps, tls, cas, ports, onServing }) };
}

interface Running {
  readonly parts: ServerParts;
  readonly serving: Serving;
  readonly server: Listeners;
  readonly background: Background;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly audit: AuditPart | undefined;
  readonly tracing: TracingPart | undefined;
  readonly access: Pick<AccessParts, 'stop'>;
  readonly aggregated: Pick<AggregationPart, 'stop'>;
  readonly keys: Pick<FollowedConfiguration, 'stop'>;
  readonly encryption: Pick<StoreEncryption, 'close'>;
  readonly tlsFiles: { stop(): void };
  readonly abandonStore: () => void;
}

/** What a request needs to be answered once the store has been let go of. */
const lastAnswersMs = 1_000;

/** Everything that may wait for the store ends when `--shutdown-timeout` has passed: whoever waits
 * is told that the outcome is not known, or that nothing was done. */
function stopper(
  config: CompletedConfig,
  running: Running,
  { endsProcess = false }: ServerEnvironment,
): () => Promise<void> {
  const { parts, serving, server, background, clock, timers, audit, access, tlsFiles } = running;
  const { abandonStore, keys, tracing } = running;
  return async () => {
    serving.startShutdown();
    await sleep(timers, config.shutdownDelayMs);
    if (config.shutdownSendsRetryAfter) {
      serving.startRefusing();
      server.startClosing();
    } else server.stopAccepting();
    serving.stopWaiting();
    const limit = timers.after(config.shutdownTimeoutMs, abandonStore);
    const endsMs = clock.monotonicMs() + config.shutdownTimeoutMs + lastAnswersMs;
    await background.stop();
    parts.authorization.stop();
    access.stop();
    running.aggregated.stop();
    keys.stop();
    tlsFiles.stop();
    await parts.streams.endAllWatches();
    // Reads that wait for a fresh state need the log until they are answered.
    await serving.drained(timers, Math.max(0, endsMs - clock.monotonicMs()));
    serving.stop();
    await parts.streams.stop();
    server.stopAccepting();
    await parts.actors.stop();
    await parts.committer.drain();
    await server.close(endsProcess);
    await Promise.all([audit?.auditor.stop(), tracing?.tracer.stop()]);
    await parts.storage.close();
    running.encryption.close();
    limit.cancel();
  };
}

function schemeOf(
  config: CompletedConfig,
  identity: Identity,
  kinds: KindSet,
  log: Log,
): ServedScheme {
  const runtimeConfig = parseRuntimeConfig(config.runtimeConfig);
  if (runtimeConfig.kind === 'invalid') {
    throw new OptionsError(`--runtime-config: ${runtimeConfig.errors.join('; ')}`);
  }
  const gates = [...config.featureGates].filter(([, on]) => on).map(([name]) => name);
  const built = buildScheme({
    identity,
    runtimeConfig: runtimeConfig.value,
    featureGates: new Set(gates),
    release: config.release,
    kinds,
  });
  if (built.kind === 'invalid') {
    throw new OptionsError(`--runtime-config: ${built.errors.join('; ')}`);
  }
  for (const warning of built.warnings) log.warn({}, warning);
  return built.scheme;
}

/** Where this process reaches itself. */
function reachedLocally(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1';
  return bindAddress === '::' ? '::1' : bindAddress;
}

/** Whether other servers may run over the same store. */
function isShared(config: CompletedConfig, environment: ServerEnvironment): boolean {
  return config.store === 'fdb' || environment.worker !== undefined;
}

/** @throws OptionsError. */
function preparePorts(
  config: CompletedConfig,
  worker: WorkerAssignment | undefined,
  load: TransportLoad,
  log: Log,
): Promise<OpenPorts> {
  const { httpPort: http, securePort: secure, tokenPort: tokens } = config.access;
  const ports = { ...(worker?.ports ?? { http, secure, tokens }), shared: worker !== undefined };
  return prepareListeners(config, ports, { limits: transportLimits(config), load }, log);
}
