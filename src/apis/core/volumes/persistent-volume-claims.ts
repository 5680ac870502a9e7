/** PersistentVolumeClaims: what a pod asks of its storage. */
import type { Identity } from '../../../apimachinery/identity.ts';
import { part } from '../../../apimachinery/members.ts';
import type { TablePrinter } from '../../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { accessModesText, classColumns, modeColumn, phaseOf } from './access-modes.ts';
import type { FillName } from '../../tables/columns.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { printedAt, textsAt } from '../../tables/fields.ts';
import { claimSpecWarnings } from '../../warnings/amounts.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, onWrite } from '../../warnings/kind-warnings.ts';
import { classAnnotation, classMessage, replaced } from '../../warnings/replaced-annotations.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { persistentVolumeClaimRules } from './claim-rules.ts';
import { claimStrategy } from './claim-sources.ts';
import { roundingOf } from '../../defaults/amounts.ts';

function isBound(claim: JsonObject): boolean {
  return printedAt(claim, 'spec', 'volumeName') !== '';
}

const persistentVolumeClaimTable = (fill: FillName): TablePrinter =>
  table([
    nameColumn,
    column('Status', 'Whether it is bound.', phaseOf),
    column('Volume', 'The volume it is bound to.', (object) =>
      printedAt(object, 'spec', 'volumeName'),
    ),
    column('Capacity', 'Size of that volume.', (object) =>
      isBound(object) ? printedAt(object, 'status', 'capacity', 'storage') || '0' : '',
    ),
    column('Access Modes', 'How that volume can be mounted.', (object) =>
      isBound(object) ? accessModesText(textsAt(object, 'status', 'accessModes')) : '',
    ),
    ...classColumns(fill),
    ageColumn,
    modeColumn,
  ]);

const persistentVolumeClaimDefaults: DefaultTable = {
  fields: {
    'core/v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
    'core/v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
  },
  complete: {
    'core/v1.PersistentVolumeClaimStatus': roundingOf('capacity', 'allocatedResources'),
    'core/v1.VolumeResourceRequirements': roundingOf('limits', 'requests'),
  },
};

function claimWarnings({ fill }: Identity): KindWarnings {
  return onWrite((claim) =>
    allWarnings(
      replaced(claim, fill(classAnnotation), classMessage),
      claimSpecWarnings(part(claim, 'spec'), 'spec'),
    ),
  );
}

export const persistentVolumeClaims: KindDefinition = {
  resource: '/persistentvolumeclaims',
  returnsDeletedObject: true,
  defaults: persistentVolumeClaimDefaults,
  validation: persistentVolumeClaimRules,
  // Reported of the list.
  schemaExemptions: { openValues: 'core.PersistentVolumeClaimSpec.accessModes' },
  warnings: claimWarnings,
  strategy: claimStrategy,
  table: ({ fill }) => persistentVolumeClaimTable(fill),
};
