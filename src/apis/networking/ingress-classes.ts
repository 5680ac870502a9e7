/** IngressClasses: which controller serves an ingress. */
import { forbidden, required, tooLong } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import { referenceRules } from './ingresses.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { printedAt, valueAt } from '../tables/fields.ts';
import { among, form, givenForm, needed, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { checkDomainPath } from '../validation/domain-path.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

const ingressClassTable = table([
  nameColumn,
  column('Controller', 'What implements the class.', (object) =>
    printedAt(object, 'spec', 'controller'),
  ),
  column('Parameters', 'Where its settings are.', (object) => {
    const parameters = valueAt(object, 'spec', 'parameters');
    if (parameters === undefined) return '<none>';
    const group = printedAt(parameters, 'apiGroup');
    const kind = `${printedAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}`;
    return `${kind}/${printedAt(parameters, 'name')}`;
  }),
  ageColumn,
]);

const ingressClassDefaults: DefaultTable = {
  fields: {
    'networking/v1.IngressClassParametersReference': { scope: 'Cluster' },
    'networking/v1beta1.IngressClassParametersReference': { scope: 'Cluster' },
  },
};

const controllerBytesMax = 250;

const ingressClassRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const controller = text(spec, 'controller');
    return [
      ...needed(spec, 'spec', 'controller'),
      ...(Buffer.byteLength(controller, 'utf8') > controllerBytesMax
        ? [tooLong('spec.controller', controllerBytesMax)]
        : []),
      ...form('spec.controller', controller, checkDomainPath),
      ...(spec['parameters'] === undefined
        ? []
        : parametersRules(part(spec, 'parameters'), 'spec.parameters')),
    ];
  },
  validateUpdate: (next, current) =>
    unchanged(
      'spec.controller',
      part(next, 'spec')['controller'],
      part(current, 'spec')['controller'],
    ),
};

const scopes: readonly string[] = ['Cluster', 'Namespace'];

/** What a class is configured with: in one namespace, or in none. */
function parametersRules(parameters: JsonObject, path: string): Problems {
  const scope = text(parameters, 'scope');
  const named = parameters['namespace'] !== undefined;
  const because = `\`parameters.scope\` is set to '${scope}'`;
  const field = `${path}.namespace`;
  return [
    ...referenceRules(parameters, path),
    ...among(`${path}.scope`, scope, scopes),
    ...(scope === 'Namespace' ? givenForm(field, parameters['namespace'], checkDns1123Label) : []),
    ...(scope === 'Namespace' && !named ? [required(field, because)] : []),
    ...(scope === 'Cluster' && named ? [forbidden(field, because)] : []),
  ];
}

export const ingressClasses: KindDefinition = {
  resource: 'networking.{domain}/ingressclasses',
  tracksGeneration: true,
  defaults: ingressClassDefaults,
  validation: ingressClassRules,
  table: ingressClassTable,
};
