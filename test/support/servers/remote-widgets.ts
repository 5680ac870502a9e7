/**
 * Widgets, some with a namespace and some without (`gears`), that a server behind the server stores:
 * listed, watched, read, deleted and patched as an aggregated API server would.
 */
import type http from 'node:http';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { applyMergePatch } from '../../../src/apimachinery/patch/merge-patch.ts';
import { backendGroup, ok, startApiBackend } from './api-backend.ts';
import type { ApiBackend, BackendRequest } from './api-backend.ts';
import { startTestServer } from './test-server.ts';

const root = `/apis/${backendGroup}/v1`;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'watch'];

export interface RemoteWidgets {
  /** By path. */
  readonly objects: Map<string, ApiObject>;
  /** `silent`: it takes requests for objects and never answers. */
  mode: 'well' | 'silent' | 'endless list';
  put(path: string, metadata: JsonObject): ApiObject;
}

/** A server with these controllers, and one with widgets behind it. */
export async function startWithWidgets(controllers: string) {
  const server = await startTestServer({
    controllers: `apiserviceavailability,${controllers}`,
    'service-cluster-ip-range': '127.0.0.0/24',
  });
  const backend = await startApiBackend();
  const widgets = serveWidgets(backend);
  await backend.serve(server);
  const remove = async (): Promise<void> => {
    await server.remove();
    backend.close();
  };
  return { server, backend, widgets, remove };
}

interface Watching {
  readonly path: string;
  readonly response: http.ServerResponse;
}

function serveWidgets(backend: ApiBackend): RemoteWidgets {
  const store = new Store();
  backend.answers.set('/apis', (_request, response) => response.writeHead(404).end());
  backend.answers.set('/openapi/v3', (_request, response) => response.writeHead(404).end());
  backend.answers.set(root, ok(resourceList()));
  backend.answers.set('*', (request, response) => store.answer(request, response));
  return store;
}

function resourceList(): JsonObject {
  const one = (name: string, kind: string, namespaced: boolean) => {
    return { name, singularName: kind.toLowerCase(), namespaced, kind, verbs };
  };
  const resources = [one('widgets', 'Widget', true), one('gears', 'Gear', false)];
  const groupVersion = `${backendGroup}/v1`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

class Store implements RemoteWidgets {
  readonly objects = new Map<string, ApiObject>();
  mode: RemoteWidgets['mode'] = 'well';
  readonly #watching = new Set<Watching>();
  #revision = 0;

  put(path: string, metadata: JsonObject): ApiObject {
    const name = path.split('/').at(-1) ?? '';
    const [, namespace] = /namespaces\/([^/]+)/.exec(path) ?? [];
    const place = namespace === undefined ? { name } : { name, namespace };
    return this.#set(path, { uid: `uid-of-${name}`, ...place, ...metadata });
  }

  answer({ body, method, url }: BackendRequest, response: http.ServerResponse): void {
    if (this.mode === 'silent') return;
    const { pathname: path, searchParams: query } = new URL(url, 'http://backend');
    if (this.mode === 'endless list' && method === 'GET') return endless(response);
    const isOne = this.#isOne(path);
    const found = this.objects.get(path);
    if (isOne && found === undefined) return say(response, 404, notFound(path));
    if (method === 'DELETE') {
      const gone = isOne ? [path] : [...this.#below(path)].map(([at]) => at);
      if (found !== undefined && !isMet(JSON.parse(body) as JsonObject, found)) {
        return say(response, 409, status(409, 'Conflict', 'it is another one'));
      }
      for (const at of gone) this.#delete(at, body);
      return say(response, 200, status(200, '', ''));
    }
    if (method === 'PATCH' && found !== undefined) return this.#patch(path, found, body, response);
    if (query.get('watch') !== null) return this.#watch(path, query, response);
    if (found !== undefined) return say(response, 200, found);
    const items = [...this.#below(path)].map(([, object]) => object) as unknown as JsonObject[];
    const metadata = { resourceVersion: String(this.#revision) };
    say(response, 200, { kind: 'List', apiVersion: 'v1', metadata, items });
  }

  #isOne(path: string): boolean {
    return /\/(widgets|gears)\/[^/]+$/.test(path);
  }

  *#below(path: string): Iterable<[string, ApiObject]> {
    const [, resource = ''] = /\/(widgets|gears)$/.exec(path) ?? [];
    const start = path.slice(0, -resource.length);
    for (const [at, object] of this.objects) {
      if (at.startsWith(start) && at.includes(`/${resource}/`)) yield [at, object];
    }
  }

  #patch(path: string, found: ApiObject, body: string, response: http.ServerResponse): void {
    const patch = JSON.parse(body) as JsonObject;
    const asked = (patch['metadata'] ?? {}) as JsonObject;
    const { resourceVersion = found.metadata.resourceVersion, uid = found.metadata.uid } = asked;
    if (resourceVersion !== found.metadata.resourceVersion || uid !== found.metadata.uid) {
      return say(response, 409, status(409, 'Conflict', 'it has changed'));
    }
    const object = found as unknown as JsonObject;
    const merged = applyMergePatch(object, patch) as unknown as ApiObject;
    this.#set(path, merged.metadata);
    say(response, 200, this.objects.get(path) as unknown as JsonObject);
  }

  #set(path: string, metadata: JsonObject): ApiObject {
    this.#revision += 1;
    const isNew = !this.objects.has(path);
    const kind = path.includes('/gears/') ? 'Gear' : 'Widget';
    const own = { ...metadata, resourceVersion: String(this.#revision) };
    const object = { apiVersion: `${backendGroup}/v1`, kind, metadata: own } as ApiObject;
    const held = object.metadata.finalizers ?? [];
    if (object.metadata.deletionTimestamp !== undefined && held.length === 0)
      this.#drop(path, object);
    else {
      this.objects.set(path, object);
      this.#tell(path, isNew ? 'ADDED' : 'MODIFIED', object);
    }
    return object;
  }

  #delete(path: string, body: string): void {
    const object = this.objects.get(path);
    if (object === undefined) return;
    const { propagationPolicy } = JSON.parse(body === '' ? '{}' : body) as JsonObject;
    const own = propagationPolicy === 'Foreground' ? ['foregroundDeletion'] : [];
    const orphan = propagationPolicy === 'Orphan' ? ['orphan'] : [];
    const finalizers = [...(object.metadata.finalizers ?? []), ...own, ...orphan];
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { ...object.metadata, finalizers, deletionTimestamp };
    this.#set(path, metadata);
  }

  #drop(path: string, object: ApiObject): void {
    this.objects.delete(path);
    this.#tell(path, 'DELETED', object);
  }

  #tell(path: string, type: string, object: ApiObject): void {
    const resource = path.includes('/gears/') ? 'gears' : 'widgets';
    for (const { path: watched, response } of this.#watching) {
      if (!watched.endsWith(`/${resource}`)) continue;
      response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  #watch(path: string, query: URLSearchParams, response: http.ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    const watching = { path, response };
    this.#watching.add(watching);
    response.on('close', () => this.#watching.delete(watching));
    // What has been missed is not known here: a client lists anew.
    if (Number(query.get('resourceVersion')) >= this.#revision) return;
    const object = status(410, 'Expired', 'too old');
    response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }
}

function isMet(options: JsonObject, { metadata }: ApiObject): boolean {
  const { resourceVersion, uid } = (options['preconditions'] ?? {}) as JsonObject;
  if (uid !== undefined && uid !== metadata.uid) return false;
  return resourceVersion === undefined || resourceVersion === metadata.resourceVersion;
}

function endless(response: http.ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, ' ');
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}

function notFound(path: string): JsonObject {
  return status(404, 'NotFound', `${path} not found`);
}

function status(code: number, reason: string, message: string): JsonObject {
  const said = code < 300 ? 'Success' : 'Failure';
  return { kind: 'Status', apiVersion: 'v1', status: said, code, reason, message };
}

function say(response: http.ServerResponse, code: number, body: JsonObject): void {
  response.writeHead(code, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
