/** VolumeAttachments: a volume that is to be on a node. */
import { forbidden, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { inlineVolumeRules } from '../core/volumes/persistent-volume-rules.ts';
import { ageColumn, boolean, column, nameColumn, naming, table } from '../tables/columns.ts';
import { isTrue, printedAt } from '../tables/fields.ts';
import {
  allErrors,
  form,
  givenAmong,
  givenForm,
  noProblems,
  unchanged,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { driverNameRules } from '../validation/driver-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

const volumeAttachmentTable = table([
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

const volumeAttachmentRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const name = text(part(spec, 'source'), 'persistentVolumeName');
    return allErrors(
      attachedRules(part(spec, 'source'), 'spec.source'),
      givenForm('spec.nodeName', text(spec, 'nodeName'), checkDns1123Subdomain),
      object.apiVersion.endsWith('/v1')
        ? allErrors(
            driverNameRules('spec.attacher', text(spec, 'attacher')),
            form('spec.source.persistentVolumeName', name, checkDns1123Subdomain),
          )
        : noProblems,
    );
  },
  validateUpdate: (next, current) => unchanged('spec', next['spec'], current['spec']),
};

function attachedRules(source: JsonObject, path: string): Problems {
  const given = givenAmong(source, ['inlineVolumeSpec', 'persistentVolumeName']);
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (given.length === 0) return [required(path, detail)];
  if (given.length === 2) return [forbidden(path, detail)];
  if (given[0] === 'inlineVolumeSpec') {
    return inlineVolumeRules(part(source, 'inlineVolumeSpec'), `${path}.inlineVolumeSpec`);
  }
  return source['persistentVolumeName'] === ''
    ? [required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : noProblems;
}

export const volumeAttachments: KindDefinition = {
  resource: 'storage.{domain}/volumeattachments',
  conditionalUpdateOnly: true,
  returnsDeletedObject: true,
  keptByStatus: 'all',
  validation: volumeAttachmentRules,
  table: volumeAttachmentTable,
};
