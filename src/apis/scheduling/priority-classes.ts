/** PriorityClasses: which pods are scheduled before others. */
import { forbidden } from '../../apimachinery/field-error.ts';
import { newForbidden } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, boolean, column, integer, nameColumn, table } from '../tables/columns.ts';
import { countAt, isTrue, printedAt } from '../tables/fields.ts';
import { noProblems, numberOf, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

const priorityClassTable = table([
  nameColumn,
  integer('Value', 'The priority.', (object) => countAt(object, 'value')),
  boolean('Global-Default', 'Whether pods without a class have it.', (object) =>
    isTrue(object, 'globalDefault'),
  ),
  ageColumn,
  column('PreemptionPolicy', 'Whether others make room.', (object) =>
    printedAt(object, 'preemptionPolicy'),
  ),
]);

const preemption: TypeDefaults = { preemptionPolicy: 'PreemptLowerPriority' };

const priorityClassDefaults: DefaultTable = {
  fields: {
    'scheduling/v1.PriorityClass': preemption,
    'scheduling/v1beta1.PriorityClass': preemption,
  },
};

const ownPriorityMax = 1_000_000_000;

/** Those that the service itself makes. Their names are taken. */
const systemPriorities: Readonly<Record<string, number>> = lookup({
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
});

const priorityClassRules: KindRules = {
  validate: (object) => {
    const value = numberOf(object['value']) ?? 0;
    const { name = '' } = object.metadata;
    if (name.startsWith('system-')) return systemRules(object, name, value);
    if (value <= ownPriorityMax) return noProblems;
    const detail = `maximum allowed value of a user defined priority is ${ownPriorityMax}`;
    return [forbidden('value', detail)];
  },
  validateUpdate: (next, current) => [
    ...(next['value'] === current['value']
      ? []
      : [forbidden('value', 'may not be changed in an update.')]),
    ...unchanged('preemptionPolicy', next['preemptionPolicy'], current['preemptionPolicy']),
  ],
};

function systemRules(object: ApiObject, name: string, value: number): Problems {
  const fixed = systemPriorities[name];
  const why =
    fixed === undefined
      ? `${name} is not a known system priority class`
      : value !== fixed
        ? `value of ${name} PriorityClass must be ${fixed}`
        : object['globalDefault'] === true
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (why === undefined) return noProblems;
  const detail =
    `priority class names with 'system-' prefix are reserved for system use only. error: ` + why;
  return [forbidden('metadata.name', detail)];
}

export const priorityClasses: KindDefinition = {
  resource: 'scheduling.{domain}/priorityclasses',
  tracksGeneration: 'once',
  defaults: priorityClassDefaults,
  validation: priorityClassRules,
  strategy: (_generic, identity) => ({
    forbidDeletion: (name) =>
      name in systemPriorities
        ? newForbidden(
            { group: identity.fill('scheduling.{domain}'), resource: 'priorityclasses' },
            name,
            'this is a system priority class, which stays',
          )
        : undefined,
  }),
  table: priorityClassTable,
};
