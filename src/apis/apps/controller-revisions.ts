/** ControllerRevisions: states that a controller can roll back to. */
import { required } from '../../apimachinery/field-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { countAt, isTrue, objectsAt, printedAt } from '../tables/fields.ts';
import { allErrors, noProblems, nonNegative, unchanged } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

function controllerOf(object: JsonObject): string {
  const owner = objectsAt(object, 'metadata', 'ownerReferences').find((each) =>
    isTrue(each, 'controller'),
  );
  if (owner === undefined) return '<none>';
  const [group, version] = printedAt(owner, 'apiVersion').split('/');
  const kind = printedAt(owner, 'kind') + (version === undefined ? '' : `.${group ?? ''}`);
  return `${kind.toLowerCase()}/${printedAt(owner, 'name')}`;
}

const controllerRevisionTable = table([
  nameColumn,
  column('Controller', 'Whose revision it is.', controllerOf),
  column('Revision', 'Its number.', (object) => countAt(object, 'revision')),
  ageColumn,
]);

const controllerRevisionRules: KindRules = {
  validate: (object) =>
    allErrors(
      object['data'] === undefined ? [required('data', 'data is mandatory')] : noProblems,
      nonNegative({ revision: object['revision'] }, '', ['revision']).map((problem) => ({
        ...problem,
        field: 'revision',
      })),
    ),
  // What is stored already may be another value.
  validateCreate: ({ data }) =>
    data === undefined || isJsonObject(data)
      ? noProblems
      : [required('data', 'data must be a valid JSON object')],
  validateUpdate: (next, current) => unchanged('data', next['data'], current['data']),
};

export const controllerRevisions: KindDefinition = {
  resource: 'apps/controllerrevisions',
  validation: controllerRevisionRules,
  table: controllerRevisionTable,
};
