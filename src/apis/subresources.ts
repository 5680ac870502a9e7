/**
 * Subresources and operations that the facts leave out, and what each is written with.
 *
 * What it is not: which of them are answered, with which verbs (verbs.ts), nor what they do.
 * Keys are `<group template>/<resource>`. Spec 1, sections 1.3 and 4.1.
 */
import type { CatalogueKind } from './catalogue.ts';
import { resourceKey } from './catalogue.ts';
import { servedSubresources } from './verbs.ts';

/** Subresources beside those of the facts. */
const more: Readonly<Record<string, readonly string[]>> = {
  '/namespaces': ['finalize'],
  '/pods': ['binding', 'eviction'],
  'certificates.{domain}/certificatesigningrequests': ['approval'],
};

/** Minor releases of 1 that had a subresource first, where its kind is older. */
const since: Readonly<Record<string, number>> = {
  '/pods/ephemeralcontainers': 23,
  '/pods/resize': 33,
};

/** Names of the subresources of a kind that this release answers, sorted. */
export function subresourcesOf(row: CatalogueKind, release: number): readonly string[] {
  const key = resourceKey(row);
  const names = new Set([...row.subresources, ...(more[key] ?? [])]);
  const known = (name: string): boolean => (since[`${key}/${name}`] ?? 0) <= release;
  return [...names].filter((name) => servedSubresources.has(name) && known(name)).sort();
}

export interface WrittenType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Name among the catalogue's types. */
  readonly type: string;
}

const scale: WrittenType = written('autoscaling', 'v1', 'Scale', 'autoscaling');
const token = written('authentication.{domain}', 'v1', 'TokenRequest', 'authentication');
const binding: WrittenType = written('', 'v1', 'Binding', 'core');

/** Since this minor release of 1 an eviction is a stable kind; clients still send the older one. */
const stableEvictionSince = 22;

function written(group: string, version: string, kind: string, types: string): WrittenType {
  return { group, version, kind, type: `${types}/${version}.${kind}` };
}

/** What a subresource is read and written as, where that is not its parent's kind: the one shown
 * in discovery, then others that are understood. Empty: as its parent. */
export function writtenAs(name: string, release: number): readonly WrittenType[] {
  switch (name) {
    case 'scale':
      return [scale];
    case 'token':
      return [token];
    case 'binding':
      return [binding];
    case 'eviction': {
      const beta = written('policy', 'v1beta1', 'Eviction', 'policy');
      if (release < stableEvictionSince) return [beta];
      return [written('policy', 'v1', 'Eviction', 'policy'), beta];
    }
    default:
      return [];
  }
}

const resized = ['f:resources', 'f:resizePolicy'];

/** What a write through a subresource may change: whoever applies more than that, as clients do
 * that send the whole object, neither owns it nor conflicts over it. */
export const writablePaths: Readonly<Record<string, readonly (readonly string[])[]>> = {
  approval: [['f:metadata'], ['f:status', 'f:conditions']],
  ephemeralcontainers: [['f:spec', 'f:ephemeralContainers']],
  resize: ['f:containers', 'f:initContainers'].flatMap((list) =>
    resized.map((field) => ['f:spec', list, '*', field]),
  ),
  status: [
    ['f:status'],
    ...['f:labels', 'f:annotations', 'f:finalizers'].map((field) => ['f:metadata', field]),
  ],
};

/** Kinds that are posted to a collection and never stored. */
export const operations: readonly CatalogueKind[] = [
  {
    ...binding,
    resource: 'bindings',
    namespaced: true,
    introduced: 0,
    deprecated: undefined,
    removed: undefined,
    replacement: undefined,
    subresources: [],
    shortNames: [],
    categories: [],
  },
];
