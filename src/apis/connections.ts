/**
 * Where a connection to a container, a port of a pod, a service or a node would lead, and why it
 * leads nowhere: this server holds the cluster's objects and has no way to its nodes.
 *
 * Access to the streams is decided on `pods/exec` and its like before anybody looks here. What is
 * wrong with an object is said by its kind.
 *
 * Invariants: an existing object is never reported as NotFound, because a controller would take it
 * for deleted. Mistakes in the request or the object are reported before what this server cannot do
 * (501). Nothing is changed.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { quote } from '../apimachinery/quote.ts';
import { newBadRequest, newNotImplemented } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { getObject } from '../registry/read.ts';
import type { Connect, ObjectTarget, RegistryDeps, Result } from '../registry/registry.ts';
import { ok } from '../registry/registry.ts';

/** What a proxied name means: `[scheme:]name[:port]`. */
interface ProxyTarget {
  readonly name: string;
  /** '' when it is not said. */
  readonly port: string;
}

/** Undefined for what is none. */
function parseProxyTarget(text: string): ProxyTarget | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const known = scheme === '' || scheme === 'http' || scheme === 'https';
  return known && name !== '' ? { name, port } : undefined;
}

/** What is wrong with the object that is named, or that it cannot be reached. */
export type ProxyRefusal = (
  deps: RegistryDeps,
  target: ObjectTarget,
  object: ApiObject,
  port: string,
) => StatusError | Promise<StatusError>;

export function proxyConnection(refusalOf: ProxyRefusal): Connect {
  return async (deps, { kind, name, namespace }, { query }) => {
    if (query.has('dryRun')) return dryRunRefusal();
    const named = parseProxyTarget(name);
    if (named === undefined) {
      return newBadRequest(`invalid ${kind.singular} request ${quote(name)}`);
    }
    const target = { kind, namespace, name: named.name };
    const object = await readConnected(deps, target);
    return object.kind === 'refused'
      ? object.error
      : refusalOf(deps, target, object.value, named.port);
  };
}

export function dryRunRefusal(): StatusError {
  return newBadRequest('dryRun is not supported');
}

/** The object that a connection is to, as it is now. */
export async function readConnected(
  deps: RegistryDeps,
  target: ObjectTarget,
): Promise<Result<ApiObject>> {
  const found = await getObject(deps, target, { kind: 'most-recent' });
  return found.kind === 'refused' ? found : ok(decodeObject(found.value.bytes));
}

/** What nothing is wrong with but that this server connects to nobody. */
export function newNotProxied(what: string, whom: string): StatusError {
  return newNotImplemented(`${what} is not served: this server does not connect to ${whom}`);
}
