/** What pods and containers hold. The form is that of descriptions.ts. */

export const podDescriptions = `
core.Pod A set of containers that run on one node and share its network and volumes.
core.PodSpec The desired state of a Pod.
  volumes Volumes that the containers can mount.
  initContainers Containers that run first, one after the other; each must end well before the next.
  containers The containers, one at least. None can be added or taken away later.
  ephemeralContainers Containers put into the running pod to look into it, by the subresource
    ephemeralcontainers.
  restartPolicy Whether containers that end run again: Always, the default, OnFailure or Never.
  terminationGracePeriodSeconds Seconds that the containers have to end in order; 30 by default.
  activeDeadlineSeconds After so many seconds on the node the pod is ended as failed.
  dnsPolicy Where names are looked up: ClusterFirst, the default, ClusterFirstWithHostNet, Default
    (as the node does) or None (as dnsConfig says).
  nodeSelector Labels that the node must have.
  serviceAccountName The ServiceAccount as which it runs.
  serviceAccount The older name of serviceAccountName.
  automountServiceAccountToken Whether a token of the account is mounted.
  nodeName The node it runs on. Set by the scheduler; whoever sets it goes past the scheduler.
  hostNetwork It uses the network of the node.
  hostPID It sees the processes of the node.
  hostIPC It shares the memory segments of the node.
  shareProcessNamespace The containers see each other's processes. Not together with hostPID.
  securityContext Settings of security for all of its containers.
  imagePullSecrets Secrets to fetch images with, in the namespace of the pod.
  hostname Its host name; its own name by default.
  subdomain With it, its full name is hostname.subdomain.namespace.svc and the domain.
  affinity Which nodes it needs or likes, by their labels or by other pods on them.
  schedulerName The scheduler that finds it a node.
  tolerations Taints of nodes that do not keep it away.
  hostAliases Lines for the file of hosts in its containers.
  priorityClassName How important it is, by a PriorityClass.
  priority How important it is, as a number; higher is more. Taken from the class.
  dnsConfig More settings of DNS, beside those of dnsPolicy.
  readinessGates Conditions that must be true, too, for it to be ready.
  runtimeClassName The RuntimeClass that runs it.
  enableServiceLinks Whether the services of the namespace are in the environment; true by default.
  preemptionPolicy Whether less important pods may go for it: PreemptLowerPriority, the default, or
    Never.
  overhead Resources that running it takes beside its containers; set by the RuntimeClass.
  topologySpreadConstraints How pods like it are to be spread over zones, nodes and so on.
  setHostnameAsFQDN The host name in the containers is the full one.
  os The operating system that its containers need.
  hostUsers Whether it uses the users of the node; false gives it a user namespace of its own.
  schedulingGates The scheduler waits until these are gone. They can only be taken away.
  resourceClaims Claims that must be met before it starts.
  resources Resources of the pod as a whole.
core.PodStatus The observed state of a Pod.
  observedGeneration The generation that this status describes.
  phase Where it is in its life: Pending, Running, Succeeded, Failed or Unknown.
  conditions Whether it is scheduled, initialized, ready and so on.
  message Why it is as it is, for people.
  reason Why it is as it is, in one word, such as Evicted.
  nominatedNodeName The node that is being made free for it.
  hostIP Address of its node.
  hostIPs Addresses of its node.
  podIP Its address.
  podIPs Its addresses, one of each family at most.
  startTime When its node took it on.
  initContainerStatuses State of each init container.
  containerStatuses State of each container.
  qosClass Which pods go first when memory is short: BestEffort, then Burstable, then Guaranteed.
  ephemeralContainerStatuses State of each ephemeral container.
  resize The state of a change of its resources, as older servers say it; now a condition.
  resourceClaimStatuses State of its claims.
core.PodIP An address of a pod.
  ip The address.
core.HostIP An address of a node.
  ip The address.
core.PodReadinessGate A condition that is needed for readiness.
  conditionType Type of the condition.
core.PodSchedulingGate Something the scheduler waits for.
  name Its name, unique in the pod.
core.PodOS An operating system.
  name Which one: linux or windows.
core.PodResourceClaim A claim of the pod, by its name or by a template; one of both.
  name How containers refer to it.
  resourceClaimName The ResourceClaim.
  resourceClaimTemplateName The template of a claim that is made for this pod, and goes with it.
core.PodResourceClaimStatus A claim that was made for the pod.
  name Its name in the pod.
  resourceClaimName The ResourceClaim; empty if none was needed.
core.PodDNSConfig Settings of DNS.
  nameservers Addresses of servers to ask.
  searches Domains in which names are looked for.
  options Options of the resolver.
core.PodDNSConfigOption An option of the resolver.
  name Its name.
  value Its value, if it has any.
core.HostAlias A line for the file of hosts.
  ip The address.
  hostnames The names it has.
core.TopologySpreadConstraint How pods are spread over the values of a label of nodes.
  maxSkew By how many pods two such places may differ.
  topologyKey The label of nodes whose values are the places.
  whenUnsatisfiable What if it cannot be: DoNotSchedule, or ScheduleAnyway.
  labelSelector Which pods are counted.
  minDomains As long as there are fewer places, an empty one is assumed.
  nodeAffinityPolicy Whether nodes that the pod may not use count: Ignore, or Honor (they do not).
  nodeTaintsPolicy Whether nodes whose taints it does not tolerate count: Ignore or Honor.
  matchLabelKeys Labels of the pod that the counted ones must share.
core.Toleration A taint of nodes that does not keep the pod away.
  key Key of the taint; empty with Exists for all.
  operator Equal, the default, or Exists, for any value.
  value Value of the taint.
  effect NoSchedule, PreferNoSchedule or NoExecute; empty for all.
  tolerationSeconds How long NoExecute is borne; empty for ever.
core.Affinity What attracts the pod to nodes, and what keeps it away.
  nodeAffinity Labels of nodes.
  podAffinity Pods that should be near.
  podAntiAffinity Pods that should not be near.
core.NodeAffinity Labels of nodes that are needed or liked.
  requiredDuringSchedulingIgnoredDuringExecution What a node must have when the pod gets there.
  preferredDuringSchedulingIgnoredDuringExecution What is liked, with weights.
core.PodAffinity Pods that should be near.
  requiredDuringSchedulingIgnoredDuringExecution Pods that must be near when this one is scheduled.
  preferredDuringSchedulingIgnoredDuringExecution Pods that are liked to be near, with weights.
core.PodAntiAffinity Pods that should not be near.
  requiredDuringSchedulingIgnoredDuringExecution Pods that must not be near when this one is
    scheduled.
  preferredDuringSchedulingIgnoredDuringExecution Pods that are not liked to be near, with weights.
core.PodAffinityTerm Pods, and what near means.
  labelSelector Labels of the pods.
  namespaces Their namespaces; empty, with no namespaceSelector, for the own.
  topologyKey The label of nodes that is the same where it is near.
  namespaceSelector Labels of their namespaces.
  matchLabelKeys Labels of the pod that they must share.
  mismatchLabelKeys Labels of the pod in which they must differ.
core.WeightedPodAffinityTerm Pods, and how much they matter.
  weight How much, from 1 to 100.
  podAffinityTerm The pods.
core.PreferredSchedulingTerm Nodes, and how much they are liked.
  weight How much, from 1 to 100.
  preference The nodes.
core.NodeSelector Nodes that match one of the terms.
  nodeSelectorTerms The terms.
core.NodeSelectorTerm Nodes that meet all of the conditions.
  matchExpressions Conditions on labels.
  matchFields Conditions on fields, such as metadata.name.
core.NodeSelectorRequirement A condition on a label or a field.
  key The label or field.
  operator How it relates to the values: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  values The values; one number for Gt and Lt, none for the two of existence.
core.Container A program that runs in a Pod, in a file system of its own.
core.EphemeralContainer A container put into a running pod to look into it. It is not restarted.
  targetContainerName The container whose processes it sees.
core.EphemeralContainerCommon What an ephemeral container has in common with others.
core.Container+core.EphemeralContainerCommon
  name Its name, unique in the pod. It cannot change.
  image The image it runs.
  command The program and its first arguments, instead of the entry point of the image. $(NAME) is
    replaced by the variable.
  args Further arguments, instead of those of the image. $(NAME) is replaced by the variable.
  workingDir Where it starts; the directory of the image by default.
  ports Ports it listens on. What is not named here can be reached all the same.
  envFrom Sources of which every key is a variable.
  env Variables of its environment.
  resources How much it may use, and how much is kept for it.
  resizePolicy Whether it restarts when its resources change.
  restartPolicy Of an init container: Always lets it run on beside the others.
  volumeMounts Where volumes stand in its file system.
  volumeDevices Volumes that it uses as raw devices.
  livenessProbe A check that it lives; if not, it is restarted.
  readinessProbe A check that it can serve; if not, it gets no traffic from services.
  startupProbe A check that it has started; the other checks begin after it.
  lifecycle What to do after it starts and before it ends.
  terminationMessagePath File in which it may say how it ended; /dev/termination-log by default.
  terminationMessagePolicy Where that message comes from: File, the default, or
    FallbackToLogsOnError.
  imagePullPolicy When the image is fetched: Always, IfNotPresent or Never. By default Always for
    the
    tag latest, else IfNotPresent.
  securityContext Settings of security; they come before those of the pod.
  stdin It has a standard input that can be attached to.
  stdinOnce The standard input is closed after the first one who was attached.
  tty It has a terminal; this needs stdin.
core.ContainerPort A port that a container listens on.
  name Its name, unique in the pod; services can refer to it.
  hostPort The port of the node that leads to it.
  containerPort Its number.
  protocol TCP, the default, UDP or SCTP.
  hostIP The address of the node to which hostPort belongs.
core.EnvVar A variable of the environment.
  name Its name.
  value Its value. $(NAME) is replaced by an earlier variable; $$ stands for $.
  valueFrom Where its value comes from, instead of value.
core.EnvVarSource Where the value of a variable comes from; one of these.
  fieldRef A field of the pod.
  resourceFieldRef A resource of a container.
  configMapKeyRef A key of a ConfigMap.
  secretKeyRef A key of a Secret.
core.EnvFromSource A source of which every key is a variable.
  prefix What the names of the variables begin with.
  configMapRef A ConfigMap.
  secretRef A Secret.
core.ConfigMapEnvSource A ConfigMap whose keys are variables.
  name Its name.
  optional It need not be there.
core.SecretEnvSource A Secret whose keys are variables.
  name Its name.
  optional It need not be there.
core.ConfigMapKeySelector A key of a ConfigMap.
  name The ConfigMap.
  key The key.
  optional It need not be there.
core.SecretKeySelector A key of a Secret.
  name The Secret.
  key The key.
  optional It need not be there.
core.ObjectFieldSelector A field of the pod.
  apiVersion In the terms of which version the path is; v1 by default.
  fieldPath The path, such as metadata.name.
core.ResourceFieldSelector A resource of a container.
  containerName The container; needed for volumes.
  resource Which one, such as limits.cpu.
  divisor In which unit; 1 by default.
core.ResourceRequirements How much may be used, and how much is kept.
  limits The most that may be used.
  requests What is kept; the limits by default.
  claims Claims of the pod that are used here.
core.ResourceClaim A claim of the pod that is used.
  name Its name in the pod.
  request One request of the claim; empty for all.
core.ContainerResizePolicy What a change of a resource does to a container.
  resourceName Which resource: cpu or memory.
  restartPolicy NotRequired, the default, or RestartContainer.
core.VolumeMount Where a volume stands in a container.
  name Name of the volume.
  readOnly It can only be read.
  recursiveReadOnly Whether mounts below it can only be read, too: Disabled, IfPossible or Enabled.
  mountPath Where in the container; no colon in it.
  subPath The part of the volume that is mounted; the whole by default.
  mountPropagation Whether later mounts are seen on the other side: None, HostToContainer or
    Bidirectional.
  subPathExpr Like subPath, with $(NAME) replaced by the variable. Not both.
core.VolumeDevice A volume that is used as a raw device.
  name Name of the volume; it is a claim.
  devicePath Where the device is in the container.
core.Probe A check of a container, done again and again.
  initialDelaySeconds How long after the start the first one is done.
  timeoutSeconds How long an answer may take; 1 by default.
  periodSeconds How often it is done; every 10 seconds by default.
  successThreshold How many must succeed in a row after a failure; 1 by default.
  failureThreshold How many must fail in a row; 3 by default.
  terminationGracePeriodSeconds Seconds to end in order when this check fails; else the pod's.
core.Probe+core.LifecycleHandler+core.ProbeHandler
  exec Runs a command; 0 is success.
  httpGet Asks for a path; 200 to 399 is success.
  tcpSocket Connects to a port.
core.ProbeHandler How to check.
  grpc Asks the health service of GRPC.
core.LifecycleHandler What to do.
  sleep Waits.
core.Lifecycle What to do after a container starts and before it ends.
  postStart Right after the start. If it fails, the container is ended.
  preStop Before the end; the grace period goes on meanwhile.
  stopSignal The signal that ends the container; needs the os of the pod.
core.ExecAction A command to run in the container.
  command The program and its arguments; there is no shell around it.
core.HTTPGetAction A request over HTTP.
  path The path.
  port Number or name of the port.
  host The host; the address of the pod by default.
  scheme HTTP, the default, or HTTPS, whose certificate is not looked at.
  httpHeaders Headers to send.
core.HTTPHeader A header.
  name Its name.
  value Its value.
core.TCPSocketAction A connection over TCP.
  port Number or name of the port.
  host The host; the address of the pod by default.
core.GRPCAction A health check over GRPC.
  port Number of the port.
  service Name of the service to ask about; it may be empty.
core.SleepAction A pause.
  seconds How long.
core.SecurityContext Settings of security of a container.
  capabilities Capabilities it gets or loses.
  privileged It may do all that root of the node may.
  seLinuxOptions Its SELinux label.
  windowsOptions Settings for Windows.
  runAsUser The user it runs as; that of the image by default.
  runAsGroup The group it runs as.
  runAsNonRoot It does not start if it would be root.
  readOnlyRootFilesystem It cannot write to its own file system.
  allowPrivilegeEscalation Whether a process can get more rights than the one that made it.
  procMount What it sees of /proc: Default, or Unmasked.
  seccompProfile Which system calls it may make.
  appArmorProfile Its AppArmor profile.
core.PodSecurityContext Settings of security for all containers of a pod.
  seLinuxOptions The SELinux label.
  windowsOptions Settings for Windows.
  runAsUser The user they run as; that of the image by default.
  runAsGroup The group they run as.
  runAsNonRoot They do not start if they would be root.
  supplementalGroups Further groups they are in.
  supplementalGroupsPolicy Whether groups of the image count, too: Merge, the default, or Strict.
  fsGroup Group that owns the files of volumes which can be given to one.
  sysctls Settings of the kernel, for this pod.
  fsGroupChangePolicy When the owner of files is changed: Always, or OnRootMismatch.
  seccompProfile Which system calls they may make.
  appArmorProfile Their AppArmor profile.
  seLinuxChangePolicy How volumes get their label: MountOption, or Recursive, file by file.
core.Capabilities Capabilities of a container.
  add Those it gets beside the usual ones.
  drop Those it loses.
core.SELinuxOptions An SELinux label.
  user Its user.
  role Its role.
  type Its type.
  level Its level.
core.WindowsSecurityContextOptions Settings of security for Windows.
  gmsaCredentialSpecName Name of a specification of group managed accounts.
  gmsaCredentialSpec The specification itself.
  runAsUserName The user the containers run as.
  hostProcess They run as processes of the node; all containers of a pod, or none.
core.Sysctl A setting of the kernel.
  name Its name.
  value Its value.
core.SeccompProfile Which system calls may be made.
  type RuntimeDefault, Unconfined or Localhost.
  localhostProfile A file on the node, for Localhost.
core.AppArmorProfile An AppArmor profile.
  type RuntimeDefault, Unconfined or Localhost.
  localhostProfile Name of a profile on the node, for Localhost.
core.ContainerStatus The observed state of a container.
  name Its name.
  state What it does now.
  lastState How it ended the last time.
  ready Whether it is ready.
  restartCount How often it was restarted.
  image The image that runs.
  imageID The image that runs, exactly.
  containerID Its ID at the runtime, such as containerd://1234.
  started Whether it has started, as its check of that says.
  allocatedResources Resources that the node keeps for it.
  resources Resources that it runs with.
  volumeMounts Its mounts.
  user The user its first process runs as.
  allocatedResourcesStatus Health of devices it was given.
  stopSignal The signal that ends it.
core.ContainerState What a container does; one of these, waiting if none is set.
  waiting It has not started yet.
  running It runs.
  terminated It has ended.
core.ContainerStateWaiting A container that has not started yet.
  reason Why, in one word, such as ImagePullBackOff.
  message Why, for people.
core.ContainerStateRunning A container that runs.
  startedAt Since when.
core.ContainerStateTerminated A container that has ended.
  exitCode Its exit code.
  signal The signal that ended it.
  reason Why, in one word, such as OOMKilled.
  message What it said last.
  startedAt When it started.
  finishedAt When it ended.
  containerID Its ID at the runtime.
core.VolumeMountStatus A mount as it is.
  name Name of the volume.
  mountPath Where in the container.
  readOnly Whether it can only be read.
  recursiveReadOnly Whether mounts below it can only be read.
core.ContainerUser The user of a process.
  linux On Linux.
core.LinuxContainerUser The user of a process on Linux.
  uid The user.
  gid The group.
  supplementalGroups Further groups.
core.ResourceStatus Health of a kind of device.
  name Name of the resource.
  resources Each device, and its health.
core.ResourceHealth Health of a device.
  resourceID Which device.
  health Healthy, Unhealthy or Unknown.
`;
