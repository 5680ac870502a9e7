/** What metadata, selectors, options and answers hold. The form is that of descriptions.ts. */
export const metaDescriptions = `
meta.ObjectMeta What every stored object says of itself: its name, its labels, who owns it.
  name The name, unique among the objects of this resource in the namespace. It cannot change.
  generateName Beginning of a name that the server completes with random letters if name is empty.
  namespace The namespace that the object lives in; empty for objects of the cluster.
  selfLink Not filled any more.
  uid Tells this object from all others, also from a later one of the same name. Set by the server.
  resourceVersion Changes with each write. Sent back, it makes a write fail if others came between.
  generation Counts the changes of what is wanted, as far as the resource counts them.
  creationTimestamp CreationTimestamp is a timestamp: when the object was made. Set by the server.
  deletionTimestamp When the object was, or will be, deleted; it stays until its finalizers are
    gone.
  deletionGracePeriodSeconds Seconds that the object was given to end in order.
  labels Names and values to select objects by.
  annotations Names and values for tools and people; nothing is selected by them.
  ownerReferences Objects that this one depends on. When all of them are gone, it is collected.
  finalizers Names of those who have something to do before the object may vanish.
  managedFields Which field was set by whom; server-side apply decides by it. Tools write it, not
    people.
meta.ListMeta What a list says of itself.
  selfLink Not filled any more.
  resourceVersion The state that the list shows; a watch can begin there.
  continue Where the next page begins; empty on the last one.
  remainingItemCount How many items follow this page, if that is known.
meta.OwnerReference An object that another one depends on; it is in the same namespace, or in none.
  apiVersion Group and version of the owner.
  kind Kind of the owner.
  name Name of the owner.
  uid UID of the owner: one of the same name that came later does not count.
  controller Whether this owner is the one that manages the object; one at most is.
  blockOwnerDeletion The owner is not removed in the foreground before this object is.
meta.ManagedFieldsEntry The fields that one manager has set in one way.
  manager Who it is.
  operation Whether the fields were applied or written otherwise: Apply or Update.
  apiVersion The version in whose terms the fields are named.
  time When the set of fields last changed.
  fieldsType The form of fieldsV1; there is only one, FieldsV1.
  fieldsV1 The fields, as nested names.
  subresource The subresource through which the fields were set; empty for the object itself.
meta.LabelSelector Selects objects by their labels: all of it must hold. An empty one selects all.
  matchLabels Labels that an object must have, with these values.
  matchExpressions Conditions on labels that must hold, all of them.
meta.LabelSelectorRequirement A condition on one label.
  key The label.
  operator How the label relates to the values: In, NotIn, Exists or DoesNotExist.
  values The values of In and NotIn; empty for the others.
meta.Condition One aspect of the state of an object.
meta.DeleteOptions How to delete.
  apiVersion Version of these options.
  kind DeleteOptions.
  gracePeriodSeconds Seconds to end in order; 0 means at once. Empty: what the kind or object says.
  preconditions What must be true of the object, or it is not deleted.
  orphanDependents The older form of propagationPolicy: true stands for Orphan. Not both may be set.
  propagationPolicy What becomes of dependents: Orphan, Background (they follow) or Foreground
    (first).
  dryRun All: decide and answer, but store nothing.
  ignoreStoreReadErrorWithClusterBreakingPotential Delete what cannot be read from the store, too.
    Finalizers are not asked then.
meta.Preconditions What must be true of an object.
  uid Its UID.
  resourceVersion Its version.
meta.Status The outcome of a request that returns no object.
  status Success or Failure.
  message What happened, for people.
  reason What happened, in one word, for programs.
  details More of it, as the reason has it.
  code The HTTP status code.
meta.StatusDetails What a failure is about.
  name Name of the object.
  group Group of the resource.
  kind The resource, or the kind.
  uid UID of the object.
  causes Single problems, such as one for each wrong field.
  retryAfterSeconds After how many seconds it makes sense to try again.
meta.StatusCause One problem of several.
  reason What is wrong, in one word.
  message What is wrong, for people.
  field The path of the field.
meta.APIResourceList The resources of one version.
  groupVersion Group and version.
  resources The resources and their subresources.
meta.APIResource A resource: how it is called and what may be done with it.
  name Its name in paths, in the plural.
  singularName Its name in the singular.
  namespaced Whether its objects live in namespaces.
  group Group of its kind, where that is not the group of the list.
  version Version of its kind, where that is not the version of the list.
  kind Kind of its objects.
  verbs What may be asked of it.
  shortNames Shorter names, for command lines.
  categories Sets of resources that it is part of, such as all.
  storageVersionHash Changes when objects are stored in another version.
meta.APIGroup A group and its versions.
  name Name of the group.
  versions The versions, the preferred one first.
  preferredVersion The version to take if nothing speaks for another.
  serverAddressByClientCIDRs Where clients reach the server, by their network.
meta.APIGroupList All groups but the core one.
  groups The groups.
meta.APIVersions The versions of the core group.
  versions The versions.
  serverAddressByClientCIDRs Where clients reach the server, by their network.
meta.GroupVersionForDiscovery A version of a group.
  groupVersion Group and version, as objects name them.
  version The version alone.
meta.ServerAddressByClientCIDR An address for clients of one network.
  clientCIDR The network.
  serverAddress Host and port.
*Condition One aspect of the state of an object, and when and why it became so.
  type Which aspect it is.
  status Whether it holds: True, False or Unknown.
  observedGeneration The generation of the object that was looked at.
  lastTransitionTime When status last changed.
  lastUpdateTime When the condition was last written.
  lastProbeTime When it was last looked at.
  lastHeartbeatTime When it was last reported.
  reason Why, in one word, for programs.
  message Why, for people.
`;
