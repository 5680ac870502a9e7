/** Namespaces, which group objects. */
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { printedAt } from '../../tables/fields.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { finalizeRules, namespaceStrategy, withNameLabel } from './strategy.ts';

const namespaceTable = table([
  nameColumn,
  column('Status', 'Active, or Terminating while its content goes.', (object) =>
    printedAt(object, 'status', 'phase'),
  ),
  ageColumn,
]);

/** The label is a default, so it belongs to who writes the object. */
const namespaceDefaults: DefaultTable = {
  fields: { 'core/v1.NamespaceStatus': { phase: 'Active' } },
  complete: {
    'core/v1.Namespace': (object, { identity }) => withNameLabel(object as ApiObject, identity),
  },
};

export const namespaces: KindDefinition = {
  resource: '/namespaces',
  names: 'dns-label',
  withoutDeleteCollection: true,
  selectableFields: 'status.phase!Active name=metadata.name',
  defaults: namespaceDefaults,
  schemaExemptions: { openValues: 'core.NamespaceSpec.finalizers' },
  strategy: (_generic, identity) => namespaceStrategy(identity),
  table: namespaceTable,
  subresources: { finalize: { verbs: ['update'], rules: finalizeRules } },
};
