/**
 * RequestInfo: what a method and a path ask for, before anything is looked up
 * (spec 1, sections 1.5 and 4.1).
 *
 *   /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}
 *   /apis/{group}/{version}/[namespaces/{ns}/]{resource}/{name}/{subresource}
 *   /api/v1/watch/..., /apis/{group}/{version}/watch/...     the older form of watch=true
 *
 * What it is not: a check that the group, the version or the resource exists.
 *
 * Invariants: parts are percent-decoded once, are not empty and hold no slash, so an empty namespace
 * in a path never means all of them; a path that is not a resource path has `resource` undefined.
 */
export interface RequestInfo {
  readonly path: string;
  readonly resource: ResourceInfo | undefined;
  /** Lower-case verb of the API, or the lower-case HTTP method for other paths. */
  readonly verb: string;
}

export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  /** '' when the path has none. */
  readonly namespace: string;
  readonly resource: string;
  /** '' for a collection. */
  readonly name: string;
  /** '' for the object itself; deeper paths are joined by '/'. */
  readonly subresource: string;
  /** The path had the `/watch/` prefix. */
  readonly watchPath: boolean;
}

export type ParsedPath =
  | { readonly kind: 'ok'; readonly info: RequestInfo }
  /** The path holds an escape that does not decode. */
  | { readonly kind: 'malformed' };

export function parseRequestInfo(method: string, path: string, watch: boolean): ParsedPath {
  // Behind the leading slash, and without a trailing one.
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const parts = path.slice(1, end).split('/');
  if (path.includes('%')) {
    for (let i = 0; i < parts.length; i += 1) {
      const decoded = decodeSegment(parts[i] as string);
      if (decoded === undefined) return { kind: 'malformed' };
      parts[i] = decoded;
    }
  }
  const whole = parts.every((part) => part !== '' && !part.includes('/'));
  const resource = whole ? resourceInfo(parts) : undefined;
  const verb =
    resource === undefined ? method.toLowerCase() : resourceVerb(method, resource, watch);
  return { kind: 'ok', info: { path, resource, verb } };
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
function resourceInfo(parts: readonly string[]): ResourceInfo | undefined {
  const root = parts[0];
  if (root !== 'api' && root !== 'apis') return undefined;
  let at = 1;
  const group = root === 'apis' ? (parts[at++] ?? '') : '';
  const version = parts[at++] ?? '';
  if (version === '' || at >= parts.length || (root === 'apis' && group === '')) return undefined;

  const watchPath = parts[at] === 'watch' && at + 1 < parts.length;
  if (watchPath) at += 1;
  const first = parts[at] ?? '';
  const second = parts[at + 1] ?? '';
  const third = parts[at + 2] ?? '';
  const belowNamespace =
    first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  if (belowNamespace) {
    return {
      group,
      version,
      watchPath,
      namespace: second,
      resource: third,
      name: parts[at + 3] ?? '',
      subresource: parts.length > at + 4 ? parts.slice(at + 4).join('/') : '',
    };
  }
  return {
    group,
    version,
    watchPath,
    namespace: '',
    resource: first,
    name: second,
    subresource: subresourceBelow(parts, at + 2),
  };
}

function subresourceBelow(parts: readonly string[], at: number): string {
  if (parts.length <= at) return '';
  return parts
    .slice(at)
    .filter((part) => part !== '')
    .join('/');
}

function resourceVerb(method: string, info: ResourceInfo, watch: boolean): string {
  const collection = info.name === '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watch || info.watchPath) return 'watch';
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
      return method.toLowerCase();
  }
}
