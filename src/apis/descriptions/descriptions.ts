/**
 * What types and fields are for, in a sentence each: `kubectl explain` shows them, from OpenAPI.
 *
 *     apps.DeploymentSpec The desired state. a type, without its version, and its text
 *       replicas How many pods to run.       a field of it
 *         Text that goes on.                 four columns in: the text before goes on
 *     core.A+core.B                          the fields that follow are of both
 *     *Condition                             of every type whose name ends so, without another text
 *
 * Types that few people write have no texts. A name that no type has fails the tests.
 */
import type { Describe } from '../../apimachinery/openapi/definitions.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { GroupDefinition } from '../kind-definition.ts';
import { builtInGroups } from '../groups.ts';
import { metaDescriptions } from './meta.ts';

interface Described {
  text: string | undefined;
  readonly fields: Map<string, string>;
}

type Descriptions = ReadonlyMap<string, Described>;

/** By name of a type without its version, or `*` and how names end. */
export const described: Descriptions = parse(textsOf(builtInGroups));

function textsOf(groups: readonly GroupDefinition[]): string {
  return [metaDescriptions, ...groups.map((group) => group.descriptions ?? '')].join('');
}

/** Fields of every kind and list. */
const ofEveryKind: Readonly<Record<string, string>> = lookup({
  metadata: "Standard object's metadata: its name, labels, owners and so on.",
  spec: 'The desired state.',
  status: 'What was last seen of it. Controllers write it.',
});
const ofEveryList: Readonly<Record<string, string>> = lookup({
  metadata: 'Which state the list shows, and where it goes on.',
  items: 'The objects.',
});

/** Of the built-in groups. */
export const describe: Describe = describing(described);

/** Of these groups. */
export function describeGroups(groups: readonly GroupDefinition[]): Describe {
  return groups === builtInGroups ? describe : describing(parse(textsOf(groups)));
}

function describing(all: Descriptions): Describe {
  return {
    type: (name) => lookUp(all, name, (each) => each.text),
    field(owners, { name, type }) {
      for (const owner of owners) {
        const found = lookUp(all, owner, (each) => each.fields.get(name));
        if (found !== undefined) return found;
      }
      if (owners.some((owner) => owner.endsWith('List'))) return ofEveryList[name];
      return type.kind === 'object' ? ofEveryKind[name] : undefined;
    },
  };
}

function lookUp(
  all: Descriptions,
  typeName: string,
  of: (described: Described) => string | undefined,
): string | undefined {
  const name = typeName.replace(/\/[^.]+/, '');
  const exact = all.get(name);
  const found = exact && of(exact);
  if (found !== undefined) return found;
  for (const [key, each] of all) {
    if (key.startsWith('*') && name.endsWith(key.slice(1))) return of(each);
  }
  return undefined;
}

function parse(text: string): ReadonlyMap<string, Described> {
  const all = new Map<string, Described>();
  let current: readonly Described[] = [];
  let field: string | undefined;
  const add = (more: string): void => {
    for (const type of current) {
      const before = field === undefined ? type.text : type.fields.get(field);
      const said = before === undefined ? more : `${before} ${more}`;
      if (field === undefined) type.text = said;
      else type.fields.set(field, said);
    }
  };
  for (const line of text.split('\n')) {
    const [, indent = '', name = '', rest = ''] = /^( *)(\S*) ?(.*)$/s.exec(line) ?? [];
    if (name === '') continue;
    if (indent.length >= 4) {
      add(line.trim());
      continue;
    }
    field = indent === '' ? undefined : name;
    if (indent === '') current = name.split('+').map((each) => entryOf(all, each));
    if (rest !== '') add(rest);
  }
  return all;
}

function entryOf(all: Map<string, Described>, name: string): Described {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made: Described = { text: undefined, fields: new Map() };
  all.set(name, made);
  return made;
}
