/**
 * The authorizer in expressions (release 1.27; selectors 1.31):
 *
 *     authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed()
 *     authorizer.path('/healthz').check('get').allowed()
 *     authorizer.serviceAccount('ns', 'name')....      authorizer.requestResource.check('update')
 *
 * Who is asked is a port (`DecisionSource`): answers may take time and evaluation does not wait.
 * A question without an answer makes the result unknown; `authorizer-questions.ts` fetches the
 * answer and evaluates again.
 *
 * Invariants: builders make new values; the same chain is the same question.
 */
import { addRanges, fixed, scaleRange } from '../cost.ts';
import type { OverloadCost } from '../cost.ts';
import type { Library } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { dns1123Label, dns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { boolType, opaqueType, stringType } from '../type.ts';
import type { Type } from '../type.ts';
import { OpaqueValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method } from './declare.ts';
import {
  listLiteralCost,
  operandSize,
  sizeOfArgument,
  structLiteralCost,
  walkFactor,
} from './prices.ts';

/** Undefined user: whoever makes the request. */
export interface AskedUser {
  readonly namespace: string;
  readonly serviceAccount: string;
}

export interface PathQuestion {
  readonly kind: 'path';
  readonly user: AskedUser | undefined;
  readonly path: string;
  readonly verb: string;
}

export interface ResourceQuestion {
  readonly kind: 'resource';
  readonly user: AskedUser | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** As given; one that cannot be read limits nothing. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
  readonly verb: string;
}

export type AuthorizationQuestion = PathQuestion | ResourceQuestion;

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** '' where the authorizers had no trouble. */
  readonly error: string;
}

/** Gives the answer, or throws what leaves the evaluation without a result. */
export interface DecisionSource {
  answer(question: AuthorizationQuestion): AuthorizationAnswer;
}

export interface RequestResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const typeNamed = (name: string): Type => opaqueType(`kubernetes.authorization.${name}`);
export const authorizerType = typeNamed('Authorizer');
const pathCheckType = typeNamed('PathCheck');
const groupCheckType = typeNamed('GroupCheck');
export const resourceCheckType = typeNamed('ResourceCheck');
const decisionType = typeNamed('Decision');

abstract class AuthorizationValue extends OpaqueValue {
  override equalTo(other: Value): boolean {
    return this === other;
  }
}

export class AuthorizerValue extends AuthorizationValue {
  readonly source: DecisionSource;
  readonly user: AskedUser | undefined;
  constructor(source: DecisionSource, user: AskedUser | undefined) {
    super();
    this.source = source;
    this.user = user;
  }
  override get type(): Type {
    return authorizerType;
  }
}

class PathCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly path: string;
  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
  override get type(): Type {
    return pathCheckType;
  }
}

class GroupCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly group: string;
  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
  override get type(): Type {
    return groupCheckType;
  }
}

type ResourceParts = Omit<ResourceQuestion, 'kind' | 'user' | 'verb'>;

class ResourceCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly parts: ResourceParts;
  constructor(authorizer: AuthorizerValue, parts: ResourceParts) {
    super();
    this.authorizer = authorizer;
    this.parts = parts;
  }
  override get type(): Type {
    return resourceCheckType;
  }
}

class Decision extends AuthorizationValue {
  readonly answer: AuthorizationAnswer;
  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
  override get type(): Type {
    return decisionType;
  }
}

const nothingYet = {
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** The value of `authorizer.requestResource`. */
export function requestResourceValue(source: DecisionSource, resource: RequestResource): Value {
  const parts = { ...nothingYet, ...resource };
  return new ResourceCheck(new AuthorizerValue(source, undefined), parts);
}

const wrongReceiver = () => noSuchOverload();

function pathOf(authorizer: Value, path: Value): Value {
  if (!(authorizer instanceof AuthorizerValue)) throw wrongReceiver();
  if ((path as string).trim() === '') throw evaluationError('path must not be empty');
  return new PathCheck(authorizer, path as string);
}

function groupOf(authorizer: Value, group: Value): Value {
  if (!(authorizer instanceof AuthorizerValue)) throw wrongReceiver();
  return new GroupCheck(authorizer, group as string);
}

function serviceAccountOf(authorizer: Value, namespace: Value, name: Value): Value {
  if (!(authorizer instanceof AuthorizerValue)) throw wrongReceiver();
  if (dns1123Subdomain(name as string, false).length > 0) {
    throw evaluationError('Invalid service account name');
  }
  if (dns1123Label(namespace as string, false).length > 0) {
    throw evaluationError('Invalid service account namespace');
  }
  return new AuthorizerValue(authorizer.source, {
    namespace: namespace as string,
    serviceAccount: name as string,
  });
}

function resourceOf(group: Value, resource: Value): Value {
  if (!(group instanceof GroupCheck)) throw wrongReceiver();
  if ((resource as string).trim() === '') throw evaluationError('resource must not be empty');
  const parts = { ...nothingYet, group: group.group, resource: resource as string };
  return new ResourceCheck(group.authorizer, parts);
}

/** Another check with this part. */
const withPart = (part: keyof ResourceParts) => (check: Value, text: Value) => {
  if (!(check instanceof ResourceCheck)) throw wrongReceiver();
  return new ResourceCheck(check.authorizer, { ...check.parts, [part]: text as string });
};

function checkPath(check: Value, verb: Value): Value {
  if (!(check instanceof PathCheck)) throw wrongReceiver();
  const { source, user } = check.authorizer;
  const asked = { kind: 'path', user, path: check.path, verb: verb as string } as const;
  return new Decision(source.answer(asked));
}

function checkResource(check: Value, verb: Value): Value {
  if (!(check instanceof ResourceCheck)) throw wrongReceiver();
  const { source, user } = check.authorizer;
  const asked = { kind: 'resource', user, ...check.parts, verb: verb as string } as const;
  return new Decision(source.answer(asked));
}

const answerPart = (get: (answer: AuthorizationAnswer) => Value) => (decision: Value) => {
  if (!(decision instanceof Decision)) throw wrongReceiver();
  return get(decision.answer);
};

/** So high that a budget of a million has room for two. */
const checkCost = 350_000;
const oneCheck: OverloadCost = {
  before: () => checkCost,
  estimate: () => ({ cost: fixed(checkCost) }),
};

/** A selector becomes a list of requirements, of two characters at least each. */
const charactersPerRequirement = 2;
const requirementCost = listLiteralCost + structLiteralCost;
const selectorCost: OverloadCost = {
  before: (args) => {
    const size = sizeOfArgument(args, 1);
    const requirements = Math.ceil(size / charactersPerRequirement);
    return listLiteralCost + Math.ceil(size * walkFactor) + requirements * requirementCost;
  },
  estimate: (context, target, args) => {
    const size = operandSize(context, target, args, 1);
    const requirements = scaleRange(size, 1 / charactersPerRequirement);
    const cost = addRanges(fixed(listLiteralCost), scaleRange(size, walkFactor));
    return { cost: addRanges(cost, scaleRange(requirements, requirementCost)) };
  },
};

const onCheck = [resourceCheckType, stringType];
const part = (id: string, name: keyof ResourceParts, cost?: OverloadCost) => [
  method(id, onCheck, resourceCheckType, withPart(name), cost),
];
const ofDecision = (id: string, result: Type, get: (answer: AuthorizationAnswer) => Value) => [
  method(id, [decisionType], result, answerPart(get)),
];

export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType],
  functions: functions({
    path: [method('authorizer_path', [authorizerType, stringType], pathCheckType, pathOf)],
    group: [method('authorizer_group', [authorizerType, stringType], groupCheckType, groupOf)],
    serviceAccount: [
      method(
        'authorizer_serviceaccount',
        [authorizerType, stringType, stringType],
        authorizerType,
        serviceAccountOf,
      ),
    ],
    resource: [
      method('groupcheck_resource', [groupCheckType, stringType], resourceCheckType, resourceOf),
    ],
    subresource: part('resourcecheck_subresource', 'subresource'),
    namespace: part('resourcecheck_namespace', 'namespace'),
    name: part('resourcecheck_name', 'name'),
    check: [
      method('pathcheck_check', [pathCheckType, stringType], decisionType, checkPath, oneCheck),
      method('resourcecheck_check', onCheck, decisionType, checkResource, oneCheck),
    ],
    errored: ofDecision('decision_errored', boolType, ({ error }) => error !== ''),
    error: ofDecision('decision_error', stringType, ({ error }) => error),
    allowed: ofDecision('decision_allowed', boolType, ({ allowed }) => allowed),
    reason: ofDecision('decision_reason', stringType, ({ reason }) => reason),
  }),
};

export const authorizerSelectorsLibrary: Library = {
  name: 'kubernetes.authzSelectors',
  functions: functions({
    fieldSelector: part('authorizer_fieldselector', 'fieldSelector', selectorCost),
    labelSelector: part('authorizer_labelselector', 'labelSelector', selectorCost),
  }),
};
