/**
 * A whole kind in one file: what docs/adding-a-kind.md describes, and what the test serves.
 * Lighthouses, in a group of their own, in two versions.
 */
import { invalid } from '../../src/apimachinery/field-error.ts';
import { part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { GroupDefinition, KindDefinition } from '../../src/apis/kind-definition.ts';
import { ageColumn, column, nameColumn, table } from '../../src/apis/tables/columns.ts';
import { printedAt } from '../../src/apis/tables/fields.ts';

const kinds = `
v1 Lighthouse lighthouses namespaced since=30 sub=status short=lh in=all
v1beta1 Lighthouse lighthouses namespaced since=21 old=31 use=v1 sub=status short=lh in=all
`;

const types = ['v1', 'v1beta1'].map(
  (version) => `
package coast/${version}
Lighthouse kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LighthouseSpec
 status 3 LighthouseStatus
LighthouseList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Lighthouse !
LighthouseSpec
 ${version === 'v1' ? 'colour' : 'color'} 1 string
 flashes 2 int32 ?
LighthouseStatus
 lit 1 boolean
`,
);

const colours = ['green', 'red', 'white'];

function renamed(from: string, to: string) {
  return (object: JsonObject): JsonObject => {
    const { [from]: value, ...spec } = part(object, 'spec');
    return value === undefined ? object : { ...object, spec: { ...spec, [to]: value } };
  };
}

const lighthouses: KindDefinition = {
  resource: 'coast.example/lighthouses',
  added: { kinds, types: types.join('') },
  tracksGeneration: true,
  selectableFields: 'spec.colour!white',
  defaults: {
    fields: {
      'coast/v1.LighthouseSpec': { colour: 'white', flashes: 1 },
      'coast/v1beta1.LighthouseSpec': { color: 'white', flashes: 1 },
    },
  },
  validation: {
    validate(object) {
      const colour = text(part(object, 'spec'), 'colour');
      if (colours.includes(colour)) return [];
      return [invalid('spec.colour', colour, `must be one of ${colours.join(', ')}`)];
    },
  },
  warnings: {
    onCreate: (object) =>
      text(part(object, 'spec'), 'colour') === 'red' ? ['red is seen less far than white'] : [],
  },
  strategy: () => ({ prepareForCreate: (object) => ({ ...object, status: { lit: false } }) }),
  table: table([
    nameColumn,
    column('Colour', 'Colour of the light.', (object) => printedAt(object, 'spec', 'colour')),
    ageColumn,
  ]),
  unserved: [{ says: 'no ship is warned by this one' }],
  versions: {
    v1beta1: {
      conversion: { toHub: renamed('color', 'colour'), fromHub: renamed('colour', 'color') },
    },
  },
};

export const coastGroup: GroupDefinition = {
  group: 'coast.example',
  types: 'coast',
  priority: 1000,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 } },
  kinds: [lighthouses],
  descriptions: `
coast.LighthouseSpec What the light looks like.
  colour Its colour.
`,
};
