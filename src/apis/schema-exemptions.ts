/**
 * Exceptions from schemas, collected from the definitions: fields that the reference accepts
 * although the schema of the kind calls them missing or unknown.
 */
import type { SchemaExemptions } from '../apimachinery/typed/validate-typed.ts';
import type { KindSet } from './kind-set.ts';
import { selectorExemptions } from './validation/labels.ts';

export function schemaExemptionsOf({ definitions, groups }: KindSet): SchemaExemptions {
  const ofKinds = definitions.flatMap((kind) => kind.schemaExemptions ?? []);
  const exemptions = [...ofKinds, selectorExemptions];
  return {
    optional: names(exemptions.map(({ optional }) => optional)),
    openValues: names(exemptions.map(({ openValues }) => openValues)),
    // Their rules are written out by hand, message by message.
    packages: new Set(
      groups.filter((group) => group.validatesEachVersion === true).map(({ types }) => types),
    ),
  };
}

function names(texts: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text = '') => text.split(/\s+/).filter((name) => name !== '')));
}
