/** The access modes and the phase of volumes and claims as Tables show them. */
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import type { Column, FillName } from '../../tables/columns.ts';
import { column, wide } from '../../tables/columns.ts';
import { printedAt, valueAt } from '../../tables/fields.ts';

/** In the order in which they are shown. */
const accessModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function accessModesText(modes: readonly string[]): string {
  return accessModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

export function phaseOf(object: JsonObject): string {
  const isDeleted = valueAt(object, 'metadata', 'deletionTimestamp') !== undefined;
  return isDeleted ? 'Terminating' : printedAt(object, 'status', 'phase');
}

/** The annotation is older than the field and still wins. */
function storageClassOf(object: JsonObject, fill: FillName): string {
  const annotation = fill('volume.beta.{labelDomain}/storage-class');
  return (
    printedAt(object, 'metadata', 'annotations', annotation) ||
    printedAt(object, 'spec', 'storageClassName')
  );
}

function unsetOr(...path: string[]): (object: JsonObject) => string {
  return (object) => printedAt(object, ...path) || '<unset>';
}

export const classColumns = (fill: FillName): readonly Column[] => [
  column('StorageClass', 'Class of storage.', (object) => storageClassOf(object, fill)),
  column(
    'VolumeAttributesClass',
    'Class of attributes that can be changed.',
    unsetOr('spec', 'volumeAttributesClassName'),
  ),
];

export const modeColumn = wide(
  column('VolumeMode', 'File system or block device.', unsetOr('spec', 'volumeMode')),
);
