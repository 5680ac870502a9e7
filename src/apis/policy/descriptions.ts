/** What the types of the group are for, as `kubectl explain` shows it. */

export const policyDescriptions = `
policy.PodDisruptionBudget How many of a set of pods must be there when some are evicted on purpose.
policy.PodDisruptionBudgetSpec The desired state of a budget.
  minAvailable So many must stay after an eviction: a number or a percentage. Not with
    maxUnavailable.
  selector Which pods it is about.
  maxUnavailable So many may be missing after an eviction: a number or a percentage.
  unhealthyPodEvictionPolicy Pods that are not ready may go: AlwaysAllow, or IfHealthyBudget, if
    enough others are.
policy.PodDisruptionBudgetStatus What the budget has come to.
  observedGeneration The generation that this status describes.
  disruptedPods Pods whose eviction was allowed and that are not gone yet.
  disruptionsAllowed How many evictions are allowed at present.
  currentHealthy How many pods are healthy.
  desiredHealthy How many must be.
  expectedPods How many there should be.
  conditions Whether evictions are allowed, and why not.
policy.Eviction Asks for a pod to be deleted, unless a budget speaks against it.
  deleteOptions How to delete.
`;
