/**
 * The strategy of each kind: the generic one, with the functions that the kind's definition
 * replaces, and with what is checked of every kind: its schema first, then the rules that are
 * written for it.
 */
import { allErrors, noErrors } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { Language } from '../cel/language.ts';
import { makeTypedValidators } from '../apimachinery/typed/validate-typed.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { genericStrategy } from '../registry/strategy.ts';
import type { KindStrategy, StrategyOf, SubresourceRules } from '../registry/strategy.ts';
import { lookup, ownMember } from '../stdx/lookup.ts';
import { underIdentity } from './kind-definition.ts';
import type { KindDefinition, VersionDefinition } from './kind-definition.ts';
import { gatedFields } from './gated-fields.ts';
import { builtInKinds, keyUnderIdentity, versionOf } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';
import { schemaExemptionsOf } from './schema-exemptions.ts';
import { noticesOf } from './strategy/notices.ts';
import type { NoticesOf } from './strategy/notices.ts';
import { dropGated, withoutGated } from './strategy/drop-gated.ts';
import {
  droppingInRulesVersion as dropping,
  preparationInRulesVersion,
  rulesInRulesVersion,
  rulesView,
} from './strategy/rules-version.ts';
import type { KindRules } from './validation/kind-rules.ts';
import { bothRules, kindRulesOf, versionRulesOf } from './validation/definition-rules.ts';
import { notMigrated } from './validation/migrated-rules.ts';
import type { Migration } from './validation/migrated-rules.ts';
import { noWarnings } from './warnings/kind-warnings.ts';
import type { KindWarnings } from './warnings/kind-warnings.ts';

/** Strategies are made once per kind and version, and kept. Expressions in objects are checked in
 * `language`; without one they are taken as they are. Fields of features that are not on are taken
 * out. */
export function strategiesOf(
  identity: Identity,
  migration: Migration = notMigrated,
  kinds: KindSet = builtInKinds,
  language?: Language,
  isFeatureOn: (gate: string) => boolean = noFeature,
): StrategyOf {
  const definitions = new Map(
    kinds.definitions.map((each) => [keyUnderIdentity(each.resource, identity), each]),
  );
  const definitionOf = (group: string, resource: string): KindDefinition =>
    definitions.get(`${group}/${resource}`) ?? { resource };
  const validatorOf = makeTypedValidators(schemaExemptionsOf(kinds));
  const made = new WeakMap<KindInfo, KindStrategy>();
  return (kind) => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const stored = definitionOf(kind.storage.group, kind.storage.resource);
    const version = versionOf(definitionOf(kind.group, kind.resource), kind);
    const whole = baseOf(kind, stored, version, identity);
    const drop = dropGated(ownMember(gatedFields, stored.resource) ?? [], isFeatureOn);
    const base =
      drop === undefined ? whole : { ...whole, ...withoutGated(whole, dropping(drop, kind)) };
    const { rulesVersion } = kind;
    const view = rulesView(kind);
    const checkSchema = rulesVersion === undefined ? noProblems : validatorOf(rulesVersion.schema);
    const own = kindRulesOf(stored, identity, migration);
    const written = bothRules(own, versionRulesOf(version, identity));
    const expressions = language && stored.expressions?.(language);
    const rules = rulesInRulesVersion(bothRules(written, expressions), view);
    const warnings = stored.warnings && underIdentity(stored.warnings, identity);
    const strategy = {
      ...base,
      warnings: warningsOf(warnings, noticesOf(stored), view),
      deletionWarning: version.deletionWarning,
      prepareValidation: rules.prepareValidation,
      ...validation(base, (object) => checkSchema(view(object)), rules),
    };
    made.set(kind, strategy);
    return strategy;
  };
}

const noFeature = (): boolean => false;

/** The generic strategy with what the kind and its version replace, and with the rules of its
 * subresources. */
function baseOf(
  kind: KindInfo,
  stored: KindDefinition,
  version: VersionDefinition,
  identity: Identity,
): KindStrategy {
  const generic = genericStrategy(kind);
  const replaced = stored.strategy?.(generic, identity) ?? {};
  const subresources = Object.entries(stored.subresources ?? {}).flatMap(([name, { rules }]) =>
    rules === undefined ? [] : [[name, underIdentity(rules, identity)] as const],
  );
  const preparation = version.preparation && underIdentity(version.preparation, identity);
  return {
    ...generic,
    ...replaced,
    ...(preparation && preparationInRulesVersion(preparation, kind)),
    subresources: lookup(Object.fromEntries(subresources)),
  };
}

const noProblems = (): readonly FieldError[] => noErrors;

/** What the kind says, and what is said of kinds that nothing acts on. A scale is a write to the
 * object. Of other subresources nothing is said. */
function warningsOf(
  { onCreate, onStatusUpdate, onUpdate }: KindWarnings = {},
  notices: NoticesOf | undefined,
  view: (object: ApiObject) => ApiObject,
): NonNullable<KindStrategy['warnings']> {
  const ofKind = (next: ApiObject, current: ApiObject | undefined, subresource: string) => {
    if (current === undefined) return onCreate?.(view(next)) ?? noWarnings;
    const of =
      subresource === '' || subresource === 'scale'
        ? onUpdate
        : subresource === 'status'
          ? onStatusUpdate
          : undefined;
    return of?.(view(next), view(current)) ?? noWarnings;
  };
  if (notices === undefined) return ofKind;
  return (next, current, subresource) => {
    const own = ofKind(next, current, subresource);
    return subresource === '' ? [...notices(), ...own] : own;
  };
}

/** What is wrong with a field is said once: by the rule that knows what it must be. */
export function unlessSaid(
  ofSchema: readonly FieldError[],
  ofRules: readonly FieldError[],
): readonly FieldError[] {
  if (ofSchema.length === 0 || ofRules.length === 0) return ofSchema;
  const said = new Set(ofRules.map(({ field }) => field));
  return ofSchema.filter(({ field }) => !said.has(field));
}

/** All errors are reported together: rules cope with fields that the schema calls missing. */
function validation(
  base: KindStrategy,
  checkSchema: (object: ApiObject) => readonly FieldError[],
  rules: KindRules,
): Pick<KindStrategy, 'validate' | 'validateUpdate' | 'validateStatusUpdate' | 'subresources'> {
  const validate = (object: ApiObject): readonly FieldError[] => {
    const own = allErrors(base.validate(object), rules.validate?.(object) ?? noErrors);
    return allErrors(unlessSaid(checkSchema(object), own), own);
  };
  return {
    validate: (object) => allErrors(validate(object), rules.validateCreate?.(object) ?? noErrors),
    validateUpdate: (next, current) => {
      const changed = allErrors(
        base.validateUpdate(next, current),
        rules.validateUpdate?.(next, current) ?? noErrors,
      );
      return allErrors(validate(next), changed);
    },
    validateStatusUpdate: (next, current) =>
      allErrors(
        base.validateStatusUpdate(next, current),
        rules.validateStatusUpdate?.(next, current) ?? noErrors,
      ),
    subresources: lookup(
      Object.fromEntries(
        Object.entries(base.subresources).map(([name, own]): [string, SubresourceRules] => [
          name,
          {
            ...own,
            validate: (next, current) => allErrors(validate(next), own.validate(next, current)),
          },
        ]),
      ),
    ),
  };
}
