/**
 * The guards of writes as one list: the checks for roles and bindings and for devices, then the
 * admission plugins that the flags enable, with their configurations.
 *
 * Elsewhere: the reviews (src/admission) and the order of a request (endpoints/filters).
 */
import type { AdmissionTimes } from '../../admission/admission-times.ts';
import { admissionGuards } from '../../admission/chain.ts';
import { deviceAccess } from '../../admission/device-access.ts';
import { readWebhookSettings } from '../../admission/webhooks/settings.ts';
import type { SecurityCounts } from '../../admission/pod-security/security-counts.ts';
import type { CredentialsFor } from '../../webhooks/caller-credentials.ts';
import type { AdmissionObjects, AdmissionPlugin } from '../../admission/admission.ts';
import type { Streams } from '../../../streams/streams.ts';
import { createAdmissionPlugins } from '../../admission/plugins.ts';
import type { MakeNamespace } from '../../admission/namespaces.ts';
import type { PluginDeps } from '../../admission/plugins.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import { qosClassOf } from '../../apis/core/pods/qos-class.ts';
import type { Authorization } from '../../authorization/authorization.ts';
import type { GuardOf } from '../../registry/write-guard.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Turns } from '../../stdx/turns.ts';
import { readWebhookTarget } from '../../webhooks/kubeconfig-target.ts';
import { createWebhookPoster } from '../../webhooks/webhook-poster.ts';
import type { CompletedConfig } from '../config/options.ts';
import { configurationError } from './admission-configuration.ts';
import type { ConfiguredPlugins } from './admission-configuration.ts';
import { admissionObjects } from './admission-objects.ts';
import type { UnreadableRecord } from './unreadable-records.ts';
import type { AdmissionWebhooks } from './admission-webhooks.ts';
import type { Policies } from './policies.ts';

export interface WriteGuardDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly prng: Prng;
  readonly identity: Identity;
  readonly scheme: Scheme;
  readonly streams: Streams;
  readonly authorization: Authorization;
  readonly times: AdmissionTimes;
  readonly securityCounts: SecurityCounts;
  readonly policies: Pick<Policies, 'mutating' | 'validating'>;
  readonly webhooks: Pick<AdmissionWebhooks, 'plugins'>;
  readonly makeNamespace: MakeNamespace;
  readonly configured: ConfiguredPlugins;
  readonly lost: (resource: GroupResource) => UnreadableRecord;
  /** Who reviews behind all that the flags name. */
  readonly last: readonly AdmissionPlugin[];
}

/** @throws OptionsError. */
export function writeGuards(config: CompletedConfig, deps: WriteGuardDeps): GuardOf {
  const { authorization, clock, identity, last, streams, timers, times, turns } = deps;
  const objects = admissionObjects(streams, timers, turns, deps.lost);
  const always = [authorization.escalation, deviceAccess(identity, objects)];
  const chain = { identity, access: authorization, times, clock, timers };
  return admissionGuards([...always, ...pluginsOf(config, deps, objects), ...last], chain);
}

function pluginsOf(
  { admission, featureGates, release }: CompletedConfig,
  deps: WriteGuardDeps,
  objects: AdmissionObjects,
): readonly AdmissionPlugin[] {
  const { clock, configured, identity, makeNamespace, policies, prng, scheme } = deps;
  const { timers, turns } = deps;
  const { configFile, tolerationSeconds } = admission;
  const gate = (name: string): boolean => featureGates.get(name) ?? false;
  const posterFor: PluginDeps['posterFor'] = (file) =>
    createWebhookPoster(readWebhookTarget(file), timers);
  const webhookProblems: string[] = [];
  const callers = (['Mutating', 'Validating'] as const).map((type) =>
    readWebhookSettings(configured.get(`${type}AdmissionWebhook`), identity, webhookProblems),
  ) as [CredentialsFor, CredentialsFor];
  const hooks = deps.webhooks.plugins(...callers);
  const { plugins, problems } = createAdmissionPlugins(admission.plugins, {
    identity,
    objects,
    findKind: (group, version, kind) => scheme.findKind(group, version, kind),
    clock,
    timers,
    turns,
    prng,
    posterFor,
    makeNamespace,
    isBestEffort: (pod) => qosClassOf(pod) === 'BestEffort',
    nodes: {
      audiences: gate('ServiceAccountNodeAudienceRestriction'),
      anyCertificates: gate('AllowInsecureKubeletCertificateSigningRequests'),
    },
    security: { release, relaxesUserNamespaces: gate('UserNamespacesPodSecurityStandards') },
    securityCounts: deps.securityCounts,
    tolerationSeconds,
    labelsTopology: gate('PodTopologyLabelsAdmission'),
    configured,
    elsewhere: {
      MutatingAdmissionPolicy: policies.mutating,
      ValidatingAdmissionPolicy: policies.validating,
      MutatingAdmissionWebhook: hooks.mutating,
      ValidatingAdmissionWebhook: hooks.validating,
    },
  });
  const all = [...problems, ...webhookProblems];
  if (all.length === 0) return plugins;
  throw configurationError(configFile, all);
}
