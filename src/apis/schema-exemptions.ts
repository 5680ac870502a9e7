/**
 * Exceptions from schemas, collected from the definitions: fields that the reference accepts
 * although the schema of the kind calls them missing or unknown.
 */
import type { SchemaExemptions } from '../apimachinery/typed/validate-typed.ts';
import type { KindSet } from './kind-set.ts';

/** Whoever has a selector checks it (validation/labels.ts), except where nobody does. */
const selectorOperator = 'meta.LabelSelectorRequirement.operator';
const ofSelectors = `meta.LabelSelectorRequirement.key ${selectorOperator}`;

export function schemaExemptionsOf({ definitions, groups }: KindSet): SchemaExemptions {
  return {
    optional: names([ofSelectors, ...definitions.map((kind) => kind.schemaExemptions?.optional)]),
    openValues: names([
      selectorOperator,
      ...definitions.map((kind) => kind.schemaExemptions?.openValues),
    ]),
    // Their rules are written out by hand, message by message.
    packages: new Set(
      groups.filter((group) => group.validatesEachVersion === true).map(({ types }) => types),
    ),
  };
}

function names(texts: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text = '') => text.split(/\s+/).filter((name) => name !== '')));
}
