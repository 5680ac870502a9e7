/**
 * Subresources: those that are the same for every kind, those that the definition of a kind names,
 * and what is common to the latter.
 *
 * Only what stands here or in a definition is answered: discovery shows it, and the request router
 * lets it through. Spec 1, sections 1.3 and 4.1.
 */
import type { Verb } from '../apimachinery/scheme.ts';
import { lookup } from '../stdx/lookup.ts';
import { proxyConnection } from './connections.ts';
import type { FindDestination } from './connections.ts';
import type { KindDefinition, SubresourceDefinition, WrittenKind } from './kind-definition.ts';

/** Of a subresource that shows a part of the object. */
export const objectParts: readonly Verb[] = ['get', 'patch', 'update'];

export function writtenKind(
  group: string,
  version: string,
  kind: string,
  types: string,
): WrittenKind {
  return { group, version, kind, type: `${types}/${version}.${kind}` };
}

/** proxy: to a port of what runs, with a path of its own behind it. */
export function proxySubresource(options: string, find: FindDestination): SubresourceDefinition {
  const kinds = [writtenKind('', 'v1', options, 'core')];
  const verbs: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
  const connection = proxyConnection(find);
  return { verbs, kinds: () => kinds, connects: 'below', connection };
}

export const scaleKind = writtenKind('autoscaling', 'v1', 'Scale', 'autoscaling');

/** For whichever kind has them according to the facts. */
const ofEveryKind: Readonly<Record<string, SubresourceDefinition>> = lookup({
  scale: { verbs: objectParts, kinds: () => [scaleKind] },
  status: { verbs: objectParts },
});

export interface NamedSubresource extends SubresourceDefinition {
  readonly name: string;
}

/** The subresources of a kind that this release answers, by name. */
export function subresourcesOf(
  { subresources }: { readonly subresources: readonly string[] },
  definition: KindDefinition,
  release: number,
): readonly NamedSubresource[] {
  const own = definition.subresources ?? {};
  const names = [...new Set([...subresources, ...Object.keys(own)])].sort();
  return names.flatMap((name) => {
    const found = own[name] ?? ofEveryKind[name];
    return found === undefined || (found.since ?? 0) > release ? [] : [{ ...found, name }];
  });
}

const statusMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** What a write through a subresource may change: whoever applies more than that, as clients do
 * that send the whole object, neither owns it nor conflicts over it. `kept`: the metadata that one
 * to the status leaves alone. */
export function writablePathsOf(
  { name, writes }: NamedSubresource,
  kept: readonly string[],
): readonly (readonly string[])[] | undefined {
  if (name !== 'status') return writes;
  const taken = statusMetadata.filter((each) => !kept.includes(each));
  return [['f:status'], ...taken.map((each) => ['f:metadata', `f:${each}`])];
}
