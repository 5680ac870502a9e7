/**
 * The usage in a namespace of everything that its quotas limit: one pass over its objects for all
 * quotas.
 *
 *     quotas ─▶ their scopes, each once ─┐
 *            ─▶ the resources they name ─┴─▶ each object: its usage ─▶ added to each scope it is in
 *                                                              └─▶ used, of each quota
 *
 * Elsewhere: charging (admission/quota/charge.ts), and what is done about a figure that is wrong
 * (quota-counter.ts).
 *
 * Invariant: all of it as the caches are at one moment, the one of the call.
 * Bounds: linear in the objects, times the different scopes of the quotas, whatever values those
 * have; counts without scopes are looked up. A step for each object.
 */
import { scopeTest } from '../admission/quota/scopes.ts';
import {
  countName,
  isCounted,
  plainlyCounted,
  usageNames,
  usageOf,
} from '../admission/quota/usage.ts';
import type { Usage, UsageNames } from '../admission/quota/usage.ts';
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { addQuantities, formatQuantity, parseQuantity } from '../apimachinery/quantity.ts';
import type { Quantity } from '../apimachinery/quantity.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { ResourceSnapshot } from '../../streams/streams.ts';

type UsageDeps = Pick<RegistryDeps, 'identity' | 'scheme' | 'streams'>;

/** The status of a quota. */
export interface Counted {
  readonly hard: JsonObject;
  readonly used: Readonly<Record<string, string>>;
}

/** Quotas that are about the same objects. */
interface Scope {
  readonly includes: ReturnType<typeof scopeTest>;
  readonly isUnscoped: boolean;
  readonly totals: Map<string, Quantity>;
}

interface Source {
  readonly resource: GroupResource;
  readonly snapshot: ResourceSnapshot;
  /** What is asked of it, by scope. */
  readonly names: Map<Scope, Set<string>>;
}

/** Names of a quota that are looked up at once. */
const namesAtOnce = 256;

/** In the order of the quotas, which are all of this namespace. */
export function* countQuotas(
  deps: UsageDeps,
  namespace: string,
  quotas: readonly ApiObject[],
): Steps<readonly Counted[]> {
  const names = usageNames(deps.identity);
  const scopes = new Map<string, Scope>();
  const sources = new Map<string, Source>();
  const ofQuotas: { readonly hard: JsonObject; readonly scope: Scope }[] = [];
  for (const quota of quotas) {
    const spec = part(quota, 'spec');
    const scope = scopeOf(scopes, spec);
    const hard = part(spec, 'hard');
    for (const [at, name] of Object.keys(hard).entries()) {
      if (at % namesAtOnce === namesAtOnce - 1) yield;
      const source = sourceOf(deps, sources, name, names);
      if (source === undefined) continue;
      const asked = source.names.get(scope) ?? new Set<string>();
      source.names.set(scope, asked.add(name));
    }
    ofQuotas.push({ hard, scope });
    yield;
  }
  yield* counting([...sources.values()], namespace, names);
  const counted: Counted[] = [];
  for (const { hard, scope } of ofQuotas) {
    counted.push({ hard, used: usedOf(hard, scope) });
    yield;
  }
  return counted;
}

/** Whether all that the quota limits can be read. */
export function isCountable({ identity, scheme, streams }: UsageDeps, quota: ApiObject): boolean {
  if (streams.waitingCount === 0) return true;
  const names = usageNames(identity);
  return Object.keys(part(part(quota, 'spec'), 'hard')).every((name) => {
    const resource = resourceOf(name, names);
    return scheme.findStorage(resource) === undefined || !streams.isWaiting(resource);
  });
}

function scopeOf(scopes: Map<string, Scope>, spec: JsonObject): Scope {
  const { scopeSelector, scopes: listed } = spec;
  const key = JSON.stringify([listed, scopeSelector]);
  const known = scopes.get(key);
  if (known !== undefined) return known;
  const isUnscoped = listed === undefined && scopeSelector === undefined;
  const made: Scope = { includes: scopeTest(spec), isUnscoped, totals: new Map() };
  scopes.set(key, made);
  return made;
}

/** Which resource a name is about. Undefined: it is none here, so there are no objects of it. */
function sourceOf(
  { scheme, streams }: UsageDeps,
  sources: Map<string, Source>,
  name: string,
  names: UsageNames,
): Source | undefined {
  const resource = resourceOf(name, names);
  if (!isCounted(resource)) return undefined;
  const key = `${resource.group}/${resource.resource}`;
  const known = sources.get(key);
  if (known !== undefined) return known;
  if (scheme.findStorage(resource)?.namespaced !== true) return undefined;
  const made: Source = { resource, snapshot: streams.snapshot(resource), names: new Map() };
  sources.set(key, made);
  return made;
}

function resourceOf(
  name: string,
  { devicesOfClass, resourceGroup, storageDomain }: UsageNames,
): GroupResource {
  const core = (resource: string): GroupResource => ({ group: '', resource });
  if (name.startsWith('count/')) {
    const [resource = '', ...group] = name.slice('count/'.length).split('.');
    return { resource, group: group.join('.') };
  }
  if (plainlyCounted.has(name)) return core(name);
  if (name.startsWith('services.')) return core('services');
  if (name === 'requests.storage' || name.includes(`.storageclass.${storageDomain}/`)) {
    return core('persistentvolumeclaims');
  }
  if (name.endsWith(devicesOfClass)) return { group: resourceGroup, resource: 'resourceclaims' };
  return core('pods');
}

function* counting(
  sources: readonly Source[],
  namespace: string,
  kindNames: UsageNames,
): Steps<void> {
  for (const { names, resource, snapshot } of sources) {
    const looked: (readonly [Scope, ReadonlySet<string>])[] = [];
    for (const [scope, asked] of names) {
      if (scope.isUnscoped && [...asked].every((name) => isPlainCount(name, resource))) {
        const count = parseQuantity(String(snapshot.count(namespace))) as Quantity;
        for (const name of asked) add(scope.totals, name, count);
      } else looked.push([scope, asked]);
    }
    if (looked.length === 0) continue;
    for (const { bytes } of snapshot.entries(namespace)) {
      const usage = usageOf(resource, decodeObject(bytes), kindNames);
      for (const [scope, asked] of looked) {
        if (scope.includes(usage.scopes)) addUsage(scope, asked, usage);
      }
      yield;
    }
  }
}

/** Every object of the resource counts as one. */
function isPlainCount(name: string, resource: GroupResource): boolean {
  if (name === countName(resource)) return true;
  return name === resource.resource && name !== 'pods';
}

function addUsage({ totals }: Scope, asked: ReadonlySet<string>, { amounts }: Usage): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const quantity = asked.has(name) ? parseQuantity(amount) : undefined;
    if (quantity !== undefined) add(totals, name, quantity);
  }
}

function add(totals: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = totals.get(name);
  totals.set(name, before === undefined ? amount : addQuantities(before, amount));
}

function usedOf(hard: JsonObject, { totals }: Scope): Readonly<Record<string, string>> {
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) {
    const total = totals.get(name);
    used[name] = total === undefined ? '0' : formatQuantity(total);
  }
  return used;
}
