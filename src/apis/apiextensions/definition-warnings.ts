/** Warnings to the writer of a definition that is accepted. */
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { versionSchemas } from '../../apiextensions/acceptance/version-schemas.ts';
import { factsOf } from '../../apiextensions/acceptance/schema-facts.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';

const warningsMax = 20;

export const definitionWarnings: KindWarnings = {
  onCreate: (definition) => formatWarnings(formatsOf(definition)),
  onUpdate: (next, current) => {
    const before = new Set(formatsOf(current));
    return formatWarnings(formatsOf(next).filter((format) => !before.has(format)));
  },
};

function formatsOf(definition: ApiObject): readonly string[] {
  const found = new Set<string>();
  for (const { schema } of versionSchemas(definition)) {
    for (const format of factsOf(schema).unknownFormats) found.add(format);
  }
  return [...found].sort();
}

function formatWarnings(formats: readonly string[]): readonly string[] {
  return formats.slice(0, warningsMax).map((format) => `unrecognized format ${quote(format)}`);
}
