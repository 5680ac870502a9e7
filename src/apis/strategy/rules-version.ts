/**
 * Shows the rules of a resource the version that they are written for, whichever version a release
 * stores: a release that knows a version for the first time still stores the one before (spec 2,
 * section 9.1, rule 4b), and holds what comes through either to the rules of later ones.
 *
 * Elsewhere: the choice of that version (kind-info.ts) and the rules of one version alone
 * (VersionDefinition).
 *
 * Invariants: objects that are stored in that version are passed on as they are; what a wrapped
 * function prepares comes back in the version it was given in. Pure.
 */
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Preparation } from '../kind-definition.ts';
import type { DropGated } from './drop-gated.ts';
import type { KindRules } from '../validation/kind-rules.ts';

type View = (object: ApiObject) => ApiObject;

const asStored: View = (object) => object;

/** An object of the kind, in any of its versions, in the one that rules see. */
export function rulesView({ rulesVersion, conversions }: KindInfo): View {
  if (rulesVersion === undefined) return asStored;
  const { apiVersion } = rulesVersion;
  return (object) => objectAtVersion(object, apiVersion, conversions);
}

export function rulesInRulesVersion(rules: KindRules, view: View): KindRules {
  const { prepareValidation, validate, validateCreate } = rules;
  const { validateStatusUpdate, validateUpdate } = rules;
  return {
    validate: validate && ((object) => validate(view(object))),
    validateCreate: validateCreate && ((object) => validateCreate(view(object))),
    validateUpdate:
      validateUpdate && ((next, current) => validateUpdate(view(next), view(current))),
    validateStatusUpdate:
      validateStatusUpdate && ((next, current) => validateStatusUpdate(view(next), view(current))),
    prepareValidation:
      prepareValidation &&
      ((next, current) => prepareValidation(view(next), current && view(current))),
  };
}

/** Likewise for what a version completes or drops. */
export function preparationInRulesVersion(
  own: Partial<Preparation>,
  kind: KindInfo,
): Partial<Preparation> {
  const { prepareForCreate, prepareForUpdate } = own;
  const view = rulesView(kind);
  const back = (object: ApiObject, given: ApiObject): ApiObject =>
    objectAtVersion(object, given.apiVersion, kind.conversions);
  return {
    ...(prepareForCreate && {
      prepareForCreate: (object, user) => back(prepareForCreate(view(object), user), object),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (next, current, nowMs) =>
        back(prepareForUpdate(view(next), view(current), nowMs), next),
    }),
  };
}

/** Likewise for what is taken out; most objects have nothing of it. */
export function droppingInRulesVersion(drop: DropGated, kind: KindInfo): DropGated {
  if (kind.rulesVersion === undefined) return drop;
  const view = rulesView(kind);
  return (next, current) => {
    const seen = view(next);
    const made = drop(seen, current && view(current));
    return made === seen ? next : objectAtVersion(made, next.apiVersion, kind.conversions);
  };
}
