/**
 * Which kind has its own strategy: the generic one, with the functions that a kind replaces, and
 * with what is checked of every kind: its schema first, then the rules that are written for it.
 *
 * What it is not: the rules themselves; each lives with its kind.
 */
import type { FieldError } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { makeTypedValidators } from '../apimachinery/typed/validate-typed.ts';
import type { TypedValidator } from '../apimachinery/typed/validate-typed.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { genericStrategy } from '../registry/strategy.ts';
import type { KindStrategy, StrategyOf } from '../registry/strategy.ts';
import { namespaceStrategy } from './namespaces.ts';
import { secretStrategy } from './secrets.ts';
import { schemaExemptions } from './validation/schema-exemptions.ts';
import { kindRulesOf } from './validation/validation.ts';
import type { KindRules } from './validation/validation.ts';

/** Strategies are made once per kind and version, and kept. */
export function strategiesOf(identity: Identity): StrategyOf {
  const replaced: Readonly<Record<string, Partial<KindStrategy>>> = {
    '/namespaces': namespaceStrategy(identity),
    '/secrets': secretStrategy(),
  };
  const rules = new Map(
    Object.entries(kindRulesOf(identity)).map(([key, own]) => [filledKey(key, identity), own]),
  );
  const validatorOf = makeTypedValidators(schemaExemptions);
  const made = new WeakMap<KindInfo, KindStrategy>();
  return (kind) => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const key = `${kind.storage.group}/${kind.storage.resource}`;
    const base = { ...genericStrategy(kind), ...replaced[key] };
    const schema = kind.storageSchema;
    const checkSchema = schema === undefined ? noErrors : validatorOf(schema);
    const strategy = { ...base, ...validation(base, checkSchema, rules.get(key) ?? {}) };
    made.set(kind, strategy);
    return strategy;
  };
}

const noErrors = (): readonly FieldError[] => [];

/** `<group template>/<resource>` under the identity's names. */
function filledKey(key: string, identity: Identity): string {
  const slash = key.lastIndexOf('/');
  return `${identity.fill(key.slice(0, slash))}${key.slice(slash)}`;
}

/** All errors are reported together: rules cope with fields that the schema calls missing. */
function validation(
  base: KindStrategy,
  checkSchema: TypedValidator,
  rules: KindRules,
): Pick<KindStrategy, 'validate' | 'validateUpdate' | 'validateStatusUpdate'> {
  const validate = (object: ApiObject): readonly FieldError[] => {
    const errors = checkSchema(object);
    const own = base.validate(object);
    return concat(concat(errors, own), rules.validate?.(object) ?? []);
  };
  return {
    validate,
    validateUpdate: (next, current) => {
      const changed = concat(
        base.validateUpdate(next, current),
        rules.validateUpdate?.(next, current) ?? [],
      );
      return concat(validate(next), changed);
    },
    validateStatusUpdate: (next, current) =>
      concat(
        base.validateStatusUpdate(next, current),
        rules.validateStatusUpdate?.(next, current) ?? [],
      ),
  };
}

/** Nearly always both are empty. */
function concat(a: readonly FieldError[], b: readonly FieldError[]): readonly FieldError[] {
  if (b.length === 0) return a;
  return a.length === 0 ? b : [...a, ...b];
}
