/** Volumes: of the core group and of the storage group. */
import type { TablePrinter } from '../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, boolean, column, integer, nameColumn, naming, table, wide } from './columns.ts';
import type { Column, Fill } from './columns.ts';
import { isTrue, objectsAt, printedAt, textsAt, valueAt } from './fields.ts';

/** In the order in which they are shown. */
const accessModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModesText(modes: readonly string[]): string {
  return accessModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function phaseOf(object: JsonObject): string {
  const isDeleted = valueAt(object, 'metadata', 'deletionTimestamp') !== undefined;
  return isDeleted ? 'Terminating' : printedAt(object, 'status', 'phase');
}

/** The annotation is older than the field and still wins. */
function storageClassOf(object: JsonObject, fill: Fill): string {
  const annotation = fill('volume.beta.{labelDomain}/storage-class');
  return (
    printedAt(object, 'metadata', 'annotations', annotation) ||
    printedAt(object, 'spec', 'storageClassName')
  );
}

function unsetOr(...path: string[]): (object: JsonObject) => string {
  return (object) => printedAt(object, ...path) || '<unset>';
}

const classColumns = (fill: Fill): readonly Column[] => [
  column('StorageClass', 'Class of storage.', (object) => storageClassOf(object, fill)),
  column(
    'VolumeAttributesClass',
    'Class of attributes that can be changed.',
    unsetOr('spec', 'volumeAttributesClassName'),
  ),
];
const modeColumn = wide(
  column('VolumeMode', 'File system or block device.', unsetOr('spec', 'volumeMode')),
);

export const persistentVolumes = (fill: Fill): TablePrinter =>
  table([
    nameColumn,
    column('Capacity', 'Size of the volume.', (object) =>
      printedAt(object, 'spec', 'capacity', 'storage'),
    ),
    column('Access Modes', 'How it can be mounted.', (object) =>
      accessModesText(textsAt(object, 'spec', 'accessModes')),
    ),
    column('Reclaim Policy', 'What happens to it when its claim is gone.', (object) =>
      printedAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
    ),
    column('Status', 'Whether it is bound.', phaseOf),
    column('Claim', 'The claim it is bound to.', (object) => {
      const claim = valueAt(object, 'spec', 'claimRef');
      return claim === undefined
        ? ''
        : `${printedAt(claim, 'namespace')}/${printedAt(claim, 'name')}`;
    }),
    ...classColumns(fill),
    column('Reason', 'Why it is in this state.', (object) => printedAt(object, 'status', 'reason')),
    ageColumn,
    modeColumn,
  ]);

function isBound(claim: JsonObject): boolean {
  return printedAt(claim, 'spec', 'volumeName') !== '';
}

export const persistentVolumeClaims = (fill: Fill): TablePrinter =>
  table([
    nameColumn,
    column('Status', 'Whether it is bound.', phaseOf),
    column('Volume', 'The volume it is bound to.', (object) =>
      printedAt(object, 'spec', 'volumeName'),
    ),
    column('Capacity', 'Size of that volume.', (object) =>
      isBound(object) ? printedAt(object, 'status', 'capacity', 'storage') : '',
    ),
    column('Access Modes', 'How that volume can be mounted.', (object) =>
      isBound(object) ? accessModesText(textsAt(object, 'status', 'accessModes')) : '',
    ),
    ...classColumns(fill),
    ageColumn,
    modeColumn,
  ]);

const defaultAnnotations = [
  'storageclass.{labelDomain}/is-default-class',
  'storageclass.beta.{labelDomain}/is-default-class',
];
const defaultAttributesAnnotation = 'volumeattributesclass.alpha.{labelDomain}/is-default-class';

function nameWithDefault(templates: readonly string[], fill: Fill): Column {
  const annotations = templates.map(fill);
  const isDefault = (object: JsonObject) =>
    annotations.some((name) => printedAt(object, 'metadata', 'annotations', name) === 'true');
  return {
    ...nameColumn,
    cell: (object) =>
      `${printedAt(object, 'metadata', 'name')}${isDefault(object) ? ' (default)' : ''}`,
  };
}

export const storageClasses = (fill: Fill): TablePrinter =>
  table([
    nameWithDefault(defaultAnnotations, fill),
    column('Provisioner', 'Who makes volumes of this class.', (object) =>
      printedAt(object, 'provisioner'),
    ),
    column(
      'ReclaimPolicy',
      'What happens to a volume when its claim is gone.',
      (object) => printedAt(object, 'reclaimPolicy') || 'Delete',
    ),
    column(
      'VolumeBindingMode',
      'When a volume is made and bound.',
      (object) => printedAt(object, 'volumeBindingMode') || 'Immediate',
    ),
    column('AllowVolumeExpansion', 'Whether volumes can grow.', (object) =>
      isTrue(object, 'allowVolumeExpansion'),
    ),
    ageColumn,
  ]);

export const volumeAttributesClasses = (fill: Fill): TablePrinter =>
  table([
    nameWithDefault([defaultAttributesAnnotation], fill),
    column('DriverName', 'Driver that knows the attributes.', (object) =>
      printedAt(object, 'driverName'),
    ),
    ageColumn,
  ]);

export const volumeAttachments = table([
  nameColumn,
  naming(
    column('Attacher', 'Driver that attaches.', (object) => printedAt(object, 'spec', 'attacher')),
  ),
  column('PV', 'The volume.', (object) =>
    printedAt(object, 'spec', 'source', 'persistentVolumeName'),
  ),
  column('Node', 'The node it is attached to.', (object) => printedAt(object, 'spec', 'nodeName')),
  boolean('Attached', 'Whether that has happened.', (object) =>
    isTrue(object, 'status', 'attached'),
  ),
  ageColumn,
]);

export const csiNodes = table([
  nameColumn,
  integer(
    'Drivers',
    'Drivers on the node.',
    (object) => objectsAt(object, 'spec', 'drivers').length,
  ),
  ageColumn,
]);

export const csiDrivers = table([
  nameColumn,
  boolean(
    'AttachRequired',
    'Whether volumes are attached first.',
    (object) => valueAt(object, 'spec', 'attachRequired') !== false,
  ),
  boolean('PodInfoOnMount', 'Whether the driver is told of the pod.', (object) =>
    isTrue(object, 'spec', 'podInfoOnMount'),
  ),
  boolean('StorageCapacity', 'Whether pods are placed by free capacity.', (object) =>
    isTrue(object, 'spec', 'storageCapacity'),
  ),
  column(
    'TokenRequests',
    'For whom tokens are made for the driver.',
    (object) =>
      objectsAt(object, 'spec', 'tokenRequests')
        .map((each) => printedAt(each, 'audience'))
        .join(',') || '<unset>',
  ),
  boolean('RequiresRepublish', 'Whether the driver is called again and again.', (object) =>
    isTrue(object, 'spec', 'requiresRepublish'),
  ),
  column(
    'Modes',
    'Life cycles of volumes that the driver knows.',
    (object) => textsAt(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>',
  ),
  ageColumn,
]);

export const csiStorageCapacities = table([
  nameColumn,
  column('StorageClassName', 'Class whose volumes are meant.', (object) =>
    printedAt(object, 'storageClassName'),
  ),
  column('Capacity', 'Room that is left.', (object) => printedAt(object, 'capacity')),
]);
