/**
 * Which kind has its own strategy: the generic one, with the functions that a kind replaces, and
 * with what is checked of every kind: its schema first, then the rules that are written for it.
 *
 * What it is not: the rules themselves; each lives with its kind.
 */
import { noErrors, together } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { makeTypedValidators } from '../apimachinery/typed/validate-typed.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { genericStrategy } from '../registry/strategy.ts';
import type { KindStrategy, StrategyOf, SubresourceRules } from '../registry/strategy.ts';
import { apiServiceStrategy } from './api-services.ts';
import { signingRequestStrategy } from './certificate-signing-requests.ts';
import { stableSliceStrategy } from './endpoint-slices.ts';
import { initialStateStrategies } from './initial-state.ts';
import { judgedPreparation, judgedRules, judgedView } from './judged-version.ts';
import { namespaceStrategy } from './namespaces.ts';
import { ephemeralContainerRules } from './pods/ephemeral-containers.ts';
import { resizeRules } from './pods/resize.ts';
import { secretStrategy } from './secrets.ts';
import { serviceStrategy } from './services.ts';
import { versionDemandsOf } from './version-demands.ts';
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
    [identity.fill('apiregistration.{domain}/apiservices')]: apiServiceStrategy(),
    [identity.fill('certificates.{domain}/certificatesigningrequests')]: signingRequestStrategy(),
    '/secrets': secretStrategy(),
  };
  const rules = new Map(
    Object.entries(kindRulesOf(identity, migration)).map(([key, own]) => [
      filledKey(key, identity),
      own,
    ]),
  );
  const stableSlices = identity.fill('discovery.{domain}/v1/endpointslices');
  const ofStableSlices = stableSliceStrategy(identity);
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
      ...(requested === stableSlices ? judgedPreparation(ofStableSlices, kind) : {}),
    };
    const { judged } = kind;
    const view = judgedView(kind);
    const checkSchema = judged === undefined ? nothingWrong : validatorOf(judged.schema);
    const own = judgedRules(both(rules.get(key), demands.get(requested)), view);
    const strategy = {
      ...base,
      ...validation(base, (object) => checkSchema(view(object)), own),
    };
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

const nothingWrong = (): readonly FieldError[] => noErrors;

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

/** All errors are reported together: rules cope with fields that the schema calls missing. */
function validation(
  base: KindStrategy,
  checkSchema: (object: ApiObject) => readonly FieldError[],
  rules: KindRules,
): Pick<KindStrategy, 'validate' | 'validateUpdate' | 'validateStatusUpdate' | 'subresources'> {
  const validate = (object: ApiObject): readonly FieldError[] => {
    const errors = checkSchema(object);
    const own = base.validate(object);
    return together(errors, own, rules.validate?.(object) ?? noErrors);
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
    subresources: Object.fromEntries(
      Object.entries(base.subresources).map(([name, own]): [string, SubresourceRules] => [
        name,
        {
          ...own,
          validate: (next, current) => together(validate(next), own.validate(next, current)),
        },
      ]),
    ),
  };
}
