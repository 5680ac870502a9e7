/** CSINodes: which storage drivers run on a node. */
import { duplicate, invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { ageColumn, integer, nameColumn, table } from '../tables/columns.ts';
import { objectsAt } from '../tables/fields.ts';
import {
  allErrors,
  each,
  givenForm,
  noProblems,
  nonNegative,
  repetitions,
  unchanged,
  uniqueBy,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { driverNameRules } from '../validation/driver-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

const csiNodeTable = table([
  nameColumn,
  integer(
    'Drivers',
    'Drivers on the node.',
    (object) => objectsAt(object, 'spec', 'drivers').length,
  ),
  ageColumn,
]);

const nodeIdMax = 256;

const csiNodeRules: KindRules = {
  validate: (object) => {
    const drivers = objects(part(object, 'spec'), 'drivers');
    return allErrors(
      each(drivers, (driver, at) => nodeDriverRules(driver, `spec.drivers[${at}]`)),
      uniqueBy(drivers, 'spec.drivers', 'name'),
    );
  },
  validateUpdate: (next, current) => {
    const before = new Map(
      objects(part(current, 'spec'), 'drivers').map((driver) => [text(driver, 'name'), driver]),
    );
    return each(objects(part(next, 'spec'), 'drivers'), (driver) => {
      const known = before.get(text(driver, 'name'));
      return known === undefined ? noProblems : unchanged('spec.drivers', driver, known);
    });
  },
};

function nodeDriverRules(driver: JsonObject, path: string): Problems {
  const id = text(driver, 'nodeID');
  const keys = texts(driver, 'topologyKeys');
  const isRepeated = repetitions<string>();
  return allErrors(
    driverNameRules(`${path}.name`, text(driver, 'name')),
    id.length > nodeIdMax
      ? [invalid(`${path}.nodeID`, id, `must be ${nodeIdMax} characters or less`)]
      : noProblems,
    nonNegative(part(driver, 'allocatable'), `${path}.allocatable`, ['count']),
    each(keys, (key) => {
      return allErrors(
        key === '' ? [required(path)] : noProblems,
        isRepeated(key) ? [duplicate(path, key)] : noProblems,
        givenForm(path, key, checkQualifiedName),
      );
    }),
  );
}

export const csiNodes: KindDefinition = {
  resource: 'storage.{domain}/csinodes',
  conditionalUpdateOnly: true,
  returnsDeletedObject: true,
  validation: csiNodeRules,
  schemaExemptions: { optional: 'storage.CSINodeSpec.drivers' },
  table: csiNodeTable,
};
