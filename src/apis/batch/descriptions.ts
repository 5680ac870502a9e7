/** What the types of the group are for, as `kubectl explain` shows it. */

export const batchDescriptions = `
batch.Job Runs pods until enough of them have ended well.
batch.JobSpec The desired state of a Job.
  parallelism How many pods may run at once; 1 if neither this nor completions is said.
  completions How many pods must end well. Empty: the success of any one is that of all.
  activeDeadlineSeconds After so many seconds the job is ended as failed.
  podFailurePolicy What a pod's failure means: that of the job, of an index, or nothing.
  successPolicy When an indexed job counts as done before all of its indexes are.
  backoffLimit How many failures there may be before the job fails; 6 by default.
  backoffLimitPerIndex The same for each index; for indexed jobs whose pods never restart.
  maxFailedIndexes How many indexes may fail before the job does.
  selector Selects the pods that it manages. Made by the server; leave it empty.
  manualSelector The selector was chosen by hand, and the server adds no labels. Seldom right.
  template What the pods are made from. Their restartPolicy is Never or OnFailure.
  ttlSecondsAfterFinished After so many seconds a job that has ended is deleted. Empty: never.
  completionMode NonIndexed, or Indexed: each pod gets a number from 0 to completions - 1.
  suspend No pods run while this is true; those that ran are deleted.
  podReplacementPolicy When a pod is replaced: once it is ending (TerminatingOrFailed), or has ended
    (Failed).
  managedBy Which controller looks after the job; empty for the one built in. It cannot change.
batch.JobStatus The observed state of a Job.
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
  status Its status; True by default.
batch.SuccessPolicy When a job counts as done.
  rules Tried in order; the first that holds is enough.
batch.SuccessPolicyRule Indexes that are enough.
  succeededIndexes Which ones must have ended well, such as 1,3-5; empty for any.
  succeededCount How many of them must have; empty for all.
batch.CronJob Makes a Job again and again, at times of a schedule.
batch.CronJobSpec The desired state of a CronJob.
  schedule When: minute, hour, day of the month, month, day of the week, in the form of cron.
  timeZone In which time zone, such as Europe/Paris; that of the controller by default.
  startingDeadlineSeconds How late a job may begin; one that is later is missed.
  concurrencyPolicy While a job still runs: Allow another, Forbid it, or Replace the old one.
  suspend No further jobs are made while this is true.
  jobTemplate What the jobs are made from.
  successfulJobsHistoryLimit How many jobs that ended well are kept; 3 by default.
  failedJobsHistoryLimit How many jobs that failed are kept; 1 by default.
batch.CronJobStatus The observed state of a CronJob.
  active Jobs that run.
  lastScheduleTime When a job was last made.
  lastSuccessfulTime When a job last ended well.
batch.JobTemplateSpec What jobs are made from.
  metadata Labels and annotations that the jobs get.
  spec The desired state of the jobs.
`;
