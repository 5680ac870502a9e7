/** What the kinds that make pods hold. The form is that of descriptions.ts. */
export const workloadDescriptions = `
apps.Deployment Runs a number of like pods, and replaces them step by step when their template
    changes.
apps.DeploymentSpec What is wanted of a Deployment.
  replicas How many pods to run; 1 if it is not said.
  selector Which pods are its own. It must select the labels of the template, and cannot change.
  template What the pods are made from. Their restartPolicy is Always.
  strategy How old pods give way to new ones.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  revisionHistoryLimit How many old ReplicaSets are kept to go back to; 10 if it is not said.
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
apps.DeploymentStatus What has become of a Deployment.
  observedGeneration The generation that this status speaks of.
  replicas How many pods are its own.
  updatedReplicas How many of them are made from the present template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  unavailableReplicas How many are still missing to be available.
  terminatingReplicas How many of them are ending.
  conditions Whether it is available, progresses, or fails to make pods.
  collisionCount Counts names of ReplicaSets that were taken; it goes into the next name.
apps.ReplicaSet Keeps a number of like pods running. Mostly made by a Deployment.
apps.ReplicaSetSpec What is wanted of a ReplicaSet.
  replicas How many pods to run; 1 if it is not said.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  selector Which pods are its own. It must select the labels of the template, and cannot change.
  template What missing pods are made from.
apps.ReplicaSetStatus What has become of a ReplicaSet.
  replicas How many pods are its own.
  fullyLabeledReplicas How many of them have all labels of the template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  terminatingReplicas How many of them are ending.
  observedGeneration The generation that this status speaks of.
  conditions What keeps it from making or deleting pods.
apps.StatefulSet Runs pods that are told apart: each has a number, a stable name and its own
    volumes.
apps.StatefulSetSpec What is wanted of a StatefulSet.
  replicas How many pods to run; 1 if it is not said.
  selector Which pods are its own. It must select the labels of the template, and cannot change.
  template What the pods are made from; each is called after the set, with its number.
  volumeClaimTemplates Claims of which each pod gets its own. They come before volumes of their
    name.
  serviceName The headless Service that gives the pods their host names; it must be there first.
  podManagementPolicy OrderedReady, one pod after the other, or Parallel.
  updateStrategy How pods of an older template are replaced.
  revisionHistoryLimit How many older revisions are kept to go back to; 10 if it is not said.
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
  start The number of the first pod; 0 if it is not said.
apps.StatefulSetStatus What has become of a StatefulSet.
  observedGeneration The generation that this status speaks of.
  replicas How many pods are its own.
  readyReplicas How many of them are ready.
  currentReplicas How many are of currentRevision.
  updatedReplicas How many are of updateRevision.
  currentRevision The revision that pods are replaced from.
  updateRevision The revision that pods are replaced with.
  collisionCount Counts names of revisions that were taken; it goes into the next name.
  conditions The latest observations of its state.
  availableReplicas How many pods have been ready for minReadySeconds.
apps.DaemonSet Runs a copy of a pod on every node, or on those that the pod may run on.
apps.DaemonSetSpec What is wanted of a DaemonSet.
  selector Which pods are its own. It must select the labels of the template, and cannot change.
  template What the pods are made from; its node selector and affinity say which nodes get one.
  updateStrategy How pods of an older template are replaced.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  revisionHistoryLimit How many older revisions are kept to go back to; 10 if it is not said.
apps.DaemonSetUpdateStrategy How pods of an older template are replaced.
  type RollingUpdate, the default, or OnDelete: only when somebody deletes them.
  rollingUpdate How many at once; for RollingUpdate only.
apps.RollingUpdateDaemonSet How many nodes may be without their pod, or have two, meanwhile.
  maxUnavailable On how many nodes the pod may be missing: a number or a percentage, rounded up.
  maxSurge On how many nodes the new pod may run beside the old one: a number or a percentage.
apps.DaemonSetStatus What has become of a DaemonSet.
  currentNumberScheduled How many nodes have a pod and should have one.
  numberMisscheduled How many nodes have a pod and should have none.
  desiredNumberScheduled How many nodes should have a pod.
  numberReady How many nodes have one that is ready.
  observedGeneration The generation that this status speaks of.
  updatedNumberScheduled How many nodes have one of the present template.
  numberAvailable How many nodes have one that has been ready for minReadySeconds.
  numberUnavailable How many nodes should have one that is available, and have none.
  collisionCount Counts names of revisions that were taken; it goes into the next name.
  conditions The latest observations of its state.
apps.ControllerRevision A template as it was, kept to go back to. It cannot change.
  data The template.
  revision Its number: later ones are higher.
core.ReplicationController Keeps a number of like pods running. A ReplicaSet does more; take that
    one.
core.ReplicationControllerSpec What is wanted of a ReplicationController.
  replicas How many pods to run; 1 if it is not said.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  selector Labels of the pods that are its own; those of the template if it is not said.
  template What missing pods are made from.
core.ReplicationControllerStatus What has become of a ReplicationController.
  replicas How many pods are its own.
  fullyLabeledReplicas How many of them have all labels of the template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  observedGeneration The generation that this status speaks of.
  conditions What keeps it from making or deleting pods.
core.PodTemplate A template of pods by itself.
  template What pods are made from.
core.PodTemplateSpec What pods are made from.
  metadata Labels and annotations that the pods get.
  spec What is wanted of the pods.
batch.Job Runs pods until enough of them have ended well.
batch.JobSpec What is wanted of a Job.
  parallelism How many pods may run at once; 1 if neither this nor completions is said.
  completions How many pods must end well. Empty: the success of any one is that of all.
  activeDeadlineSeconds After so many seconds the job is ended as failed.
  podFailurePolicy What a pod's failure means: that of the job, of an index, or nothing.
  successPolicy When an indexed job counts as done before all of its indexes are.
  backoffLimit How many failures there may be before the job fails; 6 by default.
  backoffLimitPerIndex The same for each index; for indexed jobs whose pods never restart.
  maxFailedIndexes How many indexes may fail before the job does.
  selector Which pods are its own. Made by the server; leave it empty.
  manualSelector The selector was chosen by hand, and the server adds no labels. Seldom right.
  template What the pods are made from. Their restartPolicy is Never or OnFailure.
  ttlSecondsAfterFinished After so many seconds a job that has ended is deleted. Empty: never.
  completionMode NonIndexed, or Indexed: each pod gets a number from 0 to completions - 1.
  suspend No pods run while this is true; those that ran are deleted.
  podReplacementPolicy When a pod is replaced: once it is ending (TerminatingOrFailed), or has ended
    (Failed).
  managedBy Which controller looks after the job; empty for the one built in. It cannot change.
batch.JobStatus What has become of a Job.
  conditions Whether it is complete, has failed, or is suspended.
  startTime When it was begun, or last resumed.
  completionTime When it was complete.
  active How many pods run or wait to run.
  succeeded How many pods have ended well.
  failed How many pods have failed.
  terminating How many pods are ending.
  completedIndexes Indexes that are done, such as 1,3-5.
  failedIndexes Indexes that have failed, such as 1,3-5.
  uncountedTerminatedPods Pods that have ended and are not in the counts yet.
  ready How many of the active pods are ready.
batch.UncountedTerminatedPods UIDs of pods that have ended and are to be counted.
  succeeded Of those that ended well.
  failed Of those that failed.
batch.PodFailurePolicy What the failure of a pod means.
  rules Tried in order; the first that matches decides. None: it counts towards backoffLimit.
batch.PodFailurePolicyRule A failure, by exit codes or by conditions of the pod, and what it means.
  action FailJob, FailIndex, Ignore (do not count it) or Count.
  onExitCodes Exit codes that are meant.
  onPodConditions Conditions of the pod that are meant; one of them is enough.
batch.PodFailurePolicyOnExitCodesRequirement Exit codes of containers.
  containerName The container; empty for any but ephemeral ones.
  operator In or NotIn.
  values The codes; 0 is not among those of In.
batch.PodFailurePolicyOnPodConditionsPattern A condition of a pod.
  type Type of the condition.
  status Its status; True if it is not said.
batch.SuccessPolicy When a job counts as done.
  rules Tried in order; the first that holds is enough.
batch.SuccessPolicyRule Indexes that are enough.
  succeededIndexes Which ones must have ended well, such as 1,3-5; empty for any.
  succeededCount How many of them must have; empty for all.
batch.CronJob Makes a Job again and again, at times of a schedule.
batch.CronJobSpec What is wanted of a CronJob.
  schedule When: minute, hour, day of the month, month, day of the week, in the form of cron.
  timeZone In which time zone, such as Europe/Paris; that of the controller if it is not said.
  startingDeadlineSeconds How late a job may begin; one that is later is missed.
  concurrencyPolicy While a job still runs: Allow another, Forbid it, or Replace the old one.
  suspend No further jobs are made while this is true.
  jobTemplate What the jobs are made from.
  successfulJobsHistoryLimit How many jobs that ended well are kept; 3 by default.
  failedJobsHistoryLimit How many jobs that failed are kept; 1 by default.
batch.CronJobStatus What has become of a CronJob.
  active Jobs that run.
  lastScheduleTime When a job was last made.
  lastSuccessfulTime When a job last ended well.
batch.JobTemplateSpec What jobs are made from.
  metadata Labels and annotations that the jobs get.
  spec What is wanted of the jobs.
autoscaling.HorizontalPodAutoscaler Changes the number of pods of something by what metrics say.
autoscaling.HorizontalPodAutoscalerSpec What is wanted of an autoscaler.
  scaleTargetRef What is scaled: something with a scale subresource.
  minReplicas The fewest pods; 1 if it is not said.
  maxReplicas The most pods; not less than minReplicas.
  metrics What to go by; the one that asks for most pods wins. By default CPU at 80 percent.
  behavior How fast it may go, up and down.
  targetCPUUtilizationPercentage The CPU use to aim at, in percent of what pods request.
autoscaling.CrossVersionObjectReference An object in the same namespace.
  kind Its kind.
  name Its name.
  apiVersion Group and version of its kind.
autoscaling.MetricSpec A metric and what to aim at; the field named as the type is set.
  type Object, Pods, Resource, ContainerResource or External.
  object A metric of one other object.
  pods A metric of each pod, averaged.
  resource A resource that pods request, such as cpu.
  containerResource The same of one container in each pod.
  external A metric of something outside of the cluster.
autoscaling.ObjectMetricSource A metric of one object.
  describedObject The object.
  target What to aim at.
  metric Which metric.
autoscaling.PodsMetricSource A metric of each pod.
  metric Which metric.
  target What to aim at, as an average.
autoscaling.ResourceMetricSource A resource that pods request.
  name Which resource.
  target What to aim at.
autoscaling.ContainerResourceMetricSource A resource that one container requests.
  name Which resource.
  target What to aim at.
  container Name of the container.
autoscaling.ExternalMetricSource A metric from outside.
  metric Which metric.
  target What to aim at.
autoscaling.MetricIdentifier A metric by its name.
  name The name.
  selector Labels that narrow it down, if the source of metrics knows any.
autoscaling.MetricTarget What to aim at, in one of three ways.
  type Utilization, Value or AverageValue.
  value The value of the metric as a whole.
  averageValue The value for each pod.
  averageUtilization In percent of what pods request; for resources only.
autoscaling.HorizontalPodAutoscalerBehavior How fast the number of pods may change.
  scaleUp When there are to be more. By default at once: 4 more or twice as many in 15 seconds.
  scaleDown When there are to be fewer. By default after five minutes of looking back.
autoscaling.HPAScalingRules How fast it goes in one direction.
  stabilizationWindowSeconds So far it looks back, and takes the gentlest of its wishes; 0 to 3600.
  selectPolicy Which policy decides: Max, the default, Min, or Disabled for no change at all.
  policies Bounds of a change; there is at least one.
  tolerance Deviations from the target up to this are left alone.
autoscaling.HPAScalingPolicy How much may change in a time.
  type Pods or Percent.
  value How many of them.
  periodSeconds In so many seconds; 1 to 1800.
autoscaling.HorizontalPodAutoscalerStatus What has become of an autoscaler.
  observedGeneration The generation that this status speaks of.
  lastScaleTime When the number of pods was last changed.
  currentReplicas How many pods there were when it last looked.
  desiredReplicas How many it then wanted.
  currentMetrics What the metrics were.
  conditions Whether it can scale, does, or is held by its bounds.
  currentCPUUtilizationPercentage The CPU use, in percent of what pods request.
autoscaling.MetricStatus What a metric was.
  type Object, Pods, Resource, ContainerResource or External.
  object The metric of one other object.
  pods The metric of each pod, averaged.
  resource The resource that pods request.
  containerResource The same of one container in each pod.
  external The metric of something outside of the cluster.
*MetricStatus What a metric was.
  metric Which metric.
  current Its value.
  describedObject The object it is of.
  name Which resource.
  container Name of the container.
autoscaling.MetricValueStatus A value that was seen.
  value As a whole.
  averageValue For each pod.
  averageUtilization In percent of what pods request.
autoscaling.Scale The number of copies of something, in one form for all that can be scaled.
autoscaling.ScaleSpec What is wanted.
  replicas How many copies.
autoscaling.ScaleStatus What is there.
  replicas How many copies there are.
  selector The selector of the copies, as text.
policy.PodDisruptionBudget How many of a set of pods must be there when some are evicted on purpose.
policy.PodDisruptionBudgetSpec What is wanted of a budget.
  minAvailable So many must stay after an eviction: a number or a percentage. Not with
    maxUnavailable.
  selector Which pods it is about.
  maxUnavailable So many may be missing after an eviction: a number or a percentage.
  unhealthyPodEvictionPolicy Pods that are not ready may go: AlwaysAllow, or IfHealthyBudget, if
    enough others are.
policy.PodDisruptionBudgetStatus What the budget has come to.
  observedGeneration The generation that this status speaks of.
  disruptedPods Pods whose eviction was allowed and that are not gone yet.
  disruptionsAllowed How many evictions are allowed at present.
  currentHealthy How many pods are healthy.
  desiredHealthy How many must be.
  expectedPods How many there should be.
  conditions Whether evictions are allowed, and why not.
policy.Eviction Asks for a pod to be deleted, unless a budget speaks against it.
  deleteOptions How to delete.
`;
