/**
 * The admission plugins by the names that flags and configurations know, in the reference's order.
 *
 *     on          unless it is disabled
 *     off         unless it is enabled
 *     always      part of every write: it cannot be disabled
 *
 * plugins.ts constructs them.
 */

interface PluginRow {
  readonly name: string;
  readonly isOn: 'on' | 'off' | 'always';
  /** It can be told something by `--admission-control-config-file`. */
  readonly configured?: true;
}

const rows = [
  { name: 'AlwaysAdmit', isOn: 'off' },
  { name: 'NamespaceAutoProvision', isOn: 'off' },
  { name: 'NamespaceLifecycle', isOn: 'always' },
  { name: 'NamespaceExists', isOn: 'off' },
  { name: 'LimitPodHardAntiAffinityTopology', isOn: 'off' },
  { name: 'LimitRanger', isOn: 'on' },
  { name: 'ServiceAccount', isOn: 'on' },
  { name: 'NodeRestriction', isOn: 'on' },
  { name: 'TaintNodesByCondition', isOn: 'on' },
  { name: 'AlwaysPullImages', isOn: 'off' },
  { name: 'ImagePolicyWebhook', isOn: 'off', configured: true },
  { name: 'PodSecurity', isOn: 'on', configured: true },
  { name: 'PodNodeSelector', isOn: 'off', configured: true },
  { name: 'Priority', isOn: 'on' },
  { name: 'DefaultTolerationSeconds', isOn: 'on' },
  { name: 'PodTolerationRestriction', isOn: 'off', configured: true },
  { name: 'EventRateLimit', isOn: 'off', configured: true },
  { name: 'ExtendedResourceToleration', isOn: 'off' },
  { name: 'DefaultStorageClass', isOn: 'on' },
  { name: 'StorageObjectInUseProtection', isOn: 'on' },
  { name: 'OwnerReferencesPermissionEnforcement', isOn: 'off' },
  { name: 'PersistentVolumeClaimResize', isOn: 'on' },
  { name: 'RuntimeClass', isOn: 'on' },
  { name: 'CertificateApproval', isOn: 'on' },
  { name: 'CertificateSigning', isOn: 'on' },
  { name: 'ClusterTrustBundleAttest', isOn: 'on' },
  { name: 'CertificateSubjectRestriction', isOn: 'on' },
  { name: 'DefaultIngressClass', isOn: 'on' },
  { name: 'DenyServiceExternalIPs', isOn: 'off' },
  { name: 'PodTopologyLabels', isOn: 'on' },
  { name: 'MutatingAdmissionPolicy', isOn: 'on' },
  { name: 'MutatingAdmissionWebhook', isOn: 'on', configured: true },
  { name: 'ValidatingAdmissionPolicy', isOn: 'on' },
  { name: 'ValidatingAdmissionWebhook', isOn: 'on', configured: true },
  { name: 'ResourceQuota', isOn: 'on', configured: true },
  { name: 'AlwaysDeny', isOn: 'off' },
] as const satisfies readonly PluginRow[];

export type AdmissionPluginName = (typeof rows)[number]['name'];

const plugins: readonly (PluginRow & { readonly name: AdmissionPluginName })[] = rows;

export const admissionPluginNames: readonly AdmissionPluginName[] = plugins.map(({ name }) => name);

export const pluginsByDefault: readonly AdmissionPluginName[] = plugins
  .filter(({ isOn }) => isOn !== 'off')
  .map(({ name }) => name);

export function takesConfiguration(name: AdmissionPluginName): boolean {
  return plugins.some((plugin) => plugin.name === name && plugin.configured === true);
}

export function isAlwaysOn(name: AdmissionPluginName): boolean {
  return plugins.some((plugin) => plugin.name === name && plugin.isOn === 'always');
}
