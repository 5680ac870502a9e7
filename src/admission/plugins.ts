/**
 * Constructs the enabled admission plugins, in the order of plugin-names.ts.
 *
 * Some names have no plugin here. `NamespaceLifecycle`: that a namespace exists and accepts new
 * objects is a condition of the transaction that writes them, and which namespaces cannot be
 * deleted is a rule of their kind (apis/core/namespaces/strategy.ts). `ResourceQuota`: quotas are
 * charged in the transaction (companions/). `AlwaysAdmit` does nothing.
 *
 * Invariants: an enabled plugin that needs a configuration has a valid one, or there is a problem.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { Prng } from '../stdx/prng.ts';
import type { Turns } from '../stdx/turns.ts';
import type { WebhookPoster } from '../webhooks/webhook-poster.ts';
import { serviceAccounts } from './accounts/service-accounts.ts';
import type { AdmissionObjects, AdmissionPlugin } from './admission.ts';
import { alwaysDeny } from './always.ts';
import { certificatePlugins } from './certificates.ts';
import type { PluginConfiguration } from './configuration.ts';
import { eventRateLimit } from './event-rates/event-rate-limit.ts';
import { readEventRates } from './event-rates/settings.ts';
import { denyExternalIps } from './external-ips.ts';
import { imagePolicyWebhook } from './image-policy/image-policy-webhook.ts';
import { readImagePolicy } from './image-policy/settings.ts';
import { limitRanger } from './limit-ranges/limit-ranger.ts';
import { autoProvision, namespaceExists } from './namespaces.ts';
import type { MakeNamespace } from './namespaces.ts';
import { nodeRestriction } from './node/node-restriction.ts';
import type { NodeRestrictionRules } from './node/node-restriction.ts';
import { notReadyTaint } from './node/not-ready-taint.ts';
import { ownerReferences } from './owner-references.ts';
import type { FindOwnerKind } from './owner-references.ts';
import { admissionPluginNames } from './plugin-names.ts';
import type { AdmissionPluginName } from './plugin-names.ts';
import type { SecurityRules } from './pod-security/checks.ts';
import { readPodSecurity } from './pod-security/configuration.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import type { SecurityCounts } from './pod-security/security-counts.ts';
import { defaultTolerations } from './pods/default-tolerations.ts';
import type { TolerationSeconds } from './pods/default-tolerations.ts';
import { extendedResources } from './pods/extended-resources.ts';
import { hardAntiAffinity } from './pods/hard-anti-affinity.ts';
import { alwaysPullImages } from './pods/image-pulls.ts';
import { nodeSelectors, readNodeSelectors } from './pods/node-selectors.ts';
import { runtimeClasses } from './pods/runtime-classes.ts';
import { readTolerationSettings, tolerationRestriction } from './pods/toleration-restriction.ts';
import { topologyLabels } from './pods/topology-labels.ts';
import { priorities } from './priorities.ts';
import { claimResize } from './volumes/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './volumes/default-classes.ts';
import { inUseProtection } from './volumes/in-use-protection.ts';

/** Those that are made elsewhere, of more than a plugin gets here. Absent: there is none. */
type ElsewhereName =
  | 'MutatingAdmissionPolicy'
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionWebhook';

export interface PluginDeps {
  readonly identity: Identity;
  readonly objects: AdmissionObjects;
  readonly findKind: FindOwnerKind;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly prng: Prng;
  /** To the server that a kubeconfig names.
   * @throws what is wrong with the file. */
  readonly posterFor: (kubeConfigFile: string) => Pick<WebhookPoster, 'post'>;
  readonly makeNamespace: MakeNamespace;
  /** Whether a pod asks for neither cpu nor memory. */
  readonly isBestEffort: (pod: ApiObject) => boolean;
  readonly nodes: NodeRestrictionRules;
  readonly security: SecurityRules;
  readonly securityCounts: SecurityCounts;
  readonly tolerationSeconds: TolerationSeconds;
  /** Feature gate PodTopologyLabelsAdmission. */
  readonly labelsTopology: boolean;
  readonly configured: ReadonlyMap<AdmissionPluginName, PluginConfiguration>;
  readonly elsewhere: Readonly<Partial<Record<ElsewhereName, AdmissionPlugin | undefined>>>;
}

export interface CreatedPlugins {
  readonly plugins: readonly AdmissionPlugin[];
  /** What is wrong with their configurations, each with its place. */
  readonly problems: readonly string[];
}

type Makers = Readonly<Partial<Record<AdmissionPluginName, () => AdmissionPlugin | undefined>>>;

/** None of them has been asked yet. */
export function createAdmissionPlugins(
  on: ReadonlySet<AdmissionPluginName>,
  deps: PluginDeps,
): CreatedPlugins {
  const problems: string[] = [];
  const certificates = certificatePlugins(deps.identity).map((plugin) => [
    plugin.name,
    () => plugin,
  ]);
  const makers: Makers = {
    ...builtIns(deps),
    ...Object.fromEntries(certificates),
    ...configuredPlugins(deps, problems),
  };
  const plugins = admissionPluginNames
    .filter((name) => on.has(name))
    .map((name) => makers[name]?.() ?? deps.elsewhere[name as ElsewhereName]);
  return { plugins: plugins.filter((plugin) => plugin !== undefined), problems };
}

function builtIns(deps: PluginDeps): Makers {
  const { identity, objects, prng } = deps;
  return {
    NamespaceAutoProvision: () => autoProvision(objects, deps.makeNamespace),
    NamespaceExists: () => namespaceExists(objects),
    LimitPodHardAntiAffinityTopology: () => hardAntiAffinity(identity),
    LimitRanger: () => limitRanger(identity, objects, deps.turns),
    ServiceAccount: () => serviceAccounts(identity, objects, prng),
    NodeRestriction: () => nodeRestriction(identity, objects, deps.nodes),
    TaintNodesByCondition: () => notReadyTaint(identity),
    AlwaysPullImages: () => alwaysPullImages,
    Priority: () => priorities(identity, objects),
    DefaultTolerationSeconds: () => defaultTolerations(identity, deps.tolerationSeconds),
    ExtendedResourceToleration: () => extendedResources(identity),
    DefaultStorageClass: () => defaultStorageClass(identity, objects),
    StorageObjectInUseProtection: () => inUseProtection(identity),
    OwnerReferencesPermissionEnforcement: () => ownerReferences(deps.findKind, deps.turns),
    PersistentVolumeClaimResize: () => claimResize(identity, objects),
    RuntimeClass: () => runtimeClasses(identity, objects),
    DefaultIngressClass: () => defaultIngressClass(identity, objects),
    DenyServiceExternalIPs: () => denyExternalIps,
    PodTopologyLabels: () => (deps.labelsTopology ? topologyLabels(identity, objects) : undefined),
    AlwaysDeny: () => alwaysDeny,
  };
}

/** Those that are told something, or have to be. */
function configuredPlugins(deps: PluginDeps, problems: string[]): Makers {
  const { clock, configured, identity, objects, timers, turns } = deps;
  const read = <T>(name: AdmissionPluginName, reader: Reader<T>): Read<T> => {
    const { document, folder = '', source = name } = configured.get(name) ?? {};
    const own: string[] = [];
    const settings = reader(document, folder, own);
    problems.push(...own.map((problem) => `${source}: ${problem}`));
    return own.length === 0 ? { settings } : undefined;
  };
  return {
    ImagePolicyWebhook() {
      const found = read('ImagePolicyWebhook', (document, folder, own) => {
        const settings = readImagePolicy(document, folder, own);
        if (own.length > 0) return undefined;
        try {
          return { settings, poster: deps.posterFor(settings.kubeConfigFile) };
        } catch (error) {
          own.push(`imagePolicy.kubeConfigFile: ${messageOf(error)}`);
          return undefined;
        }
      });
      if (found?.settings === undefined) return undefined;
      const { poster, settings } = found.settings;
      return imagePolicyWebhook(identity, settings, { poster, clock, timers });
    },
    PodSecurity() {
      const group = identity.fill('pod-security.admission.config.{domain}');
      const found = read('PodSecurity', (document, _folder, own) =>
        readPodSecurity(document, group, own),
      );
      if (found === undefined) return undefined;
      const ports = { objects, clock, turns, counts: deps.securityCounts };
      return podSecurity(identity, found.settings, deps.security, ports);
    },
    PodNodeSelector() {
      const found = read('PodNodeSelector', (document, _folder, own) =>
        readNodeSelectors(document, own),
      );
      return found && nodeSelectors(identity, objects, found.settings);
    },
    PodTolerationRestriction() {
      const group = identity.fill('podtolerationrestriction.admission.{domain}');
      const found = read('PodTolerationRestriction', (document, _folder, own) =>
        readTolerationSettings(document, group, own),
      );
      const { isBestEffort } = deps;
      return found && tolerationRestriction(identity, objects, found.settings, isBestEffort);
    },
    EventRateLimit() {
      const group = identity.fill('eventratelimit.admission.{domain}');
      const found = read('EventRateLimit', (document, _folder, own) =>
        readEventRates(document, group, own),
      );
      return found && eventRateLimit(identity, found.settings, clock);
    },
  };
}

type Reader<T> = (document: JsonObject | undefined, folder: string, problems: string[]) => T;
type Read<T> = { readonly settings: T } | undefined;
