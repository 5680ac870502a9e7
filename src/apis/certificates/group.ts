/** The API group certificates: signing requests, and bundles of trusted CAs. */
import type { GroupDefinition } from '../kind-definition.ts';
import { certificateSigningRequests } from './certificate-signing-requests.ts';
import { clusterTrustBundles } from './cluster-trust-bundles.ts';
import { certificatesDescriptions } from './descriptions.ts';

export const certificatesGroup: GroupDefinition = {
  group: 'certificates.{domain}',
  types: 'certificates',
  priority: 17_300,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 }, v1alpha1: { priority: 1 } },
  kinds: [certificateSigningRequests, clusterTrustBundles],
  descriptions: certificatesDescriptions,
};
