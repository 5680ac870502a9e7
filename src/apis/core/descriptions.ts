/** What the core types beside pods, volumes and services are for, as `kubectl explain` shows it. */

export const coreDescriptions = `
core.ConfigMap Settings that pods read as variables or files.
  immutable Its data cannot change any more; nor can this be taken back.
  data Texts by key. Keys have letters, digits, dashes, dots and underscores.
  binaryData Bytes by key, in base64. No key is in data as well.
core.Secret Something that few should know, for pods to read as variables or files. 1 MiB at most.
  immutable Its data cannot change any more; nor can this be taken back.
  data Bytes by key, in base64.
  stringData Texts by key; when written they go into data, and are never shown.
  type What it is for; it says which keys there must be. It cannot change.
core.ServiceAccount Whom a pod is, when it asks the server.
  secrets Secrets that pods of this account may use, and tokens of older releases.
  imagePullSecrets Secrets to fetch images with, that its pods get.
  automountServiceAccountToken Whether its pods get a token, if they do not say themselves.
core.Namespace A space of names for objects.
core.NamespaceSpec The desired state of a Namespace.
  finalizers Who has to empty it before it can go.
core.NamespaceStatus The observed state of a Namespace.
  phase Active or Terminating.
  conditions What keeps it from going.
core.Node A machine that runs pods.
core.NodeSpec The desired state of a Node.
  podCIDR The network of its pods.
  podCIDRs The networks of its pods, one of each family at most.
  providerID The machine, as the cloud calls it.
  unschedulable No new pods come to it while this is true.
  taints What keeps pods away that do not tolerate it.
  configSource Out of use.
  externalID Out of use.
core.Taint Keeps pods away from a node.
  key Its key.
  value Its value.
  effect NoSchedule, PreferNoSchedule or NoExecute (pods that are there go as well).
  timeAdded When it was put there; for NoExecute.
core.NodeStatus What a node says of itself.
  capacity What it has.
  allocatable How much of it pods may use.
  phase Out of use.
  conditions Whether it is ready, or short of something.
  addresses Its addresses.
  daemonEndpoints Ports of its programs.
  nodeInfo Its machine and its software.
  images Images that are there.
  volumesInUse Volumes that are attached and mounted.
  volumesAttached Volumes that are attached.
  config Out of use.
  runtimeHandlers What can run containers.
  features What it can do.
core.NodeAddress An address of a node.
  type InternalIP, ExternalIP, Hostname, InternalDNS or ExternalDNS.
  address The address.
core.NodeSystemInfo The machine and software of a node.
  machineID ID of the machine.
  systemUUID UUID of the machine.
  bootID ID of the boot.
  kernelVersion Version of the kernel.
  osImage The system, as it calls itself.
  containerRuntimeVersion What runs containers, and its version.
  kubeletVersion Version of the agent.
  kubeProxyVersion Out of use.
  operatingSystem The operating system, such as linux.
  architecture The architecture, such as amd64.
  swap About swap space.
core.NodeSwapStatus Swap space of a node.
  capacity How much, in bytes.
core.ContainerImage An image on a node.
  names Its names.
  sizeBytes Its size.
core.AttachedVolume A volume attached to a node.
  name Its name.
  devicePath Its device.
core.NodeDaemonEndpoints Ports of programs on a node.
  kubeletEndpoint Of the agent.
core.DaemonEndpoint A port of a program.
  Port The number.
core.NodeRuntimeHandler Something that can run containers.
  name Its name; empty for the default one.
  features What it can do.
core.NodeRuntimeHandlerFeatures What runs containers can do.
  recursiveReadOnlyMounts Mounts below a mount that can only be read.
  userNamespaces User namespaces.
core.NodeFeatures What a node can do.
  supplementalGroupsPolicy It heeds supplementalGroupsPolicy of pods.
core.ResourceQuota How much a namespace may use.
core.ResourceQuotaSpec The desired state of a quota.
  hard The bounds, by resource, such as requests.cpu or count/jobs.batch.
  scopes Only objects in all of these scopes are counted.
  scopeSelector The same, with values of scopes.
core.ResourceQuotaStatus What the quota has come to.
  hard The bounds that are in force.
  used How much is used.
core.ScopeSelector Scopes, all of which must hold.
  matchExpressions Conditions on scopes.
core.ScopedResourceSelectorRequirement A condition on a scope.
  scopeName The scope, such as PriorityClass.
  operator In, NotIn, Exists or DoesNotExist.
  values The values of In and NotIn.
core.LimitRange Bounds and defaults of resources in a namespace.
core.LimitRangeSpec The desired state of a LimitRange.
  limits The bounds.
core.LimitRangeItem Bounds of one kind of thing.
  type Of what: Pod, Container or PersistentVolumeClaim.
  max The most of each resource.
  min The least of each resource.
  default Limits of who says none.
  defaultRequest Requests of who says none.
  maxLimitRequestRatio By how much a limit may be larger than the request.
core.ObjectReference An object, and perhaps a part of it.
  kind Its kind.
  namespace Its namespace.
  name Its name.
  uid Its UID.
  apiVersion Group and version of its kind.
  resourceVersion Its version.
  fieldPath The part, such as spec.containers{name}.
core.LocalObjectReference An object in the same namespace.
  name Its name.
core.SecretReference A Secret.
  name Its name.
  namespace Its namespace.
core.Event Something that happened to an object. Events go after a while.
  involvedObject What it happened to.
  reason Why, in one word, for programs.
  message What happened, for people.
  source Who reports it, as older clients say it.
  firstTimestamp When it was first seen.
  lastTimestamp When it was last seen.
  count How often it was seen.
  type Normal or Warning.
  eventTime When it was first seen, to the microsecond.
  series That it goes on, if it does.
  action What was done, or failed.
  related Another object it has to do with.
  reportingComponent Which controller reports it.
  reportingInstance Which copy of the controller.
core.EventSource Who reports an event.
  component Which program.
  host On which node.
core.EventSeries An event that goes on.
  count How often it was seen.
  lastObservedTime When it was last seen.
core.ComponentStatus What the server knows of a part of it; worked out when it is asked for.
  conditions Whether it is healthy.
core.ComponentCondition Whether a part of the server is healthy.
  type Healthy.
  status True, False or Unknown.
  message What it says.
  error Why it is not.
core.ReplicationController Keeps a number of like pods running. A ReplicaSet does more; take that
    one.
core.ReplicationControllerSpec The desired state of a ReplicationController.
  replicas How many pods to run; 1 by default.
  minReadySeconds How long a new pod must be ready, without a crash, to count as available.
  selector Labels of the pods that it manages; those of the template by default.
  template What missing pods are made from.
core.ReplicationControllerStatus The observed state of a ReplicationController.
  replicas How many pods it manages.
  fullyLabeledReplicas How many of them have all labels of the template.
  readyReplicas How many of them are ready.
  availableReplicas How many of them have been ready for minReadySeconds.
  observedGeneration The generation that this status describes.
  conditions What keeps it from making or deleting pods.
core.PodTemplate A template of pods by itself.
  template What pods are made from.
core.PodTemplateSpec What pods are made from.
  metadata Labels and annotations that the pods get.
  spec The desired state of the pods.
`;
