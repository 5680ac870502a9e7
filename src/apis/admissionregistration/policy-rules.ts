/**
 * Rules of admission policies and of their bindings.
 */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import {
  blankRules,
  matchConditionRules,
  matchResourcesRules,
  uniqueKeys,
} from './request-matching.ts';
import {
  allErrors,
  each,
  form,
  givenAmong,
  givenForm,
  needed,
  noProblems,
  uniqueTexts,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { conditionsRules } from '../validation/conditions.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import { lookup } from '../../stdx/lookup.ts';

const auditAnnotationsMax = 20;

const valueExpressionBytesMax = 5 * 1024;

export const validatingPolicyRules: KindRules = {
  validateStatusUpdate: (next) => {
    const status = part(next, 'status');
    return allErrors(typeCheckingRules(status), conditionsRules(status, 'status'));
  },
  validate: (policy) => {
    const spec = part(policy, 'spec');
    const validations = objects(spec, 'validations');
    const annotations = objects(spec, 'auditAnnotations');
    const neither = 'validations or auditAnnotations must contain at least one item';
    return allErrors(
      commonRules(spec),
      validations.length === 0 && annotations.length === 0
        ? ['validations', 'auditAnnotations'].map((name) => required(`spec.${name}`, neither))
        : noProblems,
      each(validations, (validation, at) => validationRules(validation, `spec.validations[${at}]`)),
      auditAnnotationRules(policy, annotations, 'spec.auditAnnotations'),
    );
  },
};

/** What the types of expressions were found to be: each finding says where, and what. */
function typeCheckingRules(status: JsonObject): Problems {
  const findings = objects(part(status, 'typeChecking'), 'expressionWarnings');
  return each(findings, (finding, at) => {
    const path = `status.typeChecking.expressionWarnings[${at}]`;
    return allErrors(needed(finding, path, 'warning'), needed(finding, path, 'fieldRef'));
  });
}

/** What policies of either sort say: of whom, with which parameters, under which conditions. */
function commonRules(spec: JsonObject): Problems {
  const match = part(spec, 'matchConstraints');
  return allErrors(
    spec['paramKind'] === undefined
      ? noProblems
      : paramKindRules(part(spec, 'paramKind'), 'spec.paramKind'),
    spec['matchConstraints'] === undefined
      ? [required('spec.matchConstraints')]
      : allErrors(
          matchResourcesRules(match, 'spec.matchConstraints'),
          needed(match, 'spec.matchConstraints', 'resourceRules'),
        ),
    matchConditionRules(objects(spec, 'matchConditions'), 'spec.matchConditions'),
    each(objects(spec, 'variables'), (variable, at) =>
      variableRules(variable, `spec.variables[${at}]`),
    ),
  );
}

function paramKindRules(kind: JsonObject, path: string): Problems {
  const version = text(kind, 'apiVersion');
  const name = text(kind, 'kind');
  const mixed = 'may have mixed case, but should otherwise match: ';
  return allErrors(
    needed(kind, path, 'apiVersion'),
    form(`${path}.apiVersion`, version, checkGroupVersion),
    needed(kind, path, 'kind'),
    form(`${path}.kind`, name, (value) =>
      checkDns1035Label(value.toLowerCase()).map((problem) => mixed + problem),
    ),
  );
}

function checkGroupVersion(text: string): readonly string[] {
  const parts = text.split('/', 3);
  if (parts.length > 2) return [`unexpected GroupVersion string: ${text}`];
  const [group, version] = parts.length === 2 ? parts : ['', parts[0]];
  if (version === undefined || version === '') return ['version must be specified'];
  return [
    ...(group === undefined || group === '' ? [] : checkDns1123Subdomain(group)),
    ...checkDns1035Label(version),
  ];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

const reserved: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

function variableRules(variable: JsonObject, path: string): Problems {
  const name = text(variable, 'name');
  return allErrors(
    form(`${path}.name`, name, (value) =>
      identifier.test(value) && !reserved.has(value) ? [] : ['name is not a valid CEL identifier'],
    ),
    blankRules(variable, path, 'expression', 'expression is not specified'),
  );
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validationRules(validation: JsonObject, path: string): Problems {
  const message = text(validation, 'message');
  const expression = text(validation, 'messageExpression');
  const reason = text(validation, 'reason');
  return allErrors(
    blankRules(validation, path, 'expression', 'expression is not specified'),
    expression !== '' && expression.trim() === ''
      ? [invalid(`${path}.messageExpression`, expression, 'must be non-empty if specified')]
      : noProblems,
    message !== '' && message.trim() === ''
      ? [invalid(`${path}.message`, message, 'message must be non-empty if specified')]
      : noProblems,
    /[\r\n]/.test(message.trim())
      ? [invalid(`${path}.message`, message, 'message must not contain line breaks')]
      : noProblems,
    // The schema knows more of them than a policy may give.
    validation['reason'] === undefined || reasons.includes(reason)
      ? noProblems
      : [notSupported(`${path}.reason`, reason, reasons)],
  );
}

function auditAnnotationRules(
  policy: ApiObject,
  annotations: readonly JsonObject[],
  path: string,
): Problems {
  const many = `must not have more than ${auditAnnotationsMax} auditAnnotations`;
  return allErrors(
    annotations.length > auditAnnotationsMax ? [invalid(path, annotations, many)] : noProblems,
    each(annotations, (annotation, at) => {
      const here = `${path}[${at}]`;
      const expression = text(annotation, 'valueExpression');
      const key = text(annotation, 'key');
      const { name = '' } = policy.metadata;
      const whole = name === '' ? key : `${name}/${key}`;
      const long = `must not exceed ${valueExpressionBytesMax} bytes in length`;
      return allErrors(
        givenForm(`${here}.key`, whole, checkQualifiedName),
        blankRules(annotation, here, 'valueExpression', 'valueExpression is not specified'),
        Buffer.byteLength(expression, 'utf8') > valueExpressionBytesMax
          ? [required(`${here}.valueExpression`, long)]
          : noProblems,
      );
    }),
    uniqueKeys(annotations, path, 'key'),
  );
}

export const mutatingPolicyRules: KindRules = {
  validate: (policy) => {
    const spec = part(policy, 'spec');
    const mutations = objects(spec, 'mutations');
    const none = 'mutations must contain at least one item';
    return allErrors(
      commonRules(spec),
      mutations.length === 0 ? [required('spec.mutations', none)] : noProblems,
      needed(spec, 'spec', 'reinvocationPolicy'),
      ['', 'Never', 'IfNeeded'].includes(text(spec, 'reinvocationPolicy'))
        ? noProblems
        : [
            notSupported('spec.reinvocationPolicy', text(spec, 'reinvocationPolicy'), [
              'IfNeeded',
              'Never',
            ]),
          ],
      each(mutations, (mutation, at) => mutationRules(mutation, `spec.mutations[${at}]`)),
    );
  },
};

const patchFields: Readonly<Record<string, string>> = lookup({
  ApplyConfiguration: 'applyConfiguration',
  JSONPatch: 'jsonPatch',
});

function mutationRules(mutation: JsonObject, path: string): Problems {
  const type = text(mutation, 'patchType');
  const own = patchFields[type];
  if (own === undefined) return noProblems;
  const other = own === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  return allErrors(
    mutation[own] === undefined
      ? [required(`${path}.${own}`, `must be specified when patchType is ${type}`)]
      : needed(part(mutation, own), `${path}.${own}`, 'expression', 'expression is not specified'),
    mutation[other] === undefined
      ? noProblems
      : [
          invalid(
            `${path}.${other}`,
            mutation[other],
            `must not be specified when patchType is ${type}`,
          ),
        ],
  );
}

/** A binding that says what its policy's failures lead to, and one that has nothing to say. */
export function policyBindingRules(withActions: boolean): KindRules {
  return {
    validate: (object) => {
      const spec = part(object, 'spec');
      return allErrors(
        needed(spec, 'spec', 'policyName'),
        form('spec.policyName', text(spec, 'policyName'), checkDns1123Subdomain),
        spec['paramRef'] === undefined
          ? noProblems
          : paramRefRules(part(spec, 'paramRef'), 'spec.paramRef'),
        // Spelt like this by the reference.
        matchResourcesRules(part(spec, 'matchResources'), 'spec.matchResouces'),
        withActions
          ? actionRules(texts(spec, 'validationActions'), 'spec.validationActions')
          : noProblems,
      );
    },
  };
}

function paramRefRules(reference: JsonObject, path: string): Problems {
  const given = givenAmong(reference, ['name', 'selector']);
  const name = text(reference, 'name');
  const exclusive = 'name and selector are mutually exclusive';
  return allErrors(
    form(`${path}.name`, name, checkPathSegmentName),
    labelSelectorRules(part(reference, 'selector'), `${path}.selector`),
    given.length === 2 ? given.map((own) => forbidden(`${path}.${own}`, exclusive)) : noProblems,
    given.length === 0 ? [required(path, 'one of name or selector must be specified')] : noProblems,
    needed(reference, path, 'parameterNotFoundAction'),
  );
}

function actionRules(actions: readonly string[], field: string): Problems {
  if (actions.length === 0) return [required(field, 'at least one validation action is required')];
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in ' +
    'the API response and headers serves no purpose)';
  return allErrors(
    uniqueTexts(field, actions),
    actions.includes('Deny') && actions.includes('Warn')
      ? [invalid(field, actions, both)]
      : noProblems,
  );
}
