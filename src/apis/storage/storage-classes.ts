/** StorageClasses: the kinds of storage that claims request. */
import { duplicate, forbidden, notSupported } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, text, texts } from '../../apimachinery/members.ts';
import type { TablePrinter } from '../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { nodeLabels } from '../core/nodes/node-labels.ts';
import { nameWithDefault } from './default-class.ts';
import type { FillName } from '../tables/columns.ts';
import { ageColumn, column, table } from '../tables/columns.ts';
import { isTrue, printedAt } from '../tables/fields.ts';
import {
  allErrors,
  each,
  givenForm,
  noProblems,
  repetitions,
  unchanged,
  uniqueTexts,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { parameterRules, provisionerRules } from '../validation/driver-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import { noWarnings, onWrite, warningsOfEach } from '../warnings/kind-warnings.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

const defaultAnnotations = [
  'storageclass.{labelDomain}/is-default-class',
  'storageclass.beta.{labelDomain}/is-default-class',
];

const storageClassTable = (fill: FillName): TablePrinter =>
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

const storageClass: TypeDefaults = { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' };

const storageClassDefaults: DefaultTable = {
  fields: { 'storage/v1.StorageClass': storageClass, 'storage/v1beta1.StorageClass': storageClass },
};

const storageClassRules: KindRules = {
  validate: (object) => {
    const policy = text(object, 'reclaimPolicy');
    return allErrors(
      provisionerRules('provisioner', text(object, 'provisioner')),
      parameterRules(object, true),
      policy === 'Recycle'
        ? [notSupported('reclaimPolicy', policy, ['Delete', 'Retain'])]
        : noProblems,
      topologyRules(objects(object, 'allowedTopologies'), 'allowedTopologies'),
    );
  },
  validateUpdate: (next, current) => [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((name) => !deepEqual(next[name], current[name]))
      .map((name) => forbidden(name, `updates to ${name} are forbidden.`)),
    ...unchanged('volumeBindingMode', next['volumeBindingMode'], current['volumeBindingMode']),
  ],
};

/** A term that says nothing counts as said before. */
function topologyRules(terms: readonly JsonObject[], path: string): Problems {
  const isRepeated = repetitions<string>();
  return each(terms, (term, at) => {
    const here = `${path}[${at}].matchLabelExpressions`;
    const expressions = objects(term, 'matchLabelExpressions');
    return allErrors(
      expressionRules(expressions, here),
      expressions.length === 0 || isRepeated(canonicalText(term))
        ? [duplicate(here, '')]
        : noProblems,
    );
  });
}

function expressionRules(expressions: readonly JsonObject[], path: string): Problems {
  const seen = new Set<string>();
  return each(expressions, (expression, at) => {
    const key = text(expression, 'key');
    const repeated = seen.has(key);
    seen.add(key);
    return allErrors(
      uniqueTexts(`${path}[${at}].values`, texts(expression, 'values')),
      givenForm(`${path}[${at}].key`, key, checkQualifiedName),
      repeated ? [duplicate(`${path}[${at}].key`, key)] : noProblems,
    );
  });
}

function storageClassWarnings(identity: Identity): KindWarnings {
  const { messageOf } = nodeLabels(identity);
  return onWrite((storageClass) =>
    warningsOfEach(objects(storageClass, 'allowedTopologies'), (topology, at) =>
      warningsOfEach(objects(topology, 'matchLabelExpressions'), (requirement, which) => {
        const message = messageOf(text(requirement, 'key'));
        const path = `allowedTopologies[${at}].matchLabelExpressions[${which}]`;
        return message === undefined ? noWarnings : [`${path}: ${message}`];
      }),
    ),
  );
}

export const storageClasses: KindDefinition = {
  resource: 'storage.{domain}/storageclasses',
  returnsDeletedObject: true,
  defaults: storageClassDefaults,
  validation: storageClassRules,
  warnings: storageClassWarnings,
  table: ({ fill }) => storageClassTable(fill),
};
