/**
 * Type checking of a validating policy: whether its expressions fit the kinds that its rules name.
 * The result is only shown in its status (spec 2, section 9.2).
 *
 *     fieldRef  spec.validations[0].expression
 *     warning   apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas' …
 *
 * Invariants: rules with wildcards name no kinds.
 * Bounds: `kindsMax` kinds, one expression and kind in each step. An error shows the line that it
 * is in, so a long line with many errors might exceed what a status can hold: a warning ends after
 * `warningCharsMax` characters, all of them together after `charsMax`.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { compileSteps } from '../../cel/expression.ts';
import type { Environment } from '../../cel/cel.ts';
import type { Language } from '../../cel/language.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import type { Schema } from '../../cel/schema/schema.ts';
import { dynType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { admissionContext } from '../expressions/admission-context.ts';
import type { GroupVersionResource } from '../matching/matching.ts';
import { paramKindOf } from './policy-spec.ts';

const kindsMax = 10;
const warningCharsMax = 32_768;
const charsMax = 524_288;

export interface KindSchemas {
  /** Undefined: no such resource is served. */
  kindOf(resource: GroupVersionResource): GroupVersionKind | undefined;
  /** Undefined: nothing is known of the fields of this kind. */
  schemaOf(kind: GroupVersionKind): Schema | undefined;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

export function* checkPolicyTypes(
  policy: ApiObject | JsonObject,
  schemas: KindSchemas,
  language: Language,
): Steps<readonly ExpressionWarning[]> {
  const spec = part(policy, 'spec');
  const paramKind = paramKindOf(spec);
  const params = paramKind === undefined ? undefined : typeOf(paramKind, schemas);
  const kinds: CheckedKind[] = [];
  for (const kind of kindsToCheck(spec, schemas)) {
    const object = typeOf(kind, schemas);
    if (object === undefined) continue;
    kinds.push({ kind, environment: yield* environmentOf(language, spec, object, params) });
  }
  const warnings: ExpressionWarning[] = [];
  let chars = 0;
  for (const [at, validation] of objects(spec, 'validations').entries()) {
    for (const name of ['expression', 'messageExpression']) {
      const expression = text(validation, name).trim();
      if (expression === '') continue;
      const warning = cut(yield* warningOf(expression, kinds));
      if (warning === '') continue;
      chars += warning.length;
      if (chars > charsMax) return warnings;
      warnings.push({ fieldRef: `spec.validations[${at}].${name}`, warning });
    }
  }
  return warnings;
}

function cut(warning: string): string {
  return warning.length <= warningCharsMax ? warning : `${warning.slice(0, warningCharsMax)}...\n`;
}

interface CheckedKind {
  readonly kind: GroupVersionKind;
  readonly environment: Environment;
}

function typeOf(kind: GroupVersionKind, schemas: KindSchemas): SchemaType | undefined {
  const schema = schemas.schemaOf(kind);
  return schema && schemaType(schema, { name: kind.kind, resource: true });
}

/** With the policy's variables, as they are typed for this kind. */
function* environmentOf(
  language: Language,
  spec: JsonObject,
  object: SchemaType,
  paramsType: SchemaType | undefined,
): Steps<Environment> {
  const variables = new Map<string, Type>();
  const scope = { params: paramsType !== undefined, paramsType, object, authorizer: true };
  const environment = language.forStored(admissionContext({ ...scope, variables }));
  for (const variable of objects(spec, 'variables')) {
    const found = yield* compileSteps(environment, text(variable, 'expression'));
    const type = found.kind === 'ok' ? found.expression.ast.type : dynType;
    variables.set(text(variable, 'name'), type);
    yield;
  }
  return environment;
}

const prefix = 'compilation failed: ';

function* warningOf(expression: string, kinds: readonly CheckedKind[]): Steps<string> {
  const lines: string[] = [];
  for (const { environment, kind } of kinds) {
    const found = yield* compileSteps(environment, expression);
    yield;
    if (found.kind === 'ok') continue;
    const { problem } = found;
    const issues = problem.startsWith(prefix) ? problem.slice(prefix.length) : problem;
    const { group, version } = kind;
    lines.push(`${group}/${version}, Kind=${kind.kind}: ${issues}\n`);
  }
  return lines.join('\n');
}

function kindsToCheck(spec: JsonObject, schemas: KindSchemas): readonly GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind>();
  for (const rule of objects(part(spec, 'matchConstraints'), 'resourceRules')) {
    for (const resource of resourcesOf(rule)) {
      const kind = schemas.kindOf(resource);
      if (kind === undefined) continue;
      found.set(`${formatGroupVersion(kind)} ${kind.kind}`, kind);
      if (found.size === kindsMax) return inOrder(found.values());
    }
  }
  return inOrder(found.values());
}

function* resourcesOf(rule: JsonObject): Iterable<GroupVersionResource> {
  const [groups, versions] = [texts(rule, 'apiGroups'), texts(rule, 'apiVersions')];
  if ([...groups, ...versions].some((name) => name.includes('*'))) return;
  const resources = texts(rule, 'resources').filter((name) => !/[*/]/.test(name));
  for (const group of [...groups].sort()) {
    for (const version of [...versions].sort()) {
      for (const resource of [...resources].sort()) yield { group, version, resource };
    }
  }
}

function inOrder(kinds: Iterable<GroupVersionKind>): readonly GroupVersionKind[] {
  const key = ({ group, kind, version }: GroupVersionKind) => [group, version, kind];
  return [...kinds].sort((a, b) => {
    const at = key(a).findIndex((name, i) => name !== key(b)[i]);
    return at < 0 ? 0 : (key(a)[at] as string) < (key(b)[at] as string) ? -1 : 1;
  });
}
