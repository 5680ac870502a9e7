/** What the types of the group are for, as `kubectl explain` shows it. */

export const storageDescriptions = `
storage.StorageClass A kind of storage: who provides it, and with which settings.
  provisioner Who provides it.
  parameters Settings for who provides it.
  reclaimPolicy What becomes of volumes when their claim is gone: Delete, the default, or Retain.
  mountOptions Options of mounting that its volumes get. They are not checked.
  allowVolumeExpansion Whether claims can grow.
  volumeBindingMode When a claim gets its volume: Immediate, or WaitForFirstConsumer.
  allowedTopologies Where volumes may be; everywhere if it is empty.
storage.CSIDriver A CSI driver that is installed in the cluster.
storage.CSINode The CSI drivers of one node.
storage.VolumeAttachment A volume that is to be attached to a node.
storage.CSIStorageCapacity How much room a class of storage has in one part of the cluster.
storage.VolumeAttributesClass Attributes of volumes that can change while they are in use.
`;
