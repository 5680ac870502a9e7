/**
 * The groups that discovery shows: those of this server, and those of others behind it, in one
 * order.
 *
 *     this server's, as the scheme has them ─┐   a group of others alone stands before the first
 *     others', by priority, then by name ────┴▶  one of this server that has a lower priority
 *
 * Versions of one group, whoever answers for them, stand by their priorities (APIServices).
 *
 * Invariants: a version that another server answers for is shown as that one's, be it there or not.
 * Where there are no others it is the scheme's own list. Bound: there may be thousands; in steps.
 */
import type { RemoteVersion } from '../../aggregation/aggregation.ts';
import { isPreferred, isRemote } from '../../aggregation/api-service.ts';
import type { RemoteService } from '../../aggregation/api-service.ts';
import type { ApiServices } from '../../aggregation/api-services.ts';
import type { GroupInfo, Scheme, VersionInfo } from '../../apimachinery/scheme.ts';
import { inSteps, sortedInSteps } from '../../stdx/in-steps.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export interface RemoteShown {
  readonly version: string;
  readonly remote: RemoteService;
}

export type ShownVersion = VersionInfo | RemoteShown;

export interface ShownGroup {
  readonly group: string;
  /** Preferred first. Never empty. */
  readonly versions: readonly ShownVersion[];
}

/** What another server says of its version. */
export type ResourcesOf = (service: RemoteService) => RemoteVersion;

type Served = Pick<Scheme, 'findGroup' | 'groups'>;

/** As by whoever makes definitions served (controllers/definitions). */
const definedPriority = 100;

/** All but the core group. */
export function* shownGroups(scheme: Served, services: ApiServices): Steps<readonly ShownGroup[]> {
  const own = scheme.groups.filter(({ group }) => group !== '');
  if (services.isEmpty) return own;
  const others = yield* othersOf(scheme, services);
  const shown: ShownGroup[] = [];
  let at = 0;
  let priority = Number.POSITIVE_INFINITY;
  const addBefore = (isBefore: (other: Placed) => boolean): void => {
    for (let next = others[at]; next !== undefined && isBefore(next); next = others[(at += 1)]) {
      shown.push(next.shown);
    }
  };
  yield* inSteps(own, (group) => {
    priority = priorityOf(services, group.group) ?? priority;
    addBefore((other) => other.priority > priority);
    shown.push(withRemotes(group, services));
    return undefined;
  });
  addBefore(() => true);
  return shown;
}

/** Undefined: there is no such group. */
export function shownGroup(
  scheme: Served,
  services: ApiServices,
  name: string,
): ShownGroup | undefined {
  const own = scheme.findGroup(name);
  if (services.isEmpty) return own;
  const found = withRemotes(own ?? { group: name, versions: [] }, services);
  return found.versions.length === 0 ? undefined : found;
}

interface Placed {
  readonly shown: ShownGroup;
  readonly priority: number;
}

/** Groups in which nothing is this server's. */
function* othersOf(scheme: Served, services: ApiServices): Steps<readonly Placed[]> {
  const found: Placed[] = [];
  yield* inSteps(services.remoteGroups(), (group) => {
    if (group === '' || scheme.findGroup(group) !== undefined) return undefined;
    const shown = withRemotes({ group, versions: [] }, services);
    found.push({ shown, priority: priorityOf(services, group) ?? 0 });
    return undefined;
  });
  return yield* sortedInSteps(found, (a, b) =>
    a.priority === b.priority ? a.shown.group < b.shown.group : a.priority > b.priority,
  );
}

function priorityOf(services: ApiServices, group: string): number | undefined {
  let highest: number | undefined;
  for (const { groupPriority } of services.ofGroup(group)) {
    if (highest === undefined || groupPriority > highest) highest = groupPriority;
  }
  return highest;
}

function withRemotes(
  own: Pick<GroupInfo, 'group' | 'versions'>,
  services: ApiServices,
): ShownGroup {
  const remotes: RemoteService[] = [];
  const priorities = new Map<string, number>();
  for (const service of services.ofGroup(own.group)) {
    priorities.set(service.version, service.versionPriority);
    if (isRemote(service)) remotes.push(service);
  }
  if (remotes.length === 0) return own;
  const shown: readonly ShownVersion[] = [
    ...own.versions.filter(({ version }) => !remotes.some((each) => each.version === version)),
    ...remotes.map((remote) => ({ version: remote.version, remote })),
  ];
  const placeOf = ({ version }: ShownVersion) => {
    return { version, versionPriority: priorities.get(version) ?? definedPriority };
  };
  const versions = [...shown].sort((a, b) => (isPreferred(placeOf(a), placeOf(b)) ? -1 : 1));
  return { group: own.group, versions };
}
