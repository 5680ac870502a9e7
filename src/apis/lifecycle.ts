/**
 * Life cycle beyond the facts: when versions went away (spec 2, section 9.3), and what is not
 * served as a resource at all, with the reason.
 *
 * What it is not: the rules that follow from it (served-versions.ts).
 */

/** `<deprecated, '-' is as in the facts> <removed> <group> <version> <kinds>` (minor releases). */
const lifecycleRows = `
- 22 authentication.{domain} v1beta1 TokenReview
- 22 authorization.{domain} v1beta1 LocalSubjectAccessReview,SelfSubjectAccessReview
- 22 authorization.{domain} v1beta1 SelfSubjectRulesReview,SubjectAccessReview
- 22 certificates.{domain} v1beta1 CertificateSigningRequest
- 22 coordination.{domain} v1beta1 Lease
- 22 networking.{domain} v1beta1 IngressClass,Ingress
- 22 storage.{domain} v1beta1 CSIDriver,StorageClass,VolumeAttachment
- 25 autoscaling v2beta1 HorizontalPodAutoscaler
- 25 events.{domain} v1beta1 Event
- 25 node.{domain} v1beta1 RuntimeClass
- 25 policy v1beta1 Eviction
- 26 autoscaling v2beta2 HorizontalPodAutoscaler
- 26 flowcontrol.{domain} v1beta1 FlowSchema,PriorityLevelConfiguration
- 27 storage.{domain} v1beta1 CSIStorageCapacity
- 29 flowcontrol.{domain} v1beta2 FlowSchema,PriorityLevelConfiguration
29 32 admissionregistration.{domain} v1alpha1 ValidatingAdmissionPolicy
29 32 admissionregistration.{domain} v1alpha1 ValidatingAdmissionPolicyBinding
29 32 authentication.{domain} v1alpha1 SelfSubjectReview
- 32 flowcontrol.{domain} v1beta3 FlowSchema,PriorityLevelConfiguration
31 34 admissionregistration.{domain} v1beta1 ValidatingAdmissionPolicy
31 34 admissionregistration.{domain} v1beta1 ValidatingAdmissionPolicyBinding
`;

interface Lifecycle {
  readonly deprecated: number | undefined;
  readonly removed: number;
}

/** `<group template>/<version>/<kind>` -> what the facts do not carry. */
export const lifecycles: ReadonlyMap<string, Lifecycle> = new Map(
  lifecycleRows
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [old = '-', gone = '', group = '', version = '', kinds = ''] = line.split(' ');
      const lifecycle = {
        deprecated: old === '-' ? undefined : Number(old),
        removed: Number(gone),
      };
      return kinds
        .split(',')
        .map((kind): [string, Lifecycle] => [`${group}/${version}/${kind}`, lifecycle]);
    }),
);

/** Alpha versions that ended without a date in the facts: no release serves them here. */
export const endedVersions: ReadonlySet<string> = new Set([
  'networking.{domain}/v1alpha1',
  'node.{domain}/v1alpha1',
  'rbac.authorization.{domain}/v1alpha1',
  'scheduling.{domain}/v1alpha1',
]);

/** Alpha kinds that ended while their version goes on for other kinds. */
export const endedKinds: ReadonlySet<string> = new Set([
  'storage.{domain}/v1alpha1/CSIStorageCapacity',
  'storage.{domain}/v1alpha1/VolumeAttachment',
]);

const review = 'an operation, not an object: it is answered, never stored';

/** Resources of the catalogue that hold no objects, and why they have no verbs. */
export const virtualResources: ReadonlyMap<string, string> = new Map([
  ['/componentstatuses', 'a computed view of components that do not run here'],
  ['authentication.{domain}/selfsubjectreviews', review],
  ['authentication.{domain}/tokenreviews', review],
  ['authorization.{domain}/localsubjectaccessreviews', review],
  ['authorization.{domain}/selfsubjectaccessreviews', review],
  ['authorization.{domain}/selfsubjectrulesreviews', review],
  ['authorization.{domain}/subjectaccessreviews', review],
  ['imagepolicy.{domain}/imagereviews', 'sent to webhooks only; no server serves it'],
  ['policy/evictions', 'a body of the pods/eviction subresource, not a resource'],
]);

/** `<group>/<resource>` -> the feature gates it needs, all of them. */
export const gatedResources: ReadonlyMap<string, readonly string[]> = new Map([
  ['resource.{domain}/deviceclasses', ['DynamicResourceAllocation']],
  ['resource.{domain}/devicetaintrules', ['DynamicResourceAllocation', 'DRADeviceTaints']],
  ['resource.{domain}/resourceclaims', ['DynamicResourceAllocation']],
  ['resource.{domain}/resourceclaimtemplates', ['DynamicResourceAllocation']],
  ['resource.{domain}/resourceslices', ['DynamicResourceAllocation']],
]);
