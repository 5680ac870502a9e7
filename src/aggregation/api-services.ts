/**
 * Which server answers for which group and version: an index of APIServices that follows the log,
 * so every server over one store passes the same requests on.
 *
 *     log ─▶ index ─▶ every request asks: is this version somebody else's?
 *                 └─▶ whoever keeps something of other servers hears of changes
 *
 * Elsewhere: whether another server is there, which the condition in the object says
 * (src/controllers/api-service-availability.ts finds it out), and where it is.
 *
 * Invariants: the group of APIServices itself is never somebody else's. A change costs the same
 * however many there are.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { followObjects } from '../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../streams/streams.ts';
import { isRemote, readApiService } from './api-service.ts';
import type { ApiService, Backend, RemoteService } from './api-service.ts';

export interface ApiServices {
  /** Nothing is somebody else's. */
  readonly isEmpty: boolean;
  /** Another one when groups, versions or their order may have changed. */
  readonly generation: number;
  /** Undefined: this server answers for it, or nobody. */
  findRemote(group: string, version: string): RemoteService | undefined;
  find(name: string): ApiService | undefined;
  /** All of a group, those of this server among them. */
  ofGroup(group: string): Iterable<ApiService>;
  /** The names of the groups that have a version of somebody else. */
  remoteGroups(): Iterable<string>;
  remotes(): Iterable<RemoteService>;
  /** The names of those behind a service. */
  behind(namespace: string, service: string): Iterable<string>;
  /** Called after each change, with the name of what has changed, until what is returned is
   * called. */
  onChange(listener: (name: string) => void): () => void;
}

export interface FollowedApiServices extends ApiServices {
  stop(): void;
}

/** `resource`: of APIServices. */
export function followApiServices(
  streams: Pick<Streams, 'followers' | 'resourceEvents'>,
  resource: GroupResource,
): FollowedApiServices {
  return new Followed(streams, resource);
}

/** Where APIServices are not served. */
export const noApiServices: FollowedApiServices = {
  isEmpty: true,
  generation: 0,
  findRemote: () => undefined,
  find: () => undefined,
  ofGroup: () => [],
  remoteGroups: () => [],
  remotes: () => [],
  behind: () => [],
  onChange: () => () => undefined,
  stop: () => undefined,
};

class Followed implements FollowedApiServices {
  readonly #own: string;
  readonly #byName = new Map<string, ApiService>();
  /** By group, then by version. */
  readonly #groups = new Map<string, Map<string, ApiService>>();
  readonly #remotes = new Map<string, RemoteService>();
  /** How many of a group are somebody else's. */
  readonly #remoteGroups = new Map<string, number>();
  readonly #behind = new Map<string, Set<string>>();
  readonly #listeners = new Set<(name: string) => void>();
  readonly #following: { unsubscribe(): void };
  #generation = 0;

  constructor(streams: Pick<Streams, 'followers' | 'resourceEvents'>, resource: GroupResource) {
    this.#own = resource.group;
    this.#following = followObjects(streams, 'api-services', resource, {
      clear: () => this.#clear(),
      set: (entry) => this.#set(entry),
      remove: ({ name }) => {
        this.#drop(name);
        this.#tell(name);
      },
    });
  }

  get isEmpty(): boolean {
    return this.#remotes.size === 0;
  }

  get generation(): number {
    return this.#generation;
  }

  findRemote(group: string, version: string): RemoteService | undefined {
    const found = this.#groups.get(group)?.get(version);
    return isRemote(found) ? found : undefined;
  }

  find(name: string): ApiService | undefined {
    return this.#byName.get(name);
  }

  ofGroup(group: string): Iterable<ApiService> {
    return this.#groups.get(group)?.values() ?? [];
  }

  remoteGroups(): Iterable<string> {
    return this.#remoteGroups.keys();
  }

  remotes(): Iterable<RemoteService> {
    return this.#remotes.values();
  }

  behind(namespace: string, service: string): Iterable<string> {
    return this.#behind.get(`${namespace}/${service}`) ?? [];
  }

  onChange(listener: (name: string) => void): () => void {
    const own = (name: string): void => listener(name);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  stop(): void {
    this.#following.unsubscribe();
  }

  #set(entry: Entry): void {
    const before = this.#byName.get(entry.name);
    const read = readApiService(decodeObject(entry.bytes));
    // The same object for as long as it says the same: connections are kept by it.
    const isBackendSame = before !== undefined && sameBackend(before.backend, read.backend);
    if (isBackendSame && saysTheSame(before, read)) return;
    this.#drop(entry.name);
    this.#add(isBackendSame ? { ...read, backend: before.backend } : read);
    this.#tell(entry.name);
  }

  #add(service: ApiService): void {
    const { backend, group, name, version } = service;
    if (group === this.#own) return;
    this.#byName.set(name, service);
    const versions = this.#groups.get(group) ?? new Map<string, ApiService>();
    this.#groups.set(group, versions.set(version, service));
    this.#generation += 1;
    if (!isRemote(service) || backend === undefined) return;
    this.#remotes.set(name, service);
    this.#remoteGroups.set(group, (this.#remoteGroups.get(group) ?? 0) + 1);
    const place = `${backend.namespace}/${backend.name}`;
    this.#behind.set(place, (this.#behind.get(place) ?? new Set<string>()).add(name));
  }

  #drop(name: string): void {
    const service = this.#byName.get(name);
    if (service === undefined) return;
    const { backend, group, version } = service;
    this.#byName.delete(name);
    const versions = this.#groups.get(group);
    versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
    this.#generation += 1;
    if (backend === undefined) return;
    this.#remotes.delete(name);
    const left = (this.#remoteGroups.get(group) ?? 0) - 1;
    if (left > 0) this.#remoteGroups.set(group, left);
    else this.#remoteGroups.delete(group);
    const place = `${backend.namespace}/${backend.name}`;
    const names = this.#behind.get(place);
    names?.delete(name);
    if (names?.size === 0) this.#behind.delete(place);
  }

  #clear(): void {
    const names = [...this.#byName.keys()];
    for (const name of names) this.#drop(name);
    for (const name of names) this.#tell(name);
  }

  #tell(name: string): void {
    for (const listener of [...this.#listeners]) listener(name);
  }
}

/** Nothing that anybody asks for is another, beside the backend; metadata may be. */
function saysTheSame(a: ApiService, b: ApiService): boolean {
  const asked = ['group', 'version', 'groupPriority', 'versionPriority', 'isAvailable'] as const;
  return asked.every((key) => a[key] === b[key]);
}

function sameBackend(a: Backend | undefined, b: Backend | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const said = ['namespace', 'name', 'port', 'ca', 'insecureSkipVerify'] as const;
  return said.every((key) => a[key] === b[key]);
}
