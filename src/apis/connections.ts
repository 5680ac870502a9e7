/**
 * Where a connection to a container, a port of a pod, a service or a node leads.
 *
 * Access to the streams is decided on `pods/exec` and its like before anybody looks here. What is
 * wrong with an object is said by its kind; who connects is src/endpoints/handlers/connect.ts.
 *
 * Invariants: mistakes in the request or the object are reported before anybody is asked. Nothing
 * is changed.
 */
import type { ProxyDestination } from '../apimachinery/destination.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { quote } from '../apimachinery/quote.ts';
import { newBadRequest } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { getObject } from '../registry/read.ts';
import type { Connect, ObjectTarget, RegistryDeps, Result } from '../registry/registry.ts';
import { ok } from '../registry/registry.ts';

/** What a proxied name means: `[scheme:]name[:port]`. */
export interface ProxyName {
  /** '' when it is not said. */
  readonly scheme: string;
  readonly name: string;
  /** '' when it is not said. */
  readonly port: string;
}

/** Undefined for what is none. */
function parseProxyName(text: string): ProxyName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const known = scheme === '' || scheme === 'http' || scheme === 'https';
  return known && name !== '' ? { scheme, name, port } : undefined;
}

/** Where the object that is named leads, or what is wrong with it. */
export type FindDestination = (
  deps: RegistryDeps,
  target: ObjectTarget,
  object: ApiObject,
  named: ProxyName,
) => StatusError | ProxyDestination | Promise<StatusError | ProxyDestination>;

export function proxyConnection(find: FindDestination): Connect {
  return async (deps, { kind, name, namespace }, { query }) => {
    if (query.has('dryRun')) return dryRunRefusal();
    const named = parseProxyName(name);
    if (named === undefined) {
      return newBadRequest(`invalid ${kind.singular} request ${quote(name)}`);
    }
    const target = { kind, namespace, name: named.name };
    const object = await readConnected(deps, target);
    return object.kind === 'refused' ? object.error : find(deps, target, object.value, named);
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
