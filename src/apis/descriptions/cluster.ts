/** What configuration, accounts, roles, nodes and quotas hold. See descriptions.ts. */
export const clusterDescriptions = `
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
core.NamespaceSpec What is wanted of a Namespace.
  finalizers Who has to empty it before it can go.
core.NamespaceStatus What has become of a Namespace.
  phase Active or Terminating.
  conditions What keeps it from going.
core.Node A machine that runs pods.
core.NodeSpec What is wanted of a Node.
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
core.ResourceQuotaSpec What is wanted of a quota.
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
core.LimitRangeSpec What is wanted of a LimitRange.
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
events.Event Something that happened to an object. Events go after a while.
  eventTime When it was first seen, to the microsecond.
  series That it goes on, if it does.
  reportingController Which controller reports it.
  reportingInstance Which copy of the controller.
  action What was done, or failed.
  reason Why, in one word, for programs.
  regarding What it happened to.
  related Another object it has to do with.
  note What happened, for people.
  type Normal or Warning.
  deprecatedSource Who reports it, as older clients say it.
  deprecatedFirstTimestamp When it was first seen, as older clients say it.
  deprecatedLastTimestamp When it was last seen, as older clients say it.
  deprecatedCount How often it was seen, as older clients say it.
events.EventSeries An event that goes on.
  count How often it was seen.
  lastObservedTime When it was last seen.
rbac.Role What may be done in one namespace. A binding says who may.
  rules What may be done; nothing is ever forbidden by a rule.
rbac.ClusterRole What may be done everywhere, or with objects of the cluster. A binding says who
    may.
  rules What may be done; nothing is ever forbidden by a rule.
  aggregationRule The rules are those of other roles; the server writes them.
rbac.AggregationRule Roles whose rules are taken together.
  clusterRoleSelectors Labels of the roles; one that matches is enough.
rbac.PolicyRule Something that may be done.
  verbs Verbs, or * for all.
  apiGroups Groups, "" for the core one, * for all.
  resources Resources, with subresources as pods/log; * for all.
  resourceNames Names of objects; all if it is empty.
  nonResourceURLs Paths that are no resources, such as /healthz; * stands at the end only. For
    ClusterRoles.
rbac.RoleBinding Gives a role to somebody, in one namespace.
  subjects Who gets it.
  roleRef The Role or ClusterRole. It cannot change.
rbac.ClusterRoleBinding Gives a role to somebody, everywhere.
  subjects Who gets it.
  roleRef The ClusterRole. It cannot change.
rbac.Subject A user, a group or an account.
  kind User, Group or ServiceAccount.
  apiGroup Empty for accounts, the group of roles for the others.
  name The name.
  namespace The namespace of an account.
rbac.RoleRef A role.
  apiGroup The group of roles.
  kind Role or ClusterRole.
  name Its name.
coordination.Lease Who holds something, and until when; for electing leaders.
coordination.LeaseSpec What a Lease says.
  holderIdentity Who holds it; empty for nobody.
  leaseDurationSeconds How long it lasts after it was renewed.
  acquireTime Since when it is held.
  renewTime When it was last renewed.
  leaseTransitions How often the holder changed.
  strategy How a leader is chosen, where that is coordinated.
  preferredHolder Who should get it.
scheduling.PriorityClass How important pods are, under a name.
  value The number; higher is more important.
  globalDefault It is that of pods which name none. One class may be.
  description What it is for.
  preemptionPolicy Whether less important pods may go for these: PreemptLowerPriority or Never.
node.RuntimeClass A way to run containers.
  handler Its name at the runtime of the node. It cannot change.
  overhead Resources that it takes beside the containers.
  scheduling Nodes that have it.
authentication.TokenReview Asks who a token belongs to.
authentication.TokenReviewSpec The question.
  token The token.
  audiences Whom it must be for; the server if it is not said.
authentication.TokenReviewStatus The answer.
  authenticated Whether it belongs to anybody.
  user Whom it belongs to.
  audiences For whom it is, of those that were asked for.
  error Why it could not be told.
authentication.SelfSubjectReview Asks who is asking.
authorization.SubjectAccessReview Asks whether somebody may do something.
authorization.SelfSubjectAccessReview Asks whether the one who asks may do something.
authorization.LocalSubjectAccessReview Asks whether somebody may do something in one namespace.
authorization.SelfSubjectRulesReview Asks what the one who asks may do in a namespace.
authorization.SubjectAccessReviewStatus The answer.
  allowed It may be done.
  denied It was refused outright; nobody else was asked.
  reason Why, for people.
  evaluationError What went wrong meanwhile; the answer stands all the same.
authorization.ResourceAttributes What is to be done with which object.
  namespace The namespace; empty for none, or for all.
  verb The verb.
  group The group; * for all.
  version The version; * for all.
  resource The resource; * for all.
  subresource The subresource.
  name The object; empty for all.
certificates.CertificateSigningRequest Asks for a certificate; somebody approves, a signer signs.
certificates.CertificateSigningRequestSpec What is asked for. It cannot change.
  request The request, as PEM in base64.
  signerName Who should sign.
  expirationSeconds How long the certificate should last; the signer may give less.
  usages What the certificate is for.
  username Who asks. Set by the server.
  uid UID of who asks. Set by the server.
  groups Groups of who asks. Set by the server.
  extra More about who asks. Set by the server.
certificates.CertificateSigningRequestStatus What has become of a request.
  conditions Whether it is approved, denied or has failed.
  certificate The certificate, as PEM in base64.
core.ComponentStatus What the server knows of a part of it; worked out when it is asked for.
  conditions Whether it is healthy.
core.ComponentCondition Whether a part of the server is healthy.
  type Healthy.
  status True, False or Unknown.
  message What it says.
  error Why it is not.
apiregistration.APIService Which server answers for a group and a version. Its name is
    "<version>.<group>".
apiregistration.APIServiceSpec Who answers, and where the group and version stand among others.
  service The server that answers. Without one it is this server.
  group Its group; none for the core group.
  version Its version.
  insecureSkipTLSVerify The certificate of the other server is not looked at.
  caBundle Who signs certificates of the other server, as PEM in base64.
  groupPriorityMinimum Groups with a higher one come first. From 1 to 20000.
  versionPriority Versions of the group with a higher one come first. From 1 to 1000.
apiregistration.APIServiceStatus Whether anybody answers.
  conditions Available, and what others say.
apiregistration.ServiceReference A Service before the server that answers.
  namespace Its namespace.
  name Its name.
  port Its port; 443 if none is given.
apiextensions.CustomResourceDefinition A kind of objects that users define.
admissionregistration.ValidatingWebhookConfiguration Services that are asked before a write is
    accepted.
admissionregistration.MutatingWebhookConfiguration Services that may change what is written.
admissionregistration.ValidatingAdmissionPolicy Expressions that must hold before a write is
    accepted.
admissionregistration.ValidatingAdmissionPolicyBinding Where a policy of admission is in force.
flowcontrol.FlowSchema Which requests have which level of priority.
flowcontrol.PriorityLevelConfiguration How many requests of a level may be in work at once.
resource.ResourceClaim Asks for devices, for pods to use.
resource.ResourceClaimTemplate What claims of pods are made from.
resource.ResourceSlice Devices that a driver offers.
resource.DeviceClass A kind of devices, and how they are set up.
`;
