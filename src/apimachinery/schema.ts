/**
 * Names of types and endpoints: group, version, kind, resource (spec 1, sections 2.1 and 4.1).
 */
import { createPairCache } from '../stdx/pair-cache.ts';

export interface GroupResource {
  /** Empty string for the core group. Always the concrete name, the identity's domain filled in. */
  readonly group: string;
  /** The plural name used in the URL. */
  readonly resource: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** Entries of the cache: more group versions than most servers have. */
const apiVersionsMax = 2_000;
const apiVersions = createPairCache<string>(apiVersionsMax);

/** `v1` for the core group, `apps/v1` for the others: the value of `apiVersion`. Every write asks
 * several times, compares it and looks it up: it is one text, whose hash is known. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  if (group === '') return version;
  const known = apiVersions.get(group, version);
  if (known !== undefined) return known;
  const made = `${group}/${version}`;
  apiVersions.keep(group, version, made);
  return made;
}

/** The same, and nothing is kept of it: for walks over all versions that there are, which may be
 * more than are kept. */
export function apiVersionText(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Undefined when the text has more than one slash or an empty part. */
export function parseGroupVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/', 3);
  if (parts.length === 1 && parts[0] !== '') return { group: '', version: parts[0] as string };
  if (parts.length === 2 && parts[0] !== '' && parts[1] !== '') {
    return { group: parts[0] as string, version: parts[1] as string };
  }
  return undefined;
}

/** `pods`, `deployments.apps`: how error messages name a resource. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}
