/**
 * What other servers say of their resources, in the form of aggregated discovery: from documents in
 * that form, and from lists of resources in the older one.
 *
 * Invariant: nothing but what the form knows is taken over, whatever was sent; in steps, because
 * there may be much.
 */
import { objects, part, text, texts } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { inSteps } from '../stdx/in-steps.ts';
import type { Steps } from '../stdx/stepwise.ts';

/** By group and version: `<group>/<version>`. */
export type Discovered = ReadonlyMap<string, readonly JsonObject[]>;

/** Of an APIGroupDiscoveryList; `isWanted`: others are not kept. */
export function* readGroups(
  document: JsonObject,
  isWanted: (groupVersion: string) => boolean,
): Steps<Discovered> {
  const found = new Map<string, readonly JsonObject[]>();
  for (const group of objects(document, 'items')) {
    yield;
    for (const version of objects(group, 'versions')) {
      const name = `${text(part(group, 'metadata'), 'name')}/${text(version, 'version')}`;
      if (!isWanted(name)) continue;
      const resources: JsonObject[] = [];
      yield* inSteps(objects(version, 'resources'), (each) => {
        resources.push(cleaned(each));
        return undefined;
      });
      found.set(name, resources);
    }
  }
  return found;
}

function cleaned(resource: JsonObject): JsonObject {
  const subresources = objects(resource, 'subresources').map((each) => ({
    subresource: text(each, 'subresource'),
    responseKind: kindOf(part(each, 'responseKind')),
    verbs: texts(each, 'verbs'),
  }));
  return entry({
    name: text(resource, 'resource'),
    responseKind: kindOf(part(resource, 'responseKind')),
    isNamespaced: text(resource, 'scope') === 'Namespaced',
    singular: text(resource, 'singularResource'),
    from: resource,
    subresources,
  });
}

/** Of an APIResourceList. */
export function* readResources(document: JsonObject): Steps<readonly JsonObject[]> {
  const below = new Map<string, JsonObject[]>();
  const all: JsonObject[] = [];
  yield* inSteps(objects(document, 'resources'), (each) => {
    const [parent = '', subresource] = text(each, 'name').split('/', 2);
    if (subresource === undefined) {
      all.push(each);
      return undefined;
    }
    const known = below.get(parent) ?? [];
    known.push({ subresource, responseKind: kindOf(each), verbs: texts(each, 'verbs') });
    below.set(parent, known);
    return undefined;
  });
  const made: JsonObject[] = [];
  yield* inSteps(all, (from) => {
    const name = text(from, 'name');
    const isNamespaced = from['namespaced'] === true;
    const singular = text(from, 'singularName');
    const subresources = below.get(name) ?? [];
    const responseKind = kindOf(from);
    made.push(entry({ name, responseKind, isNamespaced, singular, from, subresources }));
    return undefined;
  });
  return made;
}

interface Described {
  readonly name: string;
  readonly responseKind: JsonObject;
  readonly isNamespaced: boolean;
  readonly singular: string;
  /** Has its verbs and further names. */
  readonly from: JsonObject;
  readonly subresources: readonly JsonObject[];
}

function entry(described: Described): JsonObject {
  const { from, isNamespaced, name, responseKind, singular, subresources } = described;
  const [shortNames, categories] = [texts(from, 'shortNames'), texts(from, 'categories')];
  return {
    resource: name,
    responseKind,
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: texts(from, 'verbs'),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** Always there: some clients stumble where it is not. */
function kindOf(from: JsonObject): JsonObject {
  return { group: text(from, 'group'), version: text(from, 'version'), kind: text(from, 'kind') };
}
