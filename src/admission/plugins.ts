/**
 * Which admission plugins there are, and which of them review: those that are on by default, those
 * that are asked for, and none that is switched off.
 *
 * Invariant: a name that is not known, or both asked for and switched off, is an error: whoever
 * names a guard means to have it.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { AdmissionObjects, AdmissionPlugin } from './admission.ts';
import { certificatePlugins } from './certificates.ts';
import { nodeRestriction } from './node/node-restriction.ts';
import type { NodeRestrictionRules } from './node/node-restriction.ts';
import { priorities } from './priorities.ts';
import { serviceAccounts } from './service-accounts.ts';

/** In the order in which they review; all are on unless they are switched off. */
export const admissionPluginNames = [
  'ServiceAccount',
  'NodeRestriction',
  'Priority',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'ClusterTrustBundleAttest',
  // Not a reviewer: it is charged in the transaction of each write (company/company.ts).
  'ResourceQuota',
] as const;

export type AdmissionPluginName = (typeof admissionPluginNames)[number];

export function createAdmissionPlugins(
  on: ReadonlySet<AdmissionPluginName>,
  identity: Identity,
  objects: AdmissionObjects,
  rules: NodeRestrictionRules,
): readonly AdmissionPlugin[] {
  const all = [
    serviceAccounts(identity, objects),
    nodeRestriction(identity, objects, rules),
    priorities(identity, objects),
    ...certificatePlugins(identity),
  ];
  return all.filter(({ name }) => on.has(name as AdmissionPluginName));
}
