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
 * Invariants: parts are percent-decoded once and hold no slash; a path that is not a resource path
 * has `resource` undefined.
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
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  const parts: string[] = [];
  for (const segment of segments) {
    const decoded = decodeSegment(segment);
    if (decoded === undefined) return { kind: 'malformed' };
    parts.push(decoded);
  }
  const resource = resourceInfo(parts);
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

function resourceInfo(parts: readonly string[]): ResourceInfo | undefined {
  const [root, ...rest] = parts;
  let group = '';
  if (root === 'apis') group = rest.shift() ?? '';
  else if (root !== 'api') return undefined;
  const version = rest.shift() ?? '';
  if (version === '' || rest.length === 0 || (root === 'apis' && group === '')) return undefined;

  const watchPath = rest[0] === 'watch' && rest.length > 1;
  if (watchPath) rest.shift();
  const base = { group, version, watchPath };
  const [first = '', second = '', third = '', ...deeper] = rest;
  const belowNamespace =
    first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  if (belowNamespace) {
    const [name = '', ...subresource] = deeper;
    return {
      ...base,
      namespace: second,
      resource: third,
      name,
      subresource: subresource.join('/'),
    };
  }
  return {
    ...base,
    namespace: '',
    resource: first,
    name: second,
    subresource: [third, ...deeper].filter((part) => part !== '').join('/'),
  };
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
