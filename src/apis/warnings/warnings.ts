/**
 * What is said of objects that are accepted all the same: fields that do nothing, names that are
 * going, values that other programs read otherwise (spec 1, section 9, rule 6: Warning headers).
 *
 *     'apps/deployments': workloadWarnings      `<group template>/<resource>`, as in behaviour.ts
 *
 * What it is not: rules, which refuse (../validation), or the headers (endpoints/warnings.ts). The
 * texts are those of the release that is served; scripts and people compare them.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { lookup } from '../../stdx/lookup.ts';
import * as others from './accounts-and-nodes.ts';
import { endpointSliceWarnings, endpointsWarnings, networkPolicyWarnings } from './addresses.ts';
import type { KindWarnings } from './kind-warnings.ts';
import { podWarnings, templateWarnings } from './pods.ts';
import { ingressWarnings, serviceWarnings } from './services.ts';
import * as storage from './storage.ts';
import * as workloads from './workloads.ts';

/** Warnings by resource. A resource that is not in it has none. */
export function kindWarningsOf(identity: Identity): Readonly<Record<string, KindWarnings>> {
  const template = templateWarnings(identity);
  const { fill } = identity;
  return lookup({
    '/endpoints': endpointsWarnings(fill('endpoints.{labelDomain}/managed-by')),
    '/nodes': others.nodeWarnings,
    '/persistentvolumeclaims': storage.claimWarnings(identity),
    '/persistentvolumes': storage.persistentVolumeWarnings(identity),
    '/pods': podWarnings(template),
    '/podtemplates': workloads.podTemplateWarnings(template),
    '/replicationcontrollers': workloads.workloadWarnings(template),
    '/secrets': others.secretWarnings(identity),
    '/serviceaccounts': others.serviceAccountWarnings(identity),
    '/services': serviceWarnings(identity),
    'apps/daemonsets': workloads.daemonSetWarnings(template),
    'apps/deployments': workloads.workloadWarnings(template),
    'apps/replicasets': workloads.workloadWarnings(template),
    'apps/statefulsets': workloads.statefulSetWarnings(template),
    'batch/cronjobs': workloads.cronJobWarnings(template, identity),
    'batch/jobs': workloads.jobWarnings(template),
    'discovery.{domain}/endpointslices': endpointSliceWarnings(
      fill('endpointslice.{labelDomain}/managed-by'),
      fill,
    ),
    'networking.{domain}/ingresses': ingressWarnings(identity),
    'networking.{domain}/networkpolicies': networkPolicyWarnings,
    'node.{domain}/runtimeclasses': others.runtimeClassWarnings(identity),
    'storage.{domain}/csistoragecapacities': storage.storageCapacityWarnings(identity),
    'storage.{domain}/storageclasses': storage.storageClassWarnings(identity),
  });
}
