/**
 * Subresources and operations that the facts leave out, and what each is written with.
 *
 * What it is not: which of them are answered, with which verbs (verbs.ts), nor what they do.
 * Keys are `<group template>/<resource>`. Spec 1, sections 1.3 and 4.1.
 */
import { lookup } from '../stdx/lookup.ts';
import type { CatalogueKind } from './catalogue.ts';
import { resourceKey } from './catalogue.ts';
import { servedSubresources } from './verbs.ts';

/** Subresources beside those of the facts. */
const more: Readonly<Record<string, readonly string[]>> = lookup({
  '/namespaces': ['finalize'],
  '/nodes': ['proxy'],
  '/pods': ['attach', 'binding', 'eviction', 'exec', 'log', 'portforward', 'proxy'],
  '/services': ['proxy'],
  'certificates.{domain}/certificatesigningrequests': ['approval'],
});

/** Minor releases of 1 that had a subresource first, where its kind is older. */
const since: Readonly<Record<string, number>> = lookup({
  '/pods/ephemeralcontainers': 23,
  '/pods/resize': 33,
});

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

/** What a subresource of a kind is read and written as, where that is not as its parent: the one
 * shown in discovery, then others that are understood. Empty: as its parent. */
export function writtenAs(name: string, parent: string, release: number): readonly WrittenType[] {
  switch (name) {
    case 'attach':
      return [written('', 'v1', 'PodAttachOptions', 'core')];
    case 'exec':
      return [written('', 'v1', 'PodExecOptions', 'core')];
    case 'portforward':
      return [written('', 'v1', 'PodPortForwardOptions', 'core')];
    case 'proxy':
      return [written('', 'v1', `${parent}ProxyOptions`, 'core')];
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

/** Subresources that lead to what runs, and whether a path of its own goes on behind them. */
export const connecting: Readonly<Record<string, 'here' | 'below'>> = lookup({
  attach: 'here',
  exec: 'here',
  log: 'here',
  portforward: 'here',
  proxy: 'below',
});

const resized = ['f:resources', 'f:resizePolicy'];

const statusMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** What a write through a subresource may change: whoever applies more than that, as clients do
 * that send the whole object, neither owns it nor conflicts over it. `kept`: the metadata that one
 * to the status leaves alone. */
export function writablePathsOf(
  subresource: string,
  kept: readonly string[],
): readonly (readonly string[])[] | undefined {
  if (subresource !== 'status') return writablePaths[subresource];
  const taken = statusMetadata.filter((name) => !kept.includes(name));
  return [['f:status'], ...taken.map((name) => ['f:metadata', `f:${name}`])];
}

const writablePaths: Readonly<Record<string, readonly (readonly string[])[]>> = lookup({
  approval: [['f:metadata'], ['f:status', 'f:conditions']],
  ephemeralcontainers: [['f:spec', 'f:ephemeralContainers']],
  resize: ['f:containers', 'f:initContainers'].flatMap((list) =>
    resized.map((field) => ['f:spec', list, '*', field]),
  ),
});

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
