/**
 * The checks behind /livez, /readyz and /healthz, under the reference's names and in its order
 * (spec 2, section 4.1).
 *
 *     ping, log, etcd ─ readyz: etcd-readiness, informer-sync, change-followers (of this server's
 *     own), admission-configurations ─ what the start has to do ─ shutdown
 *
 * Elsewhere: the endpoints (src/endpoints/health.ts).
 *
 * Invariants: each check tests what its name says; what this server does not do has no check. A
 * start hook that is done stays done. A server that lags is alive but not ready: it should get no
 * requests, and not be restarted. During `livezGraceMs` after the start /livez counts start hooks
 * as done.
 */
import type { Readiness } from '../../admission/readiness.ts';
import type { HealthCheck } from '../../endpoints/health.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { apiServicesGroup } from '../../apis/local-api-services.ts';
import { serviceName } from '../../controllers/system/server-endpoints.ts';
import { rangeName } from '../../controllers/system/service-cidrs.ts';
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { Storage } from '../../storage/storage.ts';
import { rbacDefaultsSeen } from './authorization.ts';
import type { Background } from './background.ts';
import type { ControllerShortName } from './controller-choice.ts';
import type { LogFollow } from './log-follow.ts';

export interface HealthCheckDeps {
  readonly storage: Pick<Storage, 'failure'>;
  readonly logFollow: LogFollow;
  readonly registry: RegistryDeps;
  readonly admissionReadiness: ReadonlyMap<string, Pick<Readiness, 'refusal'>>;
  readonly identity: Identity;
  readonly usesRbac: boolean;
  /** Those that run, here or at another server. */
  readonly controllers: ReadonlySet<ControllerShortName>;
  readonly background: Pick<Background, 'hooks'>;
  /** Undefined: there are no priority levels. */
  readonly flow: Pick<FlowControl, 'isRead'> | undefined;
  /** Key services; undefined: there are none. */
  readonly servicesHealthy: (() => Promise<boolean>) | undefined;
  readonly shuttingDown: () => boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly livezGraceMs: number;
}

const everywhere = ['livez', 'readyz', 'healthz'] as const;

export function healthChecks(deps: HealthCheckDeps): readonly HealthCheck[] {
  const { clock, livezGraceMs, logFollow, storage } = deps;
  const graceEndsMs = clock.monotonicMs() + livezGraceMs;
  const inGrace = (): boolean => clock.monotonicMs() < graceEndsMs;
  const hasFailed = (): boolean => storage.failure() !== undefined;
  const isFull = (): boolean => storage.failure()?.code === 'full';
  return [
    { name: 'ping', endpoints: everywhere, healthy: () => true },
    { name: 'log', endpoints: everywhere, healthy: () => true },
    // A full store is mended by deletions, not by a restart.
    { name: 'etcd', endpoints: ['livez', 'healthz'], healthy: () => !hasFailed() || isFull() },
    { name: 'etcd', endpoints: ['readyz'], healthy: () => !hasFailed() },
    {
      name: 'etcd-readiness',
      endpoints: ['readyz'],
      healthy: async () => !Number.isNaN(await logFollow.storeRevision()),
    },
    ...servicesCheck(deps),
    {
      name: 'informer-sync',
      endpoints: ['readyz'],
      healthy: async () => {
        const isCurrent = await logFollow.isCurrent();
        return isCurrent && deps.registry.streams.waitingCount === 0;
      },
    },
    {
      name: 'change-followers',
      endpoints: ['readyz'],
      healthy: () => !deps.registry.streams.followers.stats().some(({ failing }) => failing),
    },
    {
      name: 'admission-configurations',
      endpoints: ['readyz'],
      healthy: () => [...deps.admissionReadiness.values()].every((each) => !each.refusal()),
    },
    ...startHooks(deps).flatMap((hook) => checksOfHook(hook, inGrace)),
    { name: 'shutdown', endpoints: ['readyz'], healthy: () => !deps.shuttingDown() },
  ];
}

export interface EarlyCheckDeps {
  readonly identity: Identity;
  readonly usesRbac: boolean;
  readonly controllers: ReadonlySet<ControllerShortName>;
  readonly priorityAndFairness: boolean;
  /** As Background has them. */
  readonly backgroundHooks: readonly string[];
  readonly servicesHealthy: HealthCheckDeps['servicesHealthy'];
  readonly shuttingDown: () => boolean;
}

/** While the store is read: the same checks, of which most cannot pass yet. Alive it is, for a
 * restart would only begin the reading anew. */
export function checksWhileStarting(deps: EarlyCheckDeps): readonly HealthCheck[] {
  const checks = (endpoints: HealthCheck['endpoints'], names: readonly string[]) =>
    names.map((name): HealthCheck => ({ name, endpoints, healthy: () => false }));
  const late = (name: string): readonly HealthCheck[] => [
    { name, endpoints: ['livez'], healthy: () => true },
    ...checks(['readyz', 'healthz'], [name]),
  ];
  return [
    { name: 'ping', endpoints: everywhere, healthy: () => true },
    { name: 'log', endpoints: everywhere, healthy: () => true },
    ...late('etcd'),
    ...checks(['readyz'], ['etcd-readiness']),
    ...servicesCheck(deps),
    ...checks(['readyz'], followingChecks),
    ...hookNames(deps).flatMap(late),
    { name: 'shutdown', endpoints: ['readyz'], healthy: () => !deps.shuttingDown() },
  ];
}

const followingChecks = ['informer-sync', 'change-followers', 'admission-configurations'] as const;

/** Not in /livez: a restart would not help. */
function servicesCheck({
  servicesHealthy: healthy,
}: Pick<HealthCheckDeps, 'servicesHealthy'>): readonly HealthCheck[] {
  if (healthy === undefined) return [];
  return [{ name: 'kms-providers', endpoints: ['readyz', 'healthz'], healthy }];
}

const registrationHooks = {
  autoregistration: 'poststarthook/kube-apiserver-autoregistration',
  completion: 'autoregister-completion',
} as const;

const fairnessHook = 'poststarthook/priority-and-fairness-config-consumer';

const rolesHook = 'poststarthook/rbac/bootstrap-roles';

/** In the order of startHooks. */
function hookNames(deps: EarlyCheckDeps): readonly string[] {
  const { backgroundHooks, controllers, identity, priorityAndFairness, usesRbac } = deps;
  const { early, late } = awaitedObjects(identity);
  const ofObjects = (objects: readonly AwaitedObject[]): readonly string[] =>
    awaitedHere(objects, controllers).map(({ hook }) => `poststarthook/${hook}`);
  return [
    ...(priorityAndFairness ? [fairnessHook] : []),
    ...ofObjects(early),
    ...backgroundHooks.map((name) => `poststarthook/${name}`),
    ...(usesRbac ? [rolesHook] : []),
    ...ofObjects(late),
    registrationHooks.autoregistration,
    registrationHooks.completion,
  ];
}

function awaitedHere(
  objects: readonly AwaitedObject[],
  controllers: ReadonlySet<ControllerShortName>,
): readonly AwaitedObject[] {
  return objects.filter(
    ({ controller }) => controller === undefined || controllers.has(controller),
  );
}

interface StartHook {
  readonly name: string;
  readonly done: () => boolean;
}

interface AwaitedObject {
  readonly hook: string;
  /** Who makes it; undefined: every server. */
  readonly controller: ControllerShortName | undefined;
  /** Template. */
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What is made last by each of those who make objects of the system. */
function awaitedObjects({
  namespaces,
}: Identity): Readonly<Record<'early' | 'late', readonly AwaitedObject[]>> {
  const { system, default: standard } = namespaces;
  const cluster = { namespace: '' };
  return {
    early: [
      {
        hook: 'start-system-namespaces-controller',
        controller: undefined,
        group: '',
        resource: 'namespaces',
        ...cluster,
        name: system,
      },
      {
        hook: 'start-cluster-authentication-info-controller',
        controller: 'clusterauthenticationtrust',
        group: '',
        resource: 'configmaps',
        namespace: system,
        name: 'extension-apiserver-authentication',
      },
    ],
    late: [
      {
        hook: 'scheduling/bootstrap-system-priority-classes',
        controller: 'systempriorityclasses',
        group: 'scheduling.{domain}',
        resource: 'priorityclasses',
        ...cluster,
        name: 'system-cluster-critical',
      },
      {
        hook: 'priority-and-fairness-config-producer',
        controller: 'flowcontrol',
        group: 'flowcontrol.{domain}',
        resource: 'flowschemas',
        ...cluster,
        name: 'exempt',
      },
      {
        hook: 'bootstrap-controller',
        controller: 'kubernetesservice',
        group: '',
        resource: 'services',
        namespace: standard,
        name: serviceName,
      },
      {
        hook: 'start-kubernetes-service-cidr-controller',
        controller: 'servicecidr',
        group: 'networking.{domain}',
        resource: 'servicecidrs',
        ...cluster,
        name: rangeName,
      },
    ],
  };
}

function startHooks(deps: HealthCheckDeps): readonly StartHook[] {
  const { background, controllers, flow, identity, registry, usesRbac } = deps;
  const hook = (name: string, done: () => boolean): StartHook => ({ name, done: once(done) });
  const after = (name: string, done: () => boolean) => hook(`poststarthook/${name}`, done);
  const { early, late } = awaitedObjects(identity);
  const hooksOf = (objects: readonly AwaitedObject[]): readonly StartHook[] =>
    awaitedHere(objects, controllers).map((object) =>
      after(object.hook, present(registry, object)),
    );
  const registered = someOf(registry, identity.fill(apiServicesGroup), 'apiservices');
  return [
    ...(flow === undefined ? [] : [hook(fairnessHook, () => flow.isRead)]),
    ...hooksOf(early),
    ...[...background.hooks].map(([name, done]) => after(name, done)),
    ...(usesRbac ? [hook(rolesHook, rbacDefaultsSeen(registry))] : []),
    ...hooksOf(late),
    hook(registrationHooks.autoregistration, registered),
    hook(registrationHooks.completion, registered),
  ];
}

/** In /livez it may be late; apart, so that the other endpoints stay true. */
function checksOfHook({ name, done }: StartHook, inGrace: () => boolean): readonly HealthCheck[] {
  return [
    { name, endpoints: ['livez'], healthy: () => done() || inGrace() },
    { name, endpoints: ['readyz', 'healthz'], healthy: done },
  ];
}

function once(done: () => boolean): () => boolean {
  let seen = false;
  return () => (seen ||= done());
}

/** A resource that is not served is not waited for. */
function present(
  { identity, scheme, streams }: RegistryDeps,
  object: AwaitedObject,
): () => boolean {
  const resource = { group: identity.fill(object.group), resource: object.resource };
  if (scheme.findStorage(resource) === undefined) return () => true;
  return () => {
    const snapshot = streams.snapshot(resource);
    if (snapshot.get(object.namespace, object.name) !== undefined) return true;
    return snapshot.unreadable.has(`${object.namespace}/${object.name}`);
  };
}

function someOf({ scheme, streams }: RegistryDeps, group: string, name: string): () => boolean {
  const resource = { group, resource: name };
  if (scheme.findStorage(resource) === undefined) return () => true;
  return () => streams.snapshot(resource).count(undefined) > 0;
}
