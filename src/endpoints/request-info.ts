/**
 * RequestInfo: what a method and a path ask for, before anything is looked up
 * (spec 1, sections 1.5 and 4.1).
 *
 *   /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}[/{subpath}]
 *   /apis/{group}/{version}/[namespaces/{ns}/]{resource}/{name}/{subresource}[/{subpath}]
 *   /api/v1/watch/..., /apis/{group}/{version}/watch/...     the older form of watch=true
 *   /api/v1/proxy/...                                        an older form that nothing serves
 *
 * The group, the version and the resource may not exist.
 *
 * Invariants: parts are percent-decoded once, and those that name something hold no slash, so an
 * encoded slash never moves the border between two of them; slashes at the end do not count; an
 * empty part names nothing, and who decides is asked about it as it stands; a path that is not a
 * resource path has `resource` undefined.
 * Bound: of what is posted to, paths of 64 KiB in all are kept as they were read.
 */
import { createTextCache } from '../stdx/text-cache.ts';

export interface RequestInfo {
  readonly path: string;
  readonly resource: ResourceInfo | undefined;
  /** Lower-case verb of the API, '' for a method that has none; or the lower-case HTTP method for
   * other paths. */
  readonly verb: string;
}

export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  /** '' when the path has none. */
  readonly namespace: string;
  /** The path has a namespace, which may be the empty one. */
  readonly inNamespace: boolean;
  readonly resource: string;
  /** '' for a collection. */
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** What stands behind the subresource, with its slash, as it was sent; '' when nothing does. */
  readonly subpath: string;
  /** The word before the resource that is the verb, whatever the method. */
  readonly prefix: 'watch' | 'proxy' | undefined;
}

export type ParsedPath =
  | { readonly kind: 'ok'; readonly info: RequestInfo }
  /** The path holds an escape that does not decode. */
  | { readonly kind: 'malformed' };

/** Paths to which objects are posted are few, and asked for again and again. */
const posted = createTextCache<ParsedPath>(64 * 1024);
const postedPathMax = 512;

export function parseRequestInfo(method: string, path: string, watch: boolean): ParsedPath {
  if (method !== 'POST' || path.length > postedPathMax) return parsedInfo(method, path, watch);
  const known = posted.get(path);
  if (known !== undefined) return known;
  const parsed = parsedInfo(method, path, watch);
  posted.keep(path, parsed);
  return parsed;
}

function parsedInfo(method: string, path: string, watch: boolean): ParsedPath {
  // Behind the leading slash, and without those at the end.
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  const parts = path.slice(1, end).split('/');
  if (path.includes('%')) {
    for (let i = 0; i < parts.length; i += 1) {
      const decoded = decodeSegment(parts[i] as string);
      if (decoded === undefined) return { kind: 'malformed' };
      parts[i] = decoded;
    }
  }
  const resource = resourceInfo(parts, path);
  const verb =
    resource === undefined ? method.toLowerCase() : resourceVerb(method, resource, watch);
  return { kind: 'ok', info: { path, resource, verb } };
}

/** Subresources that last as long as somebody holds them open. */
const heldOpen: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Streams, and what is passed on: time limits of requests are not theirs. */
export function isLongRunning({ verb, resource }: RequestInfo): boolean {
  if (resource === undefined) return false;
  return verb === 'watch' || verb === 'proxy' || heldOpen.has(resource.subresource);
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Segments of an object path below a namespace that are subresources of the namespace itself. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** By index throughout: this runs for every request, and copies of lists are most of its cost. */
function resourceInfo(parts: readonly string[], path: string): ResourceInfo | undefined {
  const root = parts[0];
  if (root !== 'api' && root !== 'apis') return undefined;
  let at = 1;
  const group = root === 'apis' ? (parts[at++] ?? '') : '';
  const version = parts[at++] ?? '';
  if (at >= parts.length) return undefined;

  const prefix = at + 1 < parts.length ? prefixOf(parts[at] as string) : undefined;
  if (prefix !== undefined) at += 1;
  const inNamespace = isBelowNamespace(parts, at);
  const namespace = inNamespace ? (parts[at + 1] as string) : '';
  if (inNamespace) at += 2;
  const named = prefix === 'proxy' ? at + 2 : at + 3;
  for (let i = 1; i < parts.length && i < named; i += 1) {
    if ((parts[i] as string).includes('/')) return undefined;
  }
  return {
    group,
    version,
    namespace,
    inNamespace,
    resource: parts[at] as string,
    name: parts[at + 1] ?? '',
    subresource: prefix === 'proxy' ? '' : (parts[at + 2] ?? ''),
    subpath: parts.length > named ? subpathOf(path, named) : '',
    prefix,
  };
}

function prefixOf(part: string): 'watch' | 'proxy' | undefined {
  return part === 'watch' || part === 'proxy' ? part : undefined;
}

function isBelowNamespace(parts: readonly string[], at: number): boolean {
  const third = parts[at + 2];
  return parts[at] === 'namespaces' && third !== undefined && !namespaceSubresources.has(third);
}

/** What stands behind so many parts: other servers read it, so nothing in it is touched. */
function subpathOf(path: string, parts: number): string {
  let at = 0;
  for (let i = 0; i < parts; i += 1) at = path.indexOf('/', at + 1);
  return path.slice(at);
}

function resourceVerb(method: string, info: ResourceInfo, watch: boolean): string {
  if (info.prefix !== undefined) return info.prefix;
  const collection = info.name === '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watch && info.subresource === '') return 'watch';
      return collection ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return collection ? 'deletecollection' : 'delete';
    default:
      return '';
  }
}
