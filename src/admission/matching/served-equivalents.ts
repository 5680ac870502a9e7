/**
 * Which served versions are the same resource according to the scheme: one stored object that is
 * served in several versions and groups.
 */
import type { KindInfo, Scheme } from '../../apimachinery/scheme.ts';
import { storageName } from '../../apimachinery/scheme.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { EquivalentResource } from './matching.ts';

type ServedKinds = Pick<Scheme, 'generation' | 'groups'>;

interface Known {
  readonly generation: number;
  /** By kind and subresource. */
  readonly found: Map<KindInfo, Map<string, readonly EquivalentResource[]>>;
}

const known = new WeakMap<ServedKinds, Known>();

/** In the order of discovery. Only versions that have this subresource. Looked for once for each
 * generation of the scheme: it looks at all kinds. */
export function equivalentsOf(
  scheme: ServedKinds,
  kind: KindInfo,
  subresource: string,
): readonly EquivalentResource[] {
  const { generation } = scheme;
  let ofScheme = known.get(scheme);
  if (ofScheme?.generation !== generation) {
    ofScheme = { generation, found: new Map() };
    known.set(scheme, ofScheme);
  }
  const ofKind = ofScheme.found.get(kind) ?? new Map<string, readonly EquivalentResource[]>();
  const found = ofKind.get(subresource) ?? lookFor(scheme, kind, subresource);
  ofScheme.found.set(kind, ofKind.set(subresource, found));
  return found;
}

function lookFor(
  scheme: ServedKinds,
  kind: KindInfo,
  subresource: string,
): readonly EquivalentResource[] {
  const name = storageName(kind.storage);
  const found: EquivalentResource[] = [];
  for (const { versions } of scheme.groups) {
    for (const { kinds } of versions) {
      for (const each of kinds) {
        if (each.resource !== kind.resource || storageName(each.storage) !== name) continue;
        const sent = kindSentTo(each, subresource);
        if (sent === undefined) continue;
        const { group, resource, version } = each;
        found.push({ resource: { group, version, resource }, kind: sent });
      }
    }
  }
  return found;
}

/** What is sent to the object or to a subresource; undefined: there is none. */
function kindSentTo(kind: KindInfo, subresource: string): GroupVersionKind | undefined {
  if (subresource === '') return kind;
  return kind.subresources.find(({ name }) => name === subresource)?.kind;
}
