/**
 * The params of a binding: objects found by name or by selector.
 *
 * Invariants: messages are those of the reference.
 * Bound: `policyLimits.paramsMax` objects; a binding with more is a configuration error.
 */
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { policyLimits } from './policies.ts';
import type { FoundParams, LateParam, ParamReader } from './policies.ts';
import type { ParamKind, ParamRef, PolicyBinding } from './policy-spec.ts';

/** One that gives undefined: the expressions run with `params` null. A text: why not. */
export type Params = readonly (() => Awaitable<ApiObject | undefined>)[] | string;

const withoutParams: Params = [() => undefined];

/** Undefined: the policy has no kind of parameters, or one that is served. */
export function unknownParamKind(
  paramKind: ParamKind | undefined,
  reader: Pick<ParamReader, 'kindOf'>,
): string | undefined {
  if (paramKind === undefined || reader.kindOf(paramKind) !== undefined) return undefined;
  const { group, kind, version } = paramKind;
  const gv = group === '' ? version : `${group}/${version}`;
  return `failed to find resource referenced by paramKind: '${gv}, Kind=${kind}'`;
}

/** `spend`: lets others have their turn; an error of it is what this comes to. */
export function collectParams(
  paramKind: ParamKind | undefined,
  { paramRef }: PolicyBinding,
  requestNamespace: string,
  reader: ParamReader,
  spend: (units: number) => Awaitable<StatusError | undefined>,
): Awaitable<Params | StatusError> {
  if (paramKind === undefined || paramRef === undefined) return withoutParams;
  const kind = reader.kindOf(paramKind);
  if (kind === undefined) {
    const { apiVersion, kind: name } = paramKind;
    return `paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${name},}\` not known`;
  }
  const namespace = kind.namespaced ? paramRef.namespace || requestNamespace : '';
  if (kind.namespaced && namespace === '') {
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  }
  if (!kind.namespaced && paramRef.namespace !== '') {
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  }
  // Not what the binding says of params that are not there: there is one.
  if (reader.isLost(kind, namespace, paramRef.name)) {
    return 'a param for policy binding is stored and cannot be read';
  }
  const units = policyLimits.unitsOfLook + (paramRef.selector?.requirements.length ?? 0);
  return after(findParams(kind, namespace, paramRef, reader), ({ looked, params }) =>
    after(spend(looked * units), (over) => over ?? enough(params, paramRef)),
  );
}

function enough(params: readonly LateParam[], { notFound }: ParamRef): Params {
  if (params.length > policyLimits.paramsMax) {
    return `more than ${policyLimits.paramsMax} params found for policy binding`;
  }
  if (params.length > 0 || notFound === 'Allow') return params;
  return 'no params found for policy binding with `Deny` parameterNotFoundAction';
}

function findParams(
  kind: KindInfo,
  namespace: string,
  { name, selector }: ParamRef,
  reader: ParamReader,
): Awaitable<FoundParams> {
  if (name !== '') {
    const one = reader.get(kind, namespace, name);
    return after(one, (param) => ({
      params: param === undefined ? [] : [() => param],
      looked: 1,
    }));
  }
  if (selector === undefined) return { params: [], looked: 0 };
  return reader.list(kind, namespace, selector, policyLimits.paramsMax);
}
