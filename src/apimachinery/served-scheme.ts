/**
 * A scheme in which kinds that users define come and go while a server runs, beside those that are
 * always there.
 *
 *     always ── makeScheme, unchanged ──┐
 *     defined: definition ▶ its kinds ──┴▶ one Scheme, asked by everybody
 *
 * Elsewhere: what a definition says (src/apiextensions), and who hears of definitions.
 *
 * Invariants: whoever holds the scheme sees each change as a whole, from one step to the next, and
 * goes on with the KindInfo that it has. A kind that is always there is found first, at the cost
 * that it had, and is never hidden by a defined one. Kinds, versions and groups that a change does
 * not touch stay the same objects.
 * Bounds: a change costs the same however many definitions there are; the lists over its group and
 * over everything are made when they are next asked for. Only versions that have come since are
 * sorted for them, because what is defined is kept in its order, and the name of a version is read
 * once; of a group the versions that have changed are looked at, and the others listed. Small
 * groups are made with the change, so that whoever asks first has not thousands of them to make.
 */
import { indexFor } from '../stdx/sorted-list.ts';
import type { GroupResource } from './schema.ts';
import { allSelectable, compareText, makeScheme, selectableValues } from './scheme.ts';
import type {
  GroupInfo,
  KindInfo,
  Scheme,
  SchemeChange,
  SelectableField,
  VersionInfo,
} from './scheme.ts';

export interface ServedScheme extends Scheme {
  /** What a definition is served as from now on, at each of its versions, and at the one that is
   * stored, served or not; undefined: not at all. Kinds whose place is taken by one that is always
   * there are left out. */
  define(definition: string, kinds: readonly KindInfo[], stored: KindInfo | undefined): void;
  /** Whether a kind that is always there has this place in the store. */
  isBuiltIn(resource: GroupResource): boolean;
}

/** `orderKey`: of the name of a version. As texts, no two the same, they stand as the versions do:
 * preferred first. */
export function serveScheme(
  always: readonly GroupInfo[],
  orderKey: (version: string) => string,
): ServedScheme {
  return new Served(always, orderKey);
}

/** All that is defined of one resource. */
interface Defined {
  readonly kinds: readonly KindInfo[];
  /** As findStorage gives it. */
  readonly stored: KindInfo;
  /** Made when it is first asked for: it may have to read the definition. */
  selectable: readonly SelectableField[] | undefined;
}

/** What is defined in one group. By names in maps: every write asks several times, so no text is
 * made of them. */
interface DefinedGroup {
  readonly definitions: Set<string>;
  /** By resource. */
  readonly stored: Map<string, Defined>;
  readonly versions: Map<string, DefinedNames>;
  /** Those that are not always there, as of then, preferred first. */
  ordered: readonly OrderedVersion[];
  /** Those that have come since, by name. */
  readonly come: Map<string, OrderedVersion>;
  /** Of all versions in which something is defined, as of when they were last asked for. */
  readonly made: Map<string, VersionInfo>;
  /** The names of those that have changed since. */
  readonly changed: Set<string>;
}

interface OrderedVersion {
  readonly version: string;
  readonly key: string;
}

interface DefinedNames {
  readonly byResource: Map<string, KindInfo>;
  readonly byKind: Map<string, KindInfo>;
  /** Those of `byResource`, by resource. */
  readonly sorted: KindInfo[];
}

/** With so many definitions a group is made anew at each change of it. */
const smallGroupMax = 16;

class Served implements ServedScheme {
  readonly #always: Scheme;
  readonly #orderKey: (version: string) => string;
  readonly #byDefinition = new Map<string, Defined>();
  readonly #defined = new Map<string, DefinedGroup>();
  /** The names of those, sorted. */
  readonly #definedNames: string[] = [];
  /** What is defined, sorted. */
  readonly #definedStorage: GroupResource[] = [];
  /** Those in which something is defined, as of when they were last asked for. */
  readonly #groups = new Map<string, GroupInfo>();
  /** Those that have changed since. */
  readonly #stale = new Set<string>();
  readonly #listeners = new Set<(change: SchemeChange) => void>();
  #allGroups: readonly GroupInfo[] | undefined;
  #allKinds: readonly KindInfo[] | undefined;
  #allStored: readonly GroupResource[] | undefined;
  #generation = 0;

  constructor(always: readonly GroupInfo[], orderKey: (version: string) => string) {
    this.#always = makeScheme(always);
    this.#orderKey = orderKey;
  }

  get generation(): number {
    return this.#generation;
  }

  onChange(listener: (change: SchemeChange) => void): () => void {
    // Each call is a listener of its own, whoever calls.
    const own = (change: SchemeChange): void => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  isBuiltIn(resource: GroupResource): boolean {
    return this.#always.findStorage(resource) !== undefined;
  }

  define(definition: string, kinds: readonly KindInfo[], stored: KindInfo | undefined): void {
    const before = this.#byDefinition.get(definition);
    const next = stored && this.#definedOf(kinds, stored);
    if (before === undefined && next === undefined) return;
    if (before !== undefined) this.#remove(definition, before);
    if (next !== undefined) this.#add(definition, next);
    if (before !== undefined) this.#dropEmpty(before.stored.group);
    this.#generation += 1;
    this.#allGroups = this.#allKinds = this.#allStored = undefined;
    for (const each of [before, next]) if (each !== undefined) this.#changed(each.stored.group);
    const change: SchemeChange = {
      added: next === undefined ? [] : [next.stored],
      removed: before === undefined ? [] : [before.stored],
      versions: new Set([before, next].flatMap(versionsOf)),
    };
    for (const listener of [...this.#listeners]) listener(change);
  }

  get groups(): readonly GroupInfo[] {
    for (const group of this.#stale) this.#definedGroup(group);
    this.#allGroups ??= [
      ...this.#always.groups.map((group) => this.#groups.get(group.group) ?? group),
      ...this.#definedNames.flatMap((name) => {
        const group = this.#groups.get(name);
        return group === undefined || this.#always.findGroup(name) !== undefined ? [] : [group];
      }),
    ];
    return this.#allGroups;
  }

  get kinds(): readonly KindInfo[] {
    this.#allKinds ??= this.groups.flatMap(({ versions }) =>
      versions.flatMap(({ kinds }) => kinds),
    );
    return this.#allKinds;
  }

  get storageResources(): readonly GroupResource[] {
    // Two lists that are sorted: to merge them is all that there is to do.
    this.#allStored ??= [...this.#always.storageResources, ...this.#definedStorage].sort(
      (a, b) => compareText(a.group, b.group) || compareText(a.resource, b.resource),
    );
    return this.#allStored;
  }

  findGroup(group: string): GroupInfo | undefined {
    return this.#definedGroup(group) ?? this.#always.findGroup(group);
  }

  findVersion(group: string, version: string): VersionInfo | undefined {
    this.#definedGroup(group);
    const defined = this.#defined.get(group)?.made.get(version);
    return defined ?? this.#always.findVersion(group, version);
  }

  findResource(group: string, version: string, resource: string): KindInfo | undefined {
    return (
      this.#always.findResource(group, version, resource) ??
      this.#defined.get(group)?.versions.get(version)?.byResource.get(resource)
    );
  }

  findKind(group: string, version: string, kind: string): KindInfo | undefined {
    return (
      this.#always.findKind(group, version, kind) ??
      this.#defined.get(group)?.versions.get(version)?.byKind.get(kind)
    );
  }

  findStorage(resource: GroupResource): KindInfo | undefined {
    return this.#always.findStorage(resource) ?? this.#storedAs(resource)?.stored;
  }

  fieldsOf(
    resource: GroupResource,
    object: Parameters<Scheme['fieldsOf']>[1],
  ): Readonly<Record<string, string>> {
    const defined = this.#storedAs(resource);
    if (defined === undefined) return this.#always.fieldsOf(resource, object);
    defined.selectable ??= allSelectable(defined.kinds);
    return selectableValues(defined.selectable, object);
  }

  #storedAs({ group, resource }: GroupResource): Defined | undefined {
    return this.#defined.get(group)?.stored.get(resource);
  }

  #definedOf(given: readonly KindInfo[], unserved: KindInfo): Defined | undefined {
    const always = this.#always;
    if (always.findStorage(unserved.storage) !== undefined) return undefined;
    const kinds = given.filter(
      ({ group, version, resource, kind }) =>
        always.findResource(group, version, resource) === undefined &&
        always.findKind(group, version, kind) === undefined,
    );
    const stored =
      kinds.find(({ version, storageVersion }) => version === storageVersion) ??
      kinds[0] ??
      unserved;
    return { kinds, stored, selectable: undefined };
  }

  #add(definition: string, defined: Defined): void {
    const { kinds, stored } = defined;
    this.#byDefinition.set(definition, defined);
    const group = this.#defined.get(stored.group) ?? this.#newGroup(stored.group);
    group.definitions.add(definition);
    group.stored.set(stored.storage.resource, defined);
    const at = indexFor(this.#definedStorage, sortName(stored.storage), sortName);
    this.#definedStorage.splice(at, 0, stored.storage);
    for (const each of kinds) {
      const names = group.versions.get(each.version) ?? this.#newVersion(group, each);
      group.changed.add(each.version);
      names.byResource.set(each.resource, each);
      names.byKind.set(each.kind, each);
      names.sorted.splice(indexFor(names.sorted, each.resource, resourceOf), 0, each);
    }
  }

  #remove(definition: string, { kinds, stored }: Defined): void {
    this.#byDefinition.delete(definition);
    const group = this.#defined.get(stored.group);
    if (group === undefined) return;
    group.definitions.delete(definition);
    group.stored.delete(stored.storage.resource);
    const at = indexFor(this.#definedStorage, sortName(stored.storage), sortName);
    this.#definedStorage.splice(at, 1);
    for (const each of kinds) {
      const names = group.versions.get(each.version);
      if (names === undefined) continue;
      names.byResource.delete(each.resource);
      names.sorted.splice(indexFor(names.sorted, each.resource, resourceOf), 1);
      // Another definition may have the name by now.
      if (names.byKind.get(each.kind) === each) names.byKind.delete(each.kind);
      group.changed.add(each.version);
      if (names.byResource.size + names.byKind.size > 0) continue;
      group.versions.delete(each.version);
      group.come.delete(each.version);
    }
  }

  #dropEmpty(group: string): void {
    if (this.#defined.get(group)?.definitions.size !== 0) return;
    this.#defined.delete(group);
    this.#definedNames.splice(indexFor(this.#definedNames, group, itself), 1);
  }

  #newVersion(of: DefinedGroup, { group, version }: KindInfo): DefinedNames {
    const names = emptyNames();
    of.versions.set(version, names);
    if (this.#always.findVersion(group, version) === undefined) {
      of.come.set(version, { version, key: this.#orderKey(version) });
    }
    return names;
  }

  #newGroup(name: string): DefinedGroup {
    const group: DefinedGroup = {
      definitions: new Set(),
      stored: new Map(),
      versions: new Map(),
      ordered: [],
      come: new Map(),
      made: new Map(),
      changed: new Set(),
    };
    this.#defined.set(name, group);
    this.#definedNames.splice(indexFor(this.#definedNames, name, itself), 0, name);
    return group;
  }

  #changed(group: string): void {
    this.#stale.add(group);
    const { size } = this.#defined.get(group)?.definitions ?? noDefinitions;
    if (size <= smallGroupMax) this.#definedGroup(group);
  }

  #definedGroup(group: string): GroupInfo | undefined {
    if (this.#stale.delete(group)) this.#remakeGroup(group);
    return this.#groups.get(group);
  }

  /** Versions in which nothing has changed stay as they are. */
  #remakeGroup(group: string): void {
    const defined = this.#defined.get(group);
    if (defined === undefined || defined.versions.size === 0) {
      this.#groups.delete(group);
      defined?.made.clear();
      return;
    }
    const { changed, made, versions } = defined;
    for (const name of changed) {
      const more = versions.get(name)?.sorted;
      const always = this.#always.findVersion(group, name)?.kinds ?? [];
      if (more === undefined) made.delete(name);
      else made.set(name, versionOf(name, merged(always, more), made.get(name)));
    }
    changed.clear();
    const always = this.#always.findGroup(group)?.versions ?? [];
    const mixed = always.map((each) => made.get(each.version) ?? each);
    defined.ordered = inOrder(defined);
    defined.come.clear();
    const own = defined.ordered.map(({ version }) => made.get(version) as VersionInfo);
    this.#groups.set(group, { group, versions: [...mixed, ...own] });
  }
}

const noDefinitions: ReadonlySet<string> = new Set();

const itself = (name: string): string => name;
const resourceOf = ({ resource }: KindInfo): string => resource;
/** Orders as group and resource do: NUL is in neither. */
const sortName = ({ group, resource }: GroupResource): string => `${group}\0${resource}`;

function versionsOf(defined: Defined | undefined): readonly string[] {
  return defined?.kinds.map(({ version }) => version) ?? [];
}

function emptyNames(): DefinedNames {
  return { byResource: new Map(), byKind: new Map(), sorted: [] };
}

/** Those that are there. One that went and came again is among both. */
function inOrder({ come, ordered, versions }: DefinedGroup): readonly OrderedVersion[] {
  const all: OrderedVersion[] = [];
  const add = (each: OrderedVersion | undefined): void => {
    if (each === undefined || all.at(-1)?.key === each.key) return;
    if (versions.has(each.version)) all.push(each);
  };
  let at = 0;
  for (const each of [...come.values()].sort((a, b) => compareText(a.key, b.key))) {
    while (at < ordered.length && (ordered[at] as OrderedVersion).key < each.key)
      add(ordered[at++]);
    add(each);
  }
  while (at < ordered.length) add(ordered[at++]);
  return all;
}

function merged(a: readonly KindInfo[], b: readonly KindInfo[]): readonly KindInfo[] {
  if (a.length === 0) return [...b];
  return [...a, ...b].sort((x, y) => compareText(x.resource, y.resource));
}

function versionOf(
  version: string,
  kinds: readonly KindInfo[],
  before: VersionInfo | undefined,
): VersionInfo {
  const same =
    before?.kinds.length === kinds.length && kinds.every((kind, at) => kind === before.kinds[at]);
  return same ? before : { version, kinds };
}
