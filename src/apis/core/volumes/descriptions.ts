/** What the fields of volumes and claims are for, as `kubectl explain` shows it. */

export const volumeDescriptions = `
core.Volume A volume that containers of the pod can mount. One source is set.
  name Its name, unique in the pod.
core.VolumeSource What a volume is; one of these.
core.VolumeSource+core.Volume
  emptyDir An empty directory that lives as long as the pod.
  secret The keys of a Secret, as files.
  configMap The keys of a ConfigMap, as files.
  persistentVolumeClaim The volume that a claim in the namespace has got.
  downwardAPI Fields of the pod, as files.
  projected Several sources in one directory.
  csi A volume of a CSI driver that lives as long as the pod.
  ephemeral A claim that is made for the pod, and goes with it.
  image The content of an image, to be read.
  gitRepo A clone of a repository; out of use. An init container can make one.
core.VolumeSource+core.Volume+core.PersistentVolumeSource
  hostPath A file or directory of the node. Most pods should not have any.
  nfs A directory that an NFS server exports.
  iscsi A disk by iSCSI.
  fc A disk by Fibre Channel.
  gcePersistentDisk A disk of Google's cloud; out of use but through its CSI driver.
  awsElasticBlockStore A disk of Amazon's cloud; out of use but through its CSI driver.
  azureDisk A disk of Microsoft's cloud; out of use but through its CSI driver.
  azureFile A share of Microsoft's cloud; out of use but through its CSI driver.
  vsphereVolume A volume of vSphere; out of use but through its CSI driver.
  cinder A volume of OpenStack; out of use but through its CSI driver.
  portworxVolume A volume of Portworx; out of use but through its CSI driver.
  glusterfs A volume of Gluster; out of use.
  rbd A block device of Ceph; out of use.
  cephfs A file system of Ceph; out of use.
  flexVolume A volume of a driver that is a program on the node; out of use.
  flocker A volume of Flocker; out of use.
  quobyte A volume of Quobyte; out of use.
  photonPersistentDisk A disk of Photon; out of use.
  scaleIO A volume of ScaleIO; out of use.
  storageos A volume of StorageOS; out of use.
core.HostPathVolumeSource A file or directory of the node.
  path Where on the node.
  type What is looked for before it is mounted, such as Directory or FileOrCreate; empty for
    nothing.
core.EmptyDirVolumeSource An empty directory.
  medium Empty for the disk of the node, or Memory.
  sizeLimit How much it may hold.
core.SecretVolumeSource A Secret as files.
  secretName The Secret.
  items Keys that become files, and their paths; all of them by default.
  defaultMode Permission bits of the files; 0644 by default.
  optional It need not be there.
core.ConfigMapVolumeSource A ConfigMap as files.
  name The ConfigMap.
  items Keys that become files, and their paths; all of them by default.
  defaultMode Permission bits of the files; 0644 by default.
  optional It need not be there.
core.KeyToPath A key that becomes a file.
  key The key.
  path The path of the file, within the volume.
  mode Permission bits of the file.
core.DownwardAPIVolumeSource Fields of the pod as files.
  items The files.
  defaultMode Permission bits of the files; 0644 by default.
core.DownwardAPIVolumeFile A file with a field of the pod.
  path The path of the file, within the volume.
  fieldRef A field of the pod.
  resourceFieldRef A resource of a container.
  mode Permission bits of the file.
core.PersistentVolumeClaimVolumeSource The volume of a claim.
  claimName The claim.
  readOnly It can only be read.
core.ProjectedVolumeSource Several sources in one directory.
  sources The sources.
  defaultMode Permission bits of the files; 0644 by default.
core.VolumeProjection One of several sources.
  secret Keys of a Secret.
  downwardAPI Fields of the pod.
  configMap Keys of a ConfigMap.
  serviceAccountToken A token of the pod's account.
  clusterTrustBundle Certificates of trust bundles.
core.SecretProjection Keys of a Secret.
  name The Secret.
  items Keys that become files, and their paths; all of them by default.
  optional It need not be there.
core.ConfigMapProjection Keys of a ConfigMap.
  name The ConfigMap.
  items Keys that become files, and their paths; all of them by default.
  optional It need not be there.
core.DownwardAPIProjection Fields of the pod.
  items The files.
core.ServiceAccountTokenProjection A token that is replaced before it ends.
  audience Whom it is for; the server by default.
  expirationSeconds How long it lasts; an hour by default, ten minutes at least.
  path The path of the file, within the volume.
core.ClusterTrustBundleProjection Certificates of one bundle, or of all that are selected.
  name The bundle.
  signerName The signer whose bundles are taken.
  labelSelector Labels of the bundles.
  optional They need not be there.
  path The path of the file, within the volume.
core.CSIVolumeSource A volume of a CSI driver.
  driver The driver.
  readOnly It can only be read.
  fsType The file system; the driver chooses by default.
  volumeAttributes Settings for the driver.
  nodePublishSecretRef A Secret for the driver.
core.EphemeralVolumeSource A claim that is made for the pod.
  volumeClaimTemplate What it is made from; it is called after the pod and the volume.
core.PersistentVolumeClaimTemplate What a claim is made from.
  metadata Labels and annotations of the claim.
  spec The desired state of the claim.
core.ImageVolumeSource The content of an image.
  reference The image.
  pullPolicy When it is fetched: Always, IfNotPresent or Never.
core.NFSVolumeSource A directory that an NFS server exports.
  server The server.
  path The directory.
  readOnly It can only be read.
core.ISCSIVolumeSource+core.ISCSIPersistentVolumeSource
  targetPortal Address of the target.
  iqn Name of the target.
  lun Number of the unit.
  iscsiInterface The interface; default by default.
  portals Further addresses of the target.
  chapAuthDiscovery CHAP is used to find the target.
  chapAuthSession CHAP is used for the session.
  secretRef The Secret for CHAP.
  initiatorName Name of the initiator.
*VolumeSource Where a volume comes from.
  fsType The file system of the volume, such as ext4.
  readOnly It can only be read.
  secretRef A Secret for who provides it.
  partition Number of the partition; 0 for the whole disk.
core.PersistentVolume Storage of the cluster, which a claim can get.
core.PersistentVolumeSpec The desired state of a PersistentVolume. One source is set.
  capacity How much it holds.
  accessModes Ways in which it can be mounted.
  claimRef The claim that has it.
  persistentVolumeReclaimPolicy What becomes of it when the claim is gone: Retain, Delete or
    Recycle.
  storageClassName The StorageClass it belongs to; empty for none.
  mountOptions Options of mounting. They are not checked.
  volumeMode Filesystem, the default, or Block.
  nodeAffinity Nodes from which it can be reached.
  volumeAttributesClassName The class of its attributes that can change.
  csi A volume of a CSI driver.
  local A disk of one node.
core.PersistentVolumeStatus The observed state of a PersistentVolume.
  phase Pending, Available, Bound, Released or Failed.
  message Why, for people.
  reason Why, in one word.
  lastPhaseTransitionTime When phase last changed.
core.VolumeNodeAffinity Nodes from which a volume can be reached.
  required What such a node has.
core.CSIPersistentVolumeSource A volume of a CSI driver.
  driver The driver.
  volumeHandle The volume, as the driver calls it.
  readOnly It can only be read.
  fsType The file system; the driver chooses by default.
  volumeAttributes Settings for the driver.
  controllerPublishSecretRef A Secret to attach it with.
  nodeStageSecretRef A Secret to stage it with, on the node.
  nodePublishSecretRef A Secret to mount it with, on the node.
  controllerExpandSecretRef A Secret to expand it with.
  nodeExpandSecretRef A Secret to expand it with, on the node.
core.LocalVolumeSource A disk of one node.
  path Where on the node.
  fsType The file system; for raw devices only.
core.PersistentVolumeClaim Asks for storage; what it gets is a PersistentVolume of its own.
core.PersistentVolumeClaimSpec The desired state of a claim.
  accessModes Ways to mount it: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
  selector Labels that the volume must have.
  resources How much it must hold. It can grow if the class allows it.
  volumeName The volume. Set when one is found.
  storageClassName The StorageClass; the default one by default, none if it is empty.
  volumeMode Filesystem, the default, or Block.
  dataSource A snapshot or a claim whose content it begins with.
  dataSourceRef The same, of any kind that somebody fills volumes from, also of other namespaces.
  volumeAttributesClassName The class of its attributes that can change.
core.VolumeResourceRequirements How much a volume holds.
  limits The most.
  requests The least.
core.PersistentVolumeClaimStatus The observed state of a claim.
  phase Pending, Bound or Lost.
  accessModes Ways in which its volume can be mounted.
  capacity How much its volume holds.
  conditions Whether it is being resized, and so on.
  allocatedResources How much is being made ready.
  allocatedResourceStatuses How far that has come.
  currentVolumeAttributesClassName The class that its volume has.
  modifyVolumeStatus How far a change of the class has come.
core.ModifyVolumeStatus A change of the class of attributes.
  targetVolumeAttributesClassName The class that is wanted.
  status Pending, InProgress or Infeasible.
core.TypedLocalObjectReference An object in the same namespace.
  apiGroup Its group; empty for the core one.
  kind Its kind.
  name Its name.
core.TypedObjectReference An object.
  apiGroup Its group; empty for the core one.
  kind Its kind.
  name Its name.
  namespace Its namespace; the own by default.
core.TopologySelectorTerm A place that all of these labels describe.
  matchLabelExpressions The labels.
core.TopologySelectorLabelRequirement A label and values it may have.
  key The label.
  values The values.
`;
