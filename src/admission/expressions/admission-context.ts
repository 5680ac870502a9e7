/**
 * The variables of admission expressions and their types: for match conditions of webhooks, for
 * policies, their variables and parameters (spec 2, section 9.2, rule 1).
 *
 *     object, oldObject     dynamic; null where there is none
 *     request               typed: kind, resource, operation, userInfo ...
 *     namespaceObject       typed; null for cluster-scoped objects
 *     params                dynamic; only if the policy names a kind of parameters
 *     authorizer            and authorizer.requestResource
 *     variables             typed by what the policy declares before
 *
 * admission-input.ts has their values; nothing is evaluated here.
 */
import type { ExpressionContext } from '../../cel/language.ts';
import { authorizerType, resourceCheckType } from '../../cel/library/authorizer-library.ts';
import {
  declaredBool,
  declaredDynamic,
  declaredInt,
  declaredList,
  declaredMap,
  declaredObject,
  declaredText,
  declaredTime,
} from '../../cel/schema/declared-types.ts';
import { schemaProvider } from '../../cel/schema/schema-provider.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import type { TypeProvider } from '../../cel/declaration.ts';
import { evaluationError } from '../../cel/evaluation-error.ts';
import { dynType, objectType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';

const text = declaredText;
const texts = declaredList(text);
const labels = declaredMap(text);

const kindType = declaredObject('kubernetes.GroupVersionKind', {
  group: text,
  version: text,
  kind: text,
});
const resourceType = declaredObject('kubernetes.GroupVersionResource', {
  group: text,
  version: text,
  resource: text,
});

export const requestType = declaredObject('kubernetes.AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: text,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: declaredObject('kubernetes.UserInfo', {
    username: text,
    uid: text,
    groups: texts,
    extra: declaredMap(texts),
  }),
  dryRun: declaredBool,
  options: declaredDynamic,
});

export const namespaceType = declaredObject('kubernetes.Namespace', {
  metadata: declaredObject('kubernetes.NamespaceMetadata', {
    name: text,
    generateName: text,
    namespace: text,
    labels,
    annotations: labels,
    UID: text,
    creationTimestamp: declaredTime,
    deletionGracePeriodSeconds: declaredInt,
    deletionTimestamp: declaredTime,
    generation: declaredInt,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: declaredObject('kubernetes.NamespaceSpec', { finalizers: texts }),
  status: declaredObject('kubernetes.NamespaceStatus', {
    conditions: declaredList(
      declaredObject('kubernetes.NamespaceCondition', {
        status: text,
        type: text,
        lastTransitionTime: declaredTime,
        message: text,
        reason: text,
      }),
    ),
    phase: text,
  }),
});

export interface AdmissionContextOptions {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Types by name, of the variables that are declared before; undefined: there can be none. */
  readonly variables?: ReadonlyMap<string, Type> | undefined;
  /** What is known of the object, and of the parameters: only where they are checked beforehand. */
  readonly object?: SchemaType | undefined;
  readonly paramsType?: SchemaType | undefined;
  /** Types that only such an expression can name. */
  readonly providers?: readonly TypeProvider[] | undefined;
}

const typed = schemaProvider(requestType, namespaceType);

export function admissionContext(options: AdmissionContextOptions): ExpressionContext {
  const { params, authorizer, object, paramsType, variables, providers = [] } = options;
  const known = [object, paramsType].filter((type) => type !== undefined);
  return {
    variables: [
      { name: 'object', type: object?.type ?? dynType },
      { name: 'oldObject', type: object?.type ?? dynType },
      { name: 'request', type: requestType.type },
      { name: 'namespaceObject', type: namespaceType.type },
      ...(params ? [{ name: 'params', type: paramsType?.type ?? dynType }] : []),
      ...(authorizer
        ? [
            { name: 'authorizer', type: authorizerType },
            { name: 'authorizer.requestResource', type: resourceCheckType },
          ]
        : []),
      ...(variables === undefined ? [] : [{ name: 'variables', type: variablesType }]),
    ],
    providers: [
      typed,
      ...(known.length === 0 ? [] : [schemaProvider(...known)]),
      ...(variables === undefined ? [] : [variableProvider(variables)]),
      ...providers,
    ],
  };
}

export const variablesType = objectType('kubernetes.variables');

function variableProvider(variables: ReadonlyMap<string, Type>): TypeProvider {
  return {
    findType: () => undefined,
    findField: (type, field) =>
      type.name === variablesType.name ? variables.get(field) : undefined,
    create: (type) => {
      throw evaluationError(`unknown type: ${type.name}`);
    },
  };
}
