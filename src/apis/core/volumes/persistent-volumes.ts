/** PersistentVolumes: storage that claims are bound to. */
import type { Identity } from '../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import type { TablePrinter } from '../../../apimachinery/projection/printer.ts';
import type { TypeDefaults, DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import { formatRfc3339 } from '../../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { nodeLabels } from '../nodes/node-labels.ts';
import { sourceWarnings } from '../pods/volume-warnings.ts';
import { accessModesText, classColumns, modeColumn, phaseOf } from './access-modes.ts';
import type { FillName } from '../../tables/columns.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { printedAt, textsAt, valueAt } from '../../tables/fields.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, onWrite, warningsOfEach } from '../../warnings/kind-warnings.ts';
import { classAnnotation, classMessage, replaced } from '../../warnings/replaced-annotations.ts';
import { inSpec } from '../../defaults/parts.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { persistentVolumeRules } from './persistent-volume-rules.ts';
import { roundingOf } from '../../defaults/amounts.ts';

const persistentVolumeTable = (fill: FillName): TablePrinter =>
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

const volume: TypeDefaults = {
  persistentVolumeReclaimPolicy: 'Retain',
  volumeMode: 'Filesystem',
};

function filled(defaults: TypeDefaults, spec: JsonObject): JsonObject {
  const absent = Object.entries(defaults).filter(([name]) => spec[name] === undefined);
  return absent.length === 0 ? spec : { ...spec, ...(Object.fromEntries(absent) as JsonObject) };
}

const persistentVolumeDefaults: DefaultTable = {
  fields: { 'core/v1.PersistentVolumeStatus': { phase: 'Pending' } },
  complete: {
    // A volume inside a volume attachment has no defaults.
    'core/v1.PersistentVolume': (object) => inSpec(object, (spec) => filled(volume, spec)),
    'core/v1.PersistentVolumeSpec': roundingOf('capacity'),
  },
};

function persistentVolumeWarnings(identity: Identity): KindWarnings {
  const { fill } = identity;
  const labels = nodeLabels(identity);
  const terms = 'spec.nodeAffinity.required.nodeSelectorTerms';
  return onWrite((volume) => {
    const spec = part(volume, 'spec');
    const required = part(part(spec, 'nodeAffinity'), 'required');
    return allWarnings(
      replaced(volume, fill(classAnnotation), classMessage),
      replaced(
        volume,
        fill('volume.beta.{labelDomain}/mount-options'),
        'deprecated since v1.31; use "mountOptions" attribute instead',
      ),
      text(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
        ? [
            'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
              'Instead, the recommended approach is to use dynamic provisioning.',
          ]
        : noWarnings,
      warningsOfEach(objects(required, 'nodeSelectorTerms'), (term, at) =>
        labels.ofTerm(term, `${terms}[${at}]`),
      ),
      sourceWarnings(spec, 'spec'),
    );
  });
}

function pendingSinceCreation(volume: ApiObject): ApiObject {
  const { creationTimestamp } = volume.metadata;
  const since =
    typeof creationTimestamp !== 'string' ? {} : { lastPhaseTransitionTime: creationTimestamp };
  return { ...volume, status: { phase: 'Pending', ...since } };
}

/** When the phase changed last: the server says so, unless the writer has said it. */
function withPhaseTime(next: ApiObject, current: ApiObject, nowMs: number): ApiObject {
  const [status, before] = [part(next, 'status'), part(current, 'status')];
  const [given, was] = [status['lastPhaseTransitionTime'], before['lastPhaseTransitionTime']];
  const isSame = status['phase'] === before['phase'];
  if (isSame ? given !== undefined : given !== undefined && given !== was) return next;
  const time = isSame ? was : formatRfc3339(nowMs);
  if (time === given) return next;
  return { ...next, status: { ...status, lastPhaseTransitionTime: time } };
}

export const persistentVolumes: KindDefinition = {
  resource: '/persistentvolumes',
  returnsDeletedObject: true,
  defaults: persistentVolumeDefaults,
  validation: persistentVolumeRules,
  schemaExemptions: {
    // The first one is reported under another name.
    optional: `core.GCEPersistentDiskVolumeSource.pdName
      core.ScaleIOPersistentVolumeSource.secretRef`,
    // Reported of the list.
    openValues: 'core.PersistentVolumeSpec.accessModes',
  },
  warnings: persistentVolumeWarnings,
  strategy: () => ({
    prepareForCreate: pendingSinceCreation,
    prepareForStatusUpdate: withPhaseTime,
  }),
  table: ({ fill }) => persistentVolumeTable(fill),
};
