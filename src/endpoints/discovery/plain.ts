/**
 * Discovery, one document a level: APIVersions, APIGroupList, APIGroup, APIResourceList.
 *
 * A document shows exactly the verbs and subresources that the scheme says are served. Spec 1,
 * sections 1, 4.1 and 9. Bound: users may have defined thousands of groups, and thousands of kinds
 * or of versions in one of them: lists of those are made in steps.
 */
import { createHash } from 'node:crypto';
import { apiVersionText } from '../../apimachinery/schema.ts';
import type {
  GroupInfo,
  KindInfo,
  SubresourceInfo,
  VersionInfo,
} from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import type { Steps } from '../../stdx/stepwise.ts';

/** At /api. `serverAddress` is host:port as clients reach it. */
export function apiVersions(core: GroupInfo, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core.versions.map((version) => version.version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** Whoever answers for its versions. */
interface NamedGroup {
  readonly group: string;
  readonly versions: readonly { readonly version: string }[];
}

/** At /apis. */
export function* apiGroupList(groups: readonly NamedGroup[]): Steps<JsonObject> {
  const bodies: JsonObject[] = [];
  yield* inSteps(groupBodies(groups), (body) => {
    if (body !== undefined) bodies.push(body);
    return undefined;
  });
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: bodies };
}

/** At /apis/<group>. */
export function* apiGroup(group: NamedGroup): Steps<JsonObject> {
  let made: JsonObject = {};
  yield* inSteps(groupBodies([group]), (body) => {
    made = body ?? made;
    return undefined;
  });
  return { kind: 'APIGroup', apiVersion: 'v1', ...made };
}

/** Each group behind its versions, for each of which there is undefined: a step counts both. */
function* groupBodies(groups: readonly NamedGroup[]): Generator<JsonObject | undefined, void> {
  for (const { group: name, versions: served } of groups) {
    const versions: JsonObject[] = [];
    for (const { version } of served) {
      versions.push({ groupVersion: apiVersionText(name, version), version });
      yield undefined;
    }
    yield { name, versions, preferredVersion: versions[0] };
  }
}

/** At /api/v1 and /apis/<group>/<version>. */
export function* apiResourceList(group: string, version: VersionInfo): Steps<JsonObject> {
  const resources: JsonObject[] = [];
  yield* inSteps(version.kinds, (kind) => {
    resources.push(resourceEntry(kind));
    for (const each of kind.subresources) resources.push(subresourceEntry(kind, each));
    return undefined;
  });
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionText(group, version.version),
    resources,
  };
}

function resourceEntry(kind: KindInfo): JsonObject {
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(isStored(kind) ? { storageVersionHash: storageVersionHash(kind) } : {}),
  };
}

function isStored({ operation, computed }: KindInfo): boolean {
  return operation !== true && computed !== true;
}

function subresourceEntry(kind: KindInfo, subresource: SubresourceInfo): JsonObject {
  const other = !sharesVersion(kind, subresource);
  return {
    name: `${kind.resource}/${subresource.name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...(other ? { group: subresource.kind.group, version: subresource.kind.version } : {}),
    kind: subresource.kind.kind,
    verbs: subresource.verbs,
  };
}

/** Whether a subresource speaks in the group and version of its parent. */
export function sharesVersion(kind: KindInfo, subresource: SubresourceInfo): boolean {
  return subresource.kind.group === kind.group && subresource.kind.version === kind.version;
}

/** Changes when the version in which a kind is stored changes; clients only compare it. */
function storageVersionHash(kind: KindInfo): string {
  const name = `${kind.storage.group}/${kind.storageVersion}/${kind.kind}`;
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}
