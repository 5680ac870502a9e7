/** What the types of the group are for, as `kubectl explain` shows it. */

export const appsDescriptions = `
apps.Deployment Runs a number of like pods, and replaces them step by step when their template
    changes.
apps.DeploymentSpec The desired state of a Deployment.
  replicas How many pods to run; 1 by default.
  selector Selects the pods that it manages; must match the template, and cannot change.
  template What the pods are made from. Their restartPolicy is Always.
  strategy How old pods give way to new ones.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  revisionHistoryLimit How many old ReplicaSets are kept to go back to; 10 by default.
  paused Changes of the template wait while this is true.
  progressDeadlineSeconds After so many seconds without progress it is said to have failed; 600 by
    default.
apps.DeploymentStrategy How old pods are replaced by new ones.
  type Recreate (all old ones go first) or RollingUpdate, which is the default.
  rollingUpdate How many at once; for RollingUpdate only.
apps.RollingUpdateDeployment How many pods may be missing, or too many, while others replace them.
  maxUnavailable How many of the wanted pods may be missing: a number or a percentage, rounded down.
    25% by default; not 0 together with maxSurge.
  maxSurge How many pods there may be beyond the wanted ones: a number or a percentage, rounded up.
    25% by default.
apps.DeploymentStatus The observed state of a Deployment.
  observedGeneration The generation that this status describes.
  replicas How many pods it manages.
  updatedReplicas How many of them are made from the present template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  unavailableReplicas How many are still missing to be available.
  terminatingReplicas How many of them are ending.
  conditions Whether it is available, progresses, or fails to make pods.
  collisionCount Counts names of ReplicaSets that were taken; it goes into the next name.
apps.ReplicaSet Keeps a number of like pods running. Mostly made by a Deployment.
apps.ReplicaSetSpec The desired state of a ReplicaSet.
  replicas How many pods to run; 1 by default.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  selector Selects the pods that it manages; must match the template, and cannot change.
  template What missing pods are made from.
apps.ReplicaSetStatus The observed state of a ReplicaSet.
  replicas How many pods it manages.
  fullyLabeledReplicas How many of them have all labels of the template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  terminatingReplicas How many of them are ending.
  observedGeneration The generation that this status describes.
  conditions What keeps it from making or deleting pods.
apps.StatefulSet Runs pods that are told apart: each has a number, a stable name and its own
    volumes.
apps.StatefulSetSpec The desired state of a StatefulSet.
  replicas How many pods to run; 1 by default.
  selector Selects the pods that it manages; must match the template, and cannot change.
  template What the pods are made from; each is called after the set, with its number.
  volumeClaimTemplates Claims of which each pod gets its own. They come before volumes of their
    name.
  serviceName The headless Service that gives the pods their host names; it must be there first.
  podManagementPolicy OrderedReady, one pod after the other, or Parallel.
  updateStrategy How pods of an older template are replaced.
  revisionHistoryLimit How many older revisions are kept to go back to; 10 by default.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  persistentVolumeClaimRetentionPolicy What becomes of the claims when pods go.
  ordinals Which number the first pod has.
apps.StatefulSetUpdateStrategy How pods of an older template are replaced.
  type RollingUpdate, or OnDelete: only when somebody deletes them.
  rollingUpdate How many at once, and which; for RollingUpdate only.
apps.RollingUpdateStatefulSetStrategy Which pods are replaced, from the highest number on.
  partition Pods with a lower number stay as they are; 0 replaces all.
  maxUnavailable How many pods may be missing meanwhile: a number or a percentage, rounded up.
apps.StatefulSetPersistentVolumeClaimRetentionPolicy What becomes of claims whose pod is gone.
  whenDeleted When the set is deleted: Retain, the default, or Delete.
  whenScaled When the set gets smaller: Retain, the default, or Delete.
apps.StatefulSetOrdinals How pods are numbered.
  start The number of the first pod; 0 by default.
apps.StatefulSetStatus The observed state of a StatefulSet.
  observedGeneration The generation that this status describes.
  replicas How many pods it manages.
  readyReplicas How many of them are ready.
  currentReplicas How many are of currentRevision.
  updatedReplicas How many are of updateRevision.
  currentRevision The revision that pods are replaced from.
  updateRevision The revision that pods are replaced with.
  collisionCount Counts names of revisions that were taken; it goes into the next name.
  conditions The latest observations of its state.
  availableReplicas How many pods have been ready for minReadySeconds.
apps.DaemonSet Runs a copy of a pod on every node, or on those that the pod may run on.
apps.DaemonSetSpec The desired state of a DaemonSet.
  selector Selects the pods that it manages; must match the template, and cannot change.
  template What the pods are made from; its node selector and affinity say which nodes get one.
  updateStrategy How pods of an older template are replaced.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  revisionHistoryLimit How many older revisions are kept to go back to; 10 by default.
apps.DaemonSetUpdateStrategy How pods of an older template are replaced.
  type RollingUpdate, the default, or OnDelete: only when somebody deletes them.
  rollingUpdate How many at once; for RollingUpdate only.
apps.RollingUpdateDaemonSet How many nodes may be without their pod, or have two, meanwhile.
  maxUnavailable On how many nodes the pod may be missing: a number or a percentage, rounded up.
  maxSurge On how many nodes the new pod may run beside the old one: a number or a percentage.
apps.DaemonSetStatus The observed state of a DaemonSet.
  currentNumberScheduled How many nodes have a pod and should have one.
  numberMisscheduled How many nodes have a pod and should have none.
  desiredNumberScheduled How many nodes should have a pod.
  numberReady How many nodes have one that is ready.
  observedGeneration The generation that this status describes.
  updatedNumberScheduled How many nodes have one of the present template.
  numberAvailable How many nodes have one that has been ready for minReadySeconds.
  numberUnavailable How many nodes should have one that is available, and have none.
  collisionCount Counts names of revisions that were taken; it goes into the next name.
  conditions The latest observations of its state.
apps.ControllerRevision A template as it was, kept to go back to. It cannot change.
  data The template.
  revision Its number: later ones are higher.
`;
