/**
 * Where the reference takes what the schema of a built-in kind calls missing or unknown.
 *
 * Names are those of SchemaExemptions: `<package>.<Type>.<field>`, for every version.
 */
import type { SchemaExemptions } from '../../apimachinery/typed/validate-typed.ts';

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((part) => part !== ''));
}

export const schemaExemptions: SchemaExemptions = {
  optional: names(`
    batch.PodFailurePolicy.rules
    core.HTTPHeader.value core.LimitRangeSpec.limits core.Sysctl.value
    discovery.EndpointSlice.endpoints
    rbac.RoleRef.apiGroup
    storage.CSINodeSpec.drivers storage.TokenRequest.audience
  `),
  openValues: names(`
    autoscaling.ContainerResourceMetricSource.name autoscaling.ResourceMetricSource.name
    batch.PodFailurePolicyOnPodConditionsPattern.type
    coordination.LeaseCandidateSpec.strategy coordination.LeaseSpec.strategy
    core.ContainerResizePolicy.resourceName core.EmptyDirVolumeSource.medium
    core.LimitRangeItem.type core.NamespaceSpec.finalizers core.PodReadinessGate.conditionType
    core.Secret.type
  `),
  // Its rules are written out by hand, message by message.
  packages: names('resource'),
};
