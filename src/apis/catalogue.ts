/**
 * The catalogue: the generated rows of every built-in kind as values, and those that are added by
 * hand, with the life cycle that the specification adds to them (spec 2, sections 3.3 and 9.3).
 *
 * What it is not: a scheme. Which rows are served, under which identity and how they behave is
 * build-scheme.ts. Group names are templates here (`rbac.authorization.{domain}`).
 *
 * Invariants: a malformed row is a broken build and fails at start, not a request.
 */
import { assert } from '../stdx/assert.ts';
import { addedKindRows } from './added-kinds.ts';
import { kindRows } from './kinds.gen.ts';
import {
  earlierIntroductions,
  endlessDeprecations,
  laterReplacements,
  lifecycles,
  prereleaseWindow,
} from './lifecycle.ts';
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
}

export interface CatalogueReplacement {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What the facts have first. */
export const catalogue: readonly CatalogueKind[] = parseRows(`${kindRows}${addedKindRows}`);

/** `<group template>/<resource>`: how the hand-written tables of this folder name a resource. */
export function resourceKey(kind: { readonly group: string; readonly resource: string }): string {
  return `${kind.group}/${kind.resource}`;
}

function parseRows(text: string): readonly CatalogueKind[] {
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
    kinds.push(parseRow(line, group, typePackage));
  }
  return kinds;
}

function parseRow(line: string, group: string, typePackage: string): CatalogueKind {
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
  const more = lifecycles.get(`${group}/${version}`);
  const window = stabilityOf(version) === 'ga' || more !== undefined ? undefined : prereleaseWindow;
  const introduced =
    earlierIntroductions.get(`${group}/${version}`) ?? release('since') ?? more?.introduced;
  const deprecated =
    release('old') ??
    endlessDeprecations.get(`${group}/${version}/${kind}`) ??
    later(introduced, window);
  const replacement = use ?? laterReplacements.get(`${group}/${version}/${kind}`);
  return {
    group,
    version,
    kind,
    resource,
    namespaced: scope === 'namespaced',
    type: `${typePackage}/${version}.${kind}`,
    introduced,
    deprecated,
    removed: release('gone') ?? more?.removed ?? later(deprecated, window),
    replacement: replacement === undefined ? undefined : parseReplacement(replacement, group, kind),
    subresources: list('sub'),
    shortNames: list('short'),
    categories: list('in'),
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
