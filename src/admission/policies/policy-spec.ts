/**
 * The parts of the specs that validating and mutating policies have in common, and of their
 * bindings.
 */
import { part, text } from '../../apimachinery/members.ts';
import { parseGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { labelSelectorFromSpec } from '../../apimachinery/selectors/label-selector.ts';
import { resourcesMatcher } from '../matching/matcher.ts';
import type { Matcher } from '../matching/matching.ts';

export type FailurePolicy = 'Fail' | 'Ignore';

export function failurePolicyOf(spec: JsonObject): FailurePolicy {
  return text(spec, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail';
}

export interface ParamKind extends GroupVersionKind {
  readonly apiVersion: string;
}

/** A version that cannot be read names no kind. */
export function paramKindOf(spec: JsonObject): ParamKind | undefined {
  const { paramKind } = spec;
  if (!isJsonObject(paramKind)) return undefined;
  const apiVersion = text(paramKind, 'apiVersion');
  const parsed = parseGroupVersion(apiVersion) ?? { group: apiVersion, version: '' };
  return { ...parsed, apiVersion, kind: text(paramKind, 'kind') };
}

export interface ParamRef {
  readonly name: string;
  readonly namespace: string;
  readonly selector: LabelSelector | undefined;
  readonly notFound: 'Allow' | 'Deny';
}

export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly matcher: Matcher;
  readonly paramRef: ParamRef | undefined;
  /** Of a binding of a validating policy. */
  readonly actions: readonly string[];
}

export function readBinding(binding: ApiObject): PolicyBinding {
  const spec = part(binding, 'spec');
  const { matchResources, validationActions } = spec;
  return {
    name: binding.metadata.name ?? '',
    policyName: text(spec, 'policyName'),
    matcher: resourcesMatcher(isJsonObject(matchResources) ? matchResources : undefined),
    paramRef: isJsonObject(spec['paramRef']) ? readParamRef(spec['paramRef']) : undefined,
    actions: Array.isArray(validationActions) ? (validationActions as readonly string[]) : [],
  };
}

function readParamRef(reference: JsonObject): ParamRef {
  const { selector } = reference;
  const read = isJsonObject(selector) ? labelSelectorFromSpec(selector) : undefined;
  return {
    name: text(reference, 'name'),
    namespace: text(reference, 'namespace'),
    // One that cannot be read selects nothing: its rules do not let it be written.
    selector: read === undefined ? undefined : 'matches' in read ? read : nothing,
    notFound: text(reference, 'parameterNotFoundAction') === 'Allow' ? 'Allow' : 'Deny',
  };
}

const nothing = labelSelectorFromSpec(undefined) as LabelSelector;
