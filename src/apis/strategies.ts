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
import type { KindStrategy, StrategyOf, SubresourceRules } from '../registry/strategy.ts';
import { signingRequestStrategy } from './certificate-signing-requests.ts';
import { initialStateStrategies } from './initial-state.ts';
import { namespaceStrategy } from './namespaces.ts';
import { ephemeralContainerRules } from './pods/ephemeral-containers.ts';
import { resizeRules } from './pods/resize.ts';
import { secretStrategy } from './secrets.ts';
import { schemaExemptions } from './validation/schema-exemptions.ts';
import type { KindRules } from './validation/kind-rules.ts';
import type { Migration } from './validation/migrated-rules.ts';
import { kindRulesOf } from './validation/validation.ts';

/** Strategies are made once per kind and version, and kept. */
export function strategiesOf(identity: Identity, migration?: Migration): StrategyOf {
  const initial: Readonly<Record<string, Partial<KindStrategy>>> = initialStateStrategies(identity);
  const replaced: Readonly<Record<string, Partial<KindStrategy>>> = {
    ...initial,
    '/namespaces': namespaceStrategy(identity),
    '/pods': {
      ...initial['/pods'],
      subresources: podSubresources(`${identity.labelDomain}/config.mirror`),
    },
    [identity.fill('certificates.{domain}/certificatesigningrequests')]:
      signingRequestStrategy(identity),
    '/secrets': secretStrategy(),
  };
  const rules = new Map(
    Object.entries(kindRulesOf(identity, migration)).map(([key, own]) => [
      filledKey(key, identity),
      own,
    ]),
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

/** A pod that a node runs from a file of its own says so in an annotation. */
function podSubresources(staticAnnotation: string): Readonly<Record<string, SubresourceRules>> {
  return {
    ephemeralcontainers: ephemeralContainerRules(staticAnnotation),
    resize: resizeRules(staticAnnotation),
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
): Pick<KindStrategy, 'validate' | 'validateUpdate' | 'validateStatusUpdate' | 'subresources'> {
  const validate = (object: ApiObject): readonly FieldError[] => {
    const errors = checkSchema(object);
    const own = base.validate(object);
    return concat(concat(errors, own), rules.validate?.(object) ?? []);
  };
  return {
    validate: (object) => concat(validate(object), rules.validateCreate?.(object) ?? []),
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
    subresources: Object.fromEntries(
      Object.entries(base.subresources).map(([name, own]): [string, SubresourceRules] => [
        name,
        {
          ...own,
          validate: (next, current) => concat(validate(next), own.validate(next, current)),
        },
      ]),
    ),
  };
}

/** Nearly always both are empty. */
function concat(a: readonly FieldError[], b: readonly FieldError[]): readonly FieldError[] {
  if (b.length === 0) return a;
  return a.length === 0 ? b : [...a, ...b];
}
