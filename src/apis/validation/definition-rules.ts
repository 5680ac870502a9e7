/**
 * The rules of a kind, from its definition: those of its resource, and those of the version that a
 * write comes through, since an older version of the same resource takes more (spec 2, section
 * 9.3).
 *
 * Elsewhere: the checks that follow from the schema (required fields, enumerations: they run first,
 * for every kind, see src/apimachinery/typed/validate-typed.ts), and those of metadata.
 *
 * Rules see objects that are typed, defaulted, prepared, and in the version that the rules of their
 * resource are written for (strategy/rules-version.ts). They are pure: they run inside an actor's
 * decision and may run again. Each rule adds one FieldError for each wrong field, with its full
 * path. An update is not refused for what its object had been before.
 */
import { allErrors, noErrors } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { underIdentity } from '../kind-definition.ts';
import type { KindDefinition, VersionDefinition } from '../kind-definition.ts';
import type { KindRules } from './kind-rules.ts';
import { notMigrated } from './migrated-rules.ts';
import type { Migration } from './migrated-rules.ts';

const noRules: KindRules = {};

export function kindRulesOf(
  { validation }: KindDefinition,
  identity: Identity,
  migration: Migration = notMigrated,
): KindRules {
  return typeof validation === 'function'
    ? validation(identity, migration)
    : (validation ?? noRules);
}

/** Undefined: the version asks for nothing more. */
export function versionRulesOf(
  { validation }: VersionDefinition,
  identity: Identity,
): KindRules | undefined {
  return validation && underIdentity(validation, identity);
}

export function bothRules(rules: KindRules, more: KindRules | undefined): KindRules {
  if (more === undefined) return rules;
  return {
    ...rules,
    validateCreate: (object) =>
      allErrors(
        rules.validateCreate?.(object) ?? noErrors,
        more.validateCreate?.(object) ?? noErrors,
      ),
    validateUpdate: (next, current) =>
      allErrors(
        rules.validateUpdate?.(next, current) ?? noErrors,
        more.validateUpdate?.(next, current) ?? noErrors,
      ),
    validateStatusUpdate: (next, current) =>
      allErrors(
        rules.validateStatusUpdate?.(next, current) ?? noErrors,
        more.validateStatusUpdate?.(next, current) ?? noErrors,
      ),
    prepareValidation: rules.prepareValidation ?? more.prepareValidation,
  };
}
