/** The rules of every kind as the definitions have them, for tests that run them by themselves. */
import type { Identity } from '../../src/apimachinery/identity.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { kindRulesOf, versionRulesOf } from '../../src/apis/validation/definition-rules.ts';
import type { KindRules } from '../../src/apis/validation/kind-rules.ts';

const { catalogue, definitionOf, definitions } = builtInKinds;

/** By `<group template>/<resource>`. */
export function rulesByResource(identity: Identity): Readonly<Record<string, KindRules>> {
  return Object.fromEntries(
    definitions
      .filter((each) => each.validation !== undefined)
      .map((each) => [each.resource, kindRulesOf(each, identity)]),
  );
}

/** By `<group>/<version>/<resource>` of a request. */
export function rulesByVersion(identity: Identity): ReadonlyMap<string, KindRules> {
  return new Map(
    catalogue.flatMap(({ group, version, resource }): (readonly [string, KindRules])[] => {
      const own = definitionOf(`${group}/${resource}`).versions?.[version];
      const rules = own && versionRulesOf(own, identity);
      return rules === undefined
        ? []
        : [[`${identity.fill(group)}/${version}/${resource}`, rules] as const];
    }),
  );
}
