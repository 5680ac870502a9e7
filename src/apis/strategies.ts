/**
 * Which kind has its own strategy: the generic one, with the functions that a kind replaces, and
 * with what is checked of every kind: its schema first, then the rules that are written for it.
 *
 * What it is not: the rules themselves; each lives with its kind.
 */
import { FieldErrorType, noErrors, together } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { Language } from '../cel/language.ts';
import { makeTypedValidators } from '../apimachinery/typed/validate-typed.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { genericStrategy } from '../registry/strategy.ts';
import type { KindStrategy, StrategyOf, SubresourceRules } from '../registry/strategy.ts';
import { lookup } from '../stdx/lookup.ts';
import { apiServiceStrategy } from './api-services.ts';
import { signingRequestStrategy } from './certificate-signing-requests.ts';
import { expressionRulesOf } from './expressions/expression-rules.ts';
import { definitionStrategy } from './custom-resource-definitions.ts';
import { stableSliceStrategy } from './endpoint-slices.ts';
import { initialStateStrategies } from './initial-state.ts';
import { judgedPreparation, judgedRules, judgedView } from './judged-version.ts';
import { namespaceStrategy } from './namespaces.ts';
import { ephemeralContainerRules } from './pods/ephemeral-containers.ts';
import { resizeRules } from './pods/resize.ts';
import { serviceStrategy } from './services.ts';
import { unservedWarnings } from './unserved.ts';
import { versionDemandsOf } from './version-demands.ts';
import { schemaExemptions } from './validation/schema-exemptions.ts';
import type { KindRules } from './validation/kind-rules.ts';
import type { Migration } from './validation/migrated-rules.ts';
import { kindRulesOf } from './validation/validation.ts';
import { noWarnings } from './warnings/kind-warnings.ts';
import type { KindWarnings } from './warnings/kind-warnings.ts';
import { kindWarningsOf } from './warnings/warnings.ts';

/** Strategies are made once per kind and version, and kept. Expressions in objects are checked in
 * `language`; without one they are taken as they are. */
export function strategiesOf(
  identity: Identity,
  migration?: Migration,
  language?: Language,
): StrategyOf {
  const initial: Readonly<Record<string, Partial<KindStrategy>>> = initialStateStrategies(identity);
  const replaced: Readonly<Record<string, Partial<KindStrategy>>> = lookup({
    ...initial,
    '/namespaces': namespaceStrategy(identity),
    '/pods': {
      ...initial['/pods'],
      subresources: podSubresources(`${identity.labelDomain}/config.mirror`),
    },
    [identity.fill('apiregistration.{domain}/apiservices')]: apiServiceStrategy(),
    [identity.fill('certificates.{domain}/certificatesigningrequests')]: signingRequestStrategy(),
  });
  const rules = new Map(
    Object.entries(kindRulesOf(identity, migration)).map(([key, own]) => [
      filledKey(key, identity),
      own,
    ]),
  );
  const expressions = new Map(
    Object.entries(language === undefined ? {} : expressionRulesOf(language)).map(([key, own]) => [
      filledKey(key, identity),
      own,
    ]),
  );
  const noticing = new Map(
    Object.entries(kindWarningsOf(identity)).map(([key, own]) => [filledKey(key, identity), own]),
  );
  const stableSlices = identity.fill('discovery.{domain}/v1/endpointslices');
  const ofStableSlices = stableSliceStrategy(identity);
  const definitions = identity.fill('apiextensions.{domain}/customresourcedefinitions');
  const unserved = unservedWarnings(identity);
  const demands = versionDemandsOf(identity);
  const validatorOf = makeTypedValidators(schemaExemptions);
  const made = new WeakMap<KindInfo, KindStrategy>();
  return (kind) => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const key = `${kind.storage.group}/${kind.storage.resource}`;
    const requested = `${kind.group}/${kind.version}/${kind.resource}`;
    const generic = genericStrategy(kind);
    const base = {
      ...generic,
      ...replaced[key],
      ...(key === '/services' ? serviceStrategy(generic) : {}),
      ...(key === definitions ? definitionStrategy(generic) : {}),
      ...(requested === stableSlices ? judgedPreparation(ofStableSlices, kind) : {}),
    };
    const { judged } = kind;
    const view = judgedView(kind);
    const checkSchema = judged === undefined ? nothingWrong : validatorOf(judged.schema);
    const written = both(rules.get(key), demands.get(requested));
    const own = judgedRules(both(written, expressions.get(key)), view);
    const strategy = {
      ...base,
      warnings: warningsOf(noticing.get(key), unserved.get(key), view),
      deletionWarning: requested === 'batch/v1/jobs' ? podsOfJobsStay : undefined,
      ...validation(base, (object) => checkSchema(view(object)), own),
    };
    made.set(kind, strategy);
    return strategy;
  };
}

/** A pod that a node runs from a file of its own says so in an annotation. */
function podSubresources(staticAnnotation: string): Readonly<Record<string, SubresourceRules>> {
  return lookup({
    ephemeralcontainers: ephemeralContainerRules(staticAnnotation),
    resize: resizeRules(staticAnnotation),
  });
}

/** By default: of today's kinds jobs alone keep to that in their stable version. */
const podsOfJobsStay =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background ' +
  'to remove them or set propagationPolicy=Orphan to suppress this warning';

const nothingWrong = (): readonly FieldError[] => noErrors;

/** What the kind says, and what is said of kinds that nothing acts on. A scale is a write to the
 * object. Of other subresources nothing is said. */
function warningsOf(
  { onCreate, onStatusUpdate, onUpdate }: KindWarnings = {},
  ofUnserved: ((next: ApiObject, current?: ApiObject) => readonly string[]) | undefined,
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
  if (ofUnserved === undefined) return ofKind;
  return (next, current, subresource) => {
    const own = ofKind(next, current, subresource);
    return subresource === '' ? [...ofUnserved(next, current), ...own] : own;
  };
}

/** `<group template>/<resource>` under the identity's names. */
function filledKey(key: string, identity: Identity): string {
  const slash = key.lastIndexOf('/');
  return `${identity.fill(key.slice(0, slash))}${key.slice(slash)}`;
}

/** The rules of a resource and the demands of the version that a write comes through. */
function both(rules: KindRules = {}, demands?: KindRules): KindRules {
  if (demands === undefined) return rules;
  return {
    ...rules,
    validateCreate: (object) =>
      together(
        rules.validateCreate?.(object) ?? noErrors,
        demands.validateCreate?.(object) ?? noErrors,
      ),
    validateUpdate: (next, current) =>
      together(
        rules.validateUpdate?.(next, current) ?? noErrors,
        demands.validateUpdate?.(next, current) ?? noErrors,
      ),
    validateStatusUpdate: (next, current) =>
      together(
        rules.validateStatusUpdate?.(next, current) ?? noErrors,
        demands.validateStatusUpdate?.(next, current) ?? noErrors,
      ),
  };
}

/** A field that is missing is said to be so once: by the rule that knows why it is needed. */
function missingOnce(
  ofSchema: readonly FieldError[],
  ofRules: readonly FieldError[],
): readonly FieldError[] {
  if (ofSchema.length === 0 || ofRules.length === 0) return ofSchema;
  const { required } = FieldErrorType;
  const said = new Set(ofRules.flatMap(({ type, field }) => (type === required ? field : [])));
  return ofSchema.filter(({ type, field }) => type !== required || !said.has(field));
}

/** All errors are reported together: rules cope with fields that the schema calls missing. */
function validation(
  base: KindStrategy,
  checkSchema: (object: ApiObject) => readonly FieldError[],
  rules: KindRules,
): Pick<KindStrategy, 'validate' | 'validateUpdate' | 'validateStatusUpdate' | 'subresources'> {
  const validate = (object: ApiObject): readonly FieldError[] => {
    const own = together(base.validate(object), rules.validate?.(object) ?? noErrors);
    return together(missingOnce(checkSchema(object), own), own);
  };
  return {
    validate: (object) => together(validate(object), rules.validateCreate?.(object) ?? noErrors),
    validateUpdate: (next, current) => {
      const changed = together(
        base.validateUpdate(next, current),
        rules.validateUpdate?.(next, current) ?? noErrors,
      );
      return together(validate(next), changed);
    },
    validateStatusUpdate: (next, current) =>
      together(
        base.validateStatusUpdate(next, current),
        rules.validateStatusUpdate?.(next, current) ?? noErrors,
      ),
    subresources: lookup(
      Object.fromEntries(
        Object.entries(base.subresources).map(([name, own]): [string, SubresourceRules] => [
          name,
          {
            ...own,
            validate: (next, current) => together(validate(next), own.validate(next, current)),
          },
        ]),
      ),
    ),
  };
}
