/**
 * How the objects of each resource behave in writes, deletes and selections: what the schema of a
 * kind does not say. One table per question; a resource that is not in a table has the default.
 *
 * What it is not: validation of fields or defaults. Keys are `<group template>/<resource>`.
 * Spec 1, sections 2.7, 4.4 and 4.6.
 */
import type {
  CountedMetadata,
  DeletionRule,
  DependentsRule,
  NameRule,
  ScalePaths,
  SelectableField,
} from '../apimachinery/scheme.ts';
import { lookup } from '../stdx/lookup.ts';

function table(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((part) => part !== ''));
}

/** PUT to a free name creates. */
export const createOnUpdate = table(`
  /endpoints /events /limitranges /services
  coordination.{domain}/leases coordination.{domain}/leasecandidates
  events.{domain}/events
  rbac.authorization.{domain}/clusterrolebindings rbac.authorization.{domain}/clusterroles
  rbac.authorization.{domain}/rolebindings rbac.authorization.{domain}/roles
`);

/** PUT must name the resourceVersion that it replaces. */
export const conditionalUpdateOnly = table(`
  admissionregistration.{domain}/mutatingadmissionpolicies
  admissionregistration.{domain}/mutatingadmissionpolicybindings
  admissionregistration.{domain}/mutatingwebhookconfigurations
  admissionregistration.{domain}/validatingadmissionpolicies
  admissionregistration.{domain}/validatingadmissionpolicybindings
  admissionregistration.{domain}/validatingwebhookconfigurations
  apiextensions.{domain}/customresourcedefinitions
  apiregistration.{domain}/apiservices
  certificates.{domain}/clustertrustbundles
  coordination.{domain}/leasecandidates coordination.{domain}/leases
  internal.apiserver.{domain}/storageversions
  node.{domain}/runtimeclasses
  policy/poddisruptionbudgets
  storage.{domain}/csidrivers storage.{domain}/csinodes
  storage.{domain}/csistoragecapacities storage.{domain}/volumeattachments
  storagemigration.{domain}/storageversionmigrations
`);

/** DELETE that removes answers with the object as it was last. */
export const returnsDeletedObject = table(`
  /persistentvolumeclaims /persistentvolumes /pods /podtemplates /resourcequotas
  /serviceaccounts /services
  policy/podsecuritypolicies
  resource.{domain}/deviceclasses resource.{domain}/devicetaintrules
  resource.{domain}/resourceclaims resource.{domain}/resourceclaimtemplates
  resource.{domain}/resourceslices
  storage.{domain}/csidrivers storage.{domain}/csinodes storage.{domain}/storageclasses
  storage.{domain}/volumeattachments storage.{domain}/volumeattributesclasses
`);

/** metadata.generation counts changes of the desired state. */
export const tracksGeneration = table(`
  /pods /podtemplates /replicationcontrollers
  admissionregistration.{domain}/mutatingadmissionpolicies
  admissionregistration.{domain}/mutatingadmissionpolicybindings
  admissionregistration.{domain}/mutatingwebhookconfigurations
  admissionregistration.{domain}/validatingadmissionpolicies
  admissionregistration.{domain}/validatingadmissionpolicybindings
  admissionregistration.{domain}/validatingwebhookconfigurations
  apiextensions.{domain}/customresourcedefinitions
  apps/daemonsets apps/deployments apps/replicasets apps/statefulsets
  batch/cronjobs batch/jobs
  discovery.{domain}/endpointslices
  flowcontrol.{domain}/flowschemas flowcontrol.{domain}/prioritylevelconfigurations
  networking.{domain}/ingressclasses networking.{domain}/ingresses
  networking.{domain}/networkpolicies
  policy/poddisruptionbudgets
  resource.{domain}/deviceclasses resource.{domain}/devicetaintrules
  resource.{domain}/resourceslices
  scheduling.{domain}/priorityclasses
  storage.{domain}/csidrivers
`);

const countedMetadata: Readonly<Record<string, CountedMetadata>> = lookup({
  // Annotations are copied to what a deployment makes, labels to nothing but select slices.
  'apps/deployments': 'annotations',
  'discovery.{domain}/endpointslices': 'labels',
});

/** Metadata whose change metadata.generation counts, too. */
export function countedMetadataOf(resource: string): CountedMetadata | undefined {
  return countedMetadata[resource];
}

/** Writes to the status leave all metadata alone that clients may write. */
const statusAlone = table(`
  admissionregistration.{domain}/validatingadmissionpolicies
  apiregistration.{domain}/apiservices
  flowcontrol.{domain}/flowschemas flowcontrol.{domain}/prioritylevelconfigurations
  resource.{domain}/resourceclaims
  storage.{domain}/volumeattachments
  storagemigration.{domain}/storageversionmigrations
`);

const clientMetadata = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
] as const;
const nothingKept: readonly string[] = [];
const keptByStatus: Readonly<Record<string, readonly string[]>> = lookup({
  // Old nodes' agents send owners that they have misread, and when they saw the pod deleted.
  '/pods': ['ownerReferences', 'deletionTimestamp'],
  'apps/deployments': ['labels'],
});

/** Members of metadata that a write to the status leaves as they are, whatever it says. */
export function keptByStatusOf(resource: string): readonly string[] {
  if (statusAlone.has(resource)) return clientMetadata;
  return keptByStatus[resource] ?? nothingKept;
}

/** Collections that are not deleted in one request: each namespace is emptied first. */
export const withoutDeleteCollection = table('/namespaces');

const nameRules: Readonly<Record<string, NameRule>> = lookup({
  '/namespaces': 'dns-label',
  '/services': 'dns-1035-label',
  'apiregistration.{domain}/apiservices': 'path-segment',
  'batch/cronjobs': 'dns-subdomain-52',
  'certificates.{domain}/certificatesigningrequests': 'path-segment',
  'certificates.{domain}/clustertrustbundles': 'trust-bundle',
  'internal.apiserver.{domain}/storageversions': 'group-resource',
  'networking.{domain}/ipaddresses': 'ip-address',
  'rbac.authorization.{domain}/clusterrolebindings': 'path-segment',
  'rbac.authorization.{domain}/clusterroles': 'path-segment',
  'rbac.authorization.{domain}/rolebindings': 'path-segment',
  'rbac.authorization.{domain}/roles': 'path-segment',
});

export function nameRuleOf(resource: string): NameRule {
  return nameRules[resource] ?? 'dns-subdomain';
}

const deletionRules: Readonly<Record<string, DeletionRule>> = lookup({
  '/namespaces': 'namespace',
  '/pods': 'pod',
});

export function deletionRuleOf(resource: string): DeletionRule {
  return deletionRules[resource] ?? 'immediate';
}

/** `<group>/<resource>@<version>`: versions from before the server collected dependents, and two
 * kinds of today that keep to that in their stable version. */
const orphansByDefault = table(`
  /replicationcontrollers@v1
  apps/daemonsets@v1beta2 apps/deployments@v1beta1 apps/deployments@v1beta2
  apps/replicasets@v1beta2 apps/statefulsets@v1beta1 apps/statefulsets@v1beta2
  batch/cronjobs@v1beta1 batch/cronjobs@v2alpha1 batch/jobs@v1
  extensions/daemonsets@v1beta1 extensions/deployments@v1beta1 extensions/replicasets@v1beta1
`);

/** They come and go in masses and are nobody's owner. */
const ownNothing = table('/events events.{domain}/events');

export function dependentsRuleOf(resource: string, version: string): DependentsRule {
  if (ownNothing.has(resource)) return 'none';
  return orphansByDefault.has(`${resource}@${version}`) ? 'orphan' : 'delete';
}

/** `label`, `label=path|second.path`, `label!default`: without `=` the label is the path. Paths
 * lead through the stored form, which all versions of a resource share. */
const selectable: Readonly<Record<string, string>> = lookup({
  '/pods': `spec.nodeName spec.restartPolicy!Always spec.schedulerName!default-scheduler
    spec.serviceAccountName=spec.serviceAccountName|spec.serviceAccount spec.hostNetwork!false
    status.phase!Pending status.podIP status.nominatedNodeName`,
  '/events': `involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid
    involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath
    reason reportingComponent source=source.component|reportingComponent type`,
  'events.{domain}/events': `regarding.kind=involvedObject.kind
    regarding.namespace=involvedObject.namespace regarding.name=involvedObject.name
    regarding.uid=involvedObject.uid regarding.apiVersion=involvedObject.apiVersion
    regarding.resourceVersion=involvedObject.resourceVersion
    regarding.fieldPath=involvedObject.fieldPath
    reason reportingController=reportingComponent type`,
  '/namespaces': 'status.phase!Active name=metadata.name',
  '/nodes': 'spec.unschedulable!false',
  '/replicationcontrollers': 'status.replicas!0',
  '/secrets': 'type!Opaque',
  '/services': 'spec.clusterIP spec.type!ClusterIP',
  'apps/replicasets': 'status.replicas!0',
  'batch/jobs': 'status.successful=status.succeeded!0',
  'certificates.{domain}/certificatesigningrequests': 'spec.signerName',
  'certificates.{domain}/clustertrustbundles': 'spec.signerName',
  'coordination.{domain}/leasecandidates': 'spec.leaseName',
  'resource.{domain}/resourceslices': 'spec.nodeName spec.driver',
});

function parseSelectable(text: string): SelectableField {
  const [left = '', unset = ''] = text.split('!');
  const [label = '', paths = label] = left.split('=');
  return { label, paths: paths.split('|').map((path) => path.split('.')), unset };
}

const noFields: readonly SelectableField[] = [];

export function selectableFieldsOf(resource: string): readonly SelectableField[] {
  const text = selectable[resource];
  return text === undefined ? noFields : text.trim().split(/\s+/).map(parseSelectable);
}

export const scalePaths: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};
