/**
 * The catalogue: the generated rows of every built-in kind as values, and those that definitions
 * add, with the life cycle that they add to them (spec 2, sections 3.3 and 9.3).
 *
 * Which rows are served, under which identity and how they behave is decided in build-scheme.ts.
 * Group names are templates here (`rbac.authorization.{domain}`).
 *
 * Invariants: a malformed row is a broken build and fails at start, not a request.
 */
import { assert } from '../stdx/assert.ts';
import { builtInGroups } from './groups.ts';
import type { GroupDefinition } from './kind-definition.ts';
import { kindRows } from './kinds.gen.ts';
import { stabilityOf } from './runtime-config.ts';

export interface CatalogueKind {
  /** Template: '' for core, `{domain}` still in it. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Name of its type among the catalogue's types: `core/v1.Pod`. */
  readonly type: string;
  /** Minor releases of 1. */
  readonly introduced: number | undefined;
  readonly deprecated: number | undefined;
  readonly removed: number | undefined;
  readonly replacement: CatalogueReplacement | undefined;
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Preferred in its first release already (GroupVersionDefinition). */
  readonly preferredAtOnce?: true | undefined;
}

export interface CatalogueReplacement {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Minor releases from introduction to deprecation, and from there to removal, of a version that
 * is not stable, unless its row says otherwise (spec 2, section 9.1, rule 4a). */
const prereleaseWindow = 3;

/** The rows of the facts for these groups, then those that their definitions add. */
export function parseCatalogue(groups: readonly GroupDefinition[]): readonly CatalogueKind[] {
  const added = groups.flatMap(({ group, types, kinds }) =>
    kinds.flatMap((kind) =>
      kind.added === undefined ? [] : [`group ${group || '-'} ${types}`, kind.added.kinds],
    ),
  );
  return parseRows([kindRows, ...added].join('\n'), new Map(groups.map((g) => [g.group, g])));
}

/** Of the built-in groups. */
export const catalogue: readonly CatalogueKind[] = parseCatalogue(builtInGroups);

/** `<group template>/<resource>`: how definitions name a resource. */
export function resourceKey(kind: { readonly group: string; readonly resource: string }): string {
  return `${kind.group}/${kind.resource}`;
}

type Groups = ReadonlyMap<string, GroupDefinition>;

function parseRows(text: string, groups: Groups): readonly CatalogueKind[] {
  const kinds: CatalogueKind[] = [];
  let group = '';
  let typePackage = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('group ')) {
      const [, name = '', types = ''] = line.split(' ');
      group = name === '-' ? '' : name;
      typePackage = types;
      continue;
    }
    kinds.push(parseRow(line, group, typePackage, groups.get(group)));
  }
  return kinds;
}

function parseRow(
  line: string,
  group: string,
  typePackage: string,
  defined: GroupDefinition | undefined,
): CatalogueKind {
  const [version, kind, resource, scope, ...rest] = line.split(' ');
  assert(
    version !== undefined && kind !== undefined && resource !== undefined && scope !== undefined,
    `malformed catalogue row: ${line}`,
  );
  const attributes = new Map(
    rest.map((part): [string, string] => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
  const list = (name: string) => attributes.get(name)?.split(',') ?? [];
  const release = (name: string) => {
    const value = attributes.get(name);
    return value === undefined ? undefined : Number(value);
  };
  const use = attributes.get('use');
  const ofGroup = defined?.versions?.[version];
  const own = defined?.kinds.find((each) => each.resource === `${group}/${resource}`)?.versions?.[
    version
  ];
  const isAnnounced = ofGroup?.introduced !== undefined;
  const window = stabilityOf(version) === 'ga' || isAnnounced ? undefined : prereleaseWindow;
  const introduced = ofGroup?.introduced ?? release('since');
  const deprecated = release('old') ?? own?.deprecated ?? later(introduced, window);
  const replacement = use ?? own?.replacement;
  return {
    group,
    version,
    kind,
    resource,
    namespaced: scope === 'namespaced',
    type: `${typePackage}/${version}.${kind}`,
    introduced,
    deprecated,
    removed: release('gone') ?? ofGroup?.removed ?? later(deprecated, window),
    replacement: replacement === undefined ? undefined : parseReplacement(replacement, group, kind),
    subresources: list('sub'),
    shortNames: list('short'),
    categories: list('in'),
    ...(ofGroup?.preferredAtOnce ? { preferredAtOnce: true } : {}),
  };
}

function later(release: number | undefined, window: number | undefined): number | undefined {
  return release === undefined || window === undefined ? undefined : release + window;
}

function parseReplacement(text: string, group: string, kind: string): CatalogueReplacement {
  const parts = text.split('/');
  if (parts.length === 1) return { group, version: text, kind };
  const [otherGroup = '', version = '', otherKind = kind] = parts;
  return { group: otherGroup, version, kind: otherKind };
}
