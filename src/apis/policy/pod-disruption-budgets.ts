/** PodDisruptionBudgets: how many pods may be evicted at the same time. */
import { invalid } from '../../apimachinery/field-error.ts';
import { part } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { inside } from '../conversion/fields.ts';
import { ageColumn, column, integer, nameColumn, table } from '../tables/columns.ts';
import { countAt, printedAt } from '../tables/fields.ts';
import { atMostAll, countOrPercent, nonNegative } from '../validation/checks.ts';
import { conditionsRules } from '../validation/conditions.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { decideDisruption } from './disruptions.ts';
import type { KindDefinition } from '../kind-definition.ts';

const podDisruptionBudgetTable = table([
  nameColumn,
  column(
    'Min Available',
    'Pods that must stay.',
    (object) => printedAt(object, 'spec', 'minAvailable') || 'N/A',
  ),
  column(
    'Max Unavailable',
    'Pods that may go.',
    (object) => printedAt(object, 'spec', 'maxUnavailable') || 'N/A',
  ),
  integer('Allowed Disruptions', 'Pods that may go now.', (object) =>
    countAt(object, 'status', 'disruptionsAllowed'),
  ),
  ageColumn,
]);

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

/** policy/v1beta1 does not count: its objects may be older than the rule. */
const countRules: KindRules = {
  validateStatusUpdate: (next) => nonNegative(part(next, 'status'), 'status', counts),
};

const disruptionBudgetRules: KindRules = {
  validateStatusUpdate: (next) => conditionsRules(part(next, 'status'), 'status'),
  validate: (object) => {
    const spec = part(object, 'spec');
    const { minAvailable, maxUnavailable } = spec;
    const both = minAvailable !== undefined && maxUnavailable !== undefined;
    return [
      ...(both
        ? [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...countOrPercent('spec.minAvailable', minAvailable),
      ...atMostAll('spec.minAvailable', minAvailable),
      ...countOrPercent('spec.maxUnavailable', maxUnavailable),
      ...atMostAll('spec.maxUnavailable', maxUnavailable),
      ...labelSelectorRules(part(spec, 'selector'), 'spec.selector'),
    ];
  },
};

/** An empty selector means nothing in policy/v1beta1 and everything in v1; each warns of the other
 * by an expression over a label that no pod has. */
function disruptionBudgetMaps(label: string): FieldMaps {
  const oneOf = (operator: string): JsonObject => ({
    matchExpressions: [{ key: label, operator }],
  });
  const none = oneOf('Exists');
  const all = oneOf('DoesNotExist');
  const everything: JsonObject = {};
  const selectorMap =
    (rows: readonly (readonly [JsonObject, JsonObject])[]) =>
    (object: JsonObject): JsonObject =>
      inside(object, ['spec'], (spec) => {
        const found = rows.find(([from]) => deepEqual(spec['selector'], from));
        return found === undefined ? spec : { ...spec, selector: found[1] };
      });
  return {
    toHub: selectorMap([
      [everything, none],
      [all, everything],
    ]),
    fromHub: selectorMap([
      [none, everything],
      [everything, all],
    ]),
  };
}

export const podDisruptionBudgets: KindDefinition = {
  decisions: { 'poddisruptionbudgets/take': decideDisruption },
  resource: 'policy/poddisruptionbudgets',
  names: 'path-segment',
  anyFinalizer: true,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  validation: disruptionBudgetRules,
  table: podDisruptionBudgetTable,
  versions: {
    v1: { validation: countRules },
    v1beta1: {
      conversion: ({ fill }) =>
        disruptionBudgetMaps(fill('pdb.{labelDomain}/deprecated-v1beta1-empty-selector-match')),
    },
  },
};
