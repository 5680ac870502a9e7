/**
 * Charges a quota for a write: gives the new figures of the quota, or why the write is refused.
 *
 *     before ─┐
 *             ├─▶ difference, by name ─▶ more ▶ over spec.hard? ▶ refused  status.used + difference
 *     after ──┘                          less ▶ given back
 *
 * It runs in the transaction that writes the object, on the quota as it is there. So usage never
 * exceeds the quota, whoever writes, and the status is correct at once.
 *
 * controllers/quota-counter.ts counts: it makes the first figures and corrects wrong ones.
 *
 * Invariants: pure and exact. A write that takes less is never refused, and neither is a status
 * report of what an object takes. `used` is never negative. What has not been counted yet cannot be
 * taken, so that the count cannot miss it.
 */
import { part } from '../../apimachinery/members.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
  writeQuantity,
} from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { inScope } from './scopes.ts';
import type { Usage } from './usage.ts';

/** Plain JSON: the instruction of the companion. */
export interface Charge {
  /** Of the quota that is meant. */
  readonly uid: string;
  /** What the object takes now; null: it goes. */
  readonly is: Usage | null;
  /** What it took before; null: it comes. */
  readonly was: Usage | null;
  /** It takes more or less by its status alone: whoever reports what is so is not refused. */
  readonly reported?: true;
}

/** Codes of refusals. */
export const chargeCodes = {
  exceeded: 'exceeded',
  /** A container does not say what the quota demands. */
  unsaid: 'unsaid',
  uncounted: 'uncounted',
  /** It is another quota of this name. */
  moved: 'moved',
  /** Nothing can be encrypted, and the quota is to be. */
  unwritable: 'unwritable',
} as const;

const zero: Quantity = { unscaled: 0n, exp10: 0, format: 'DecimalSI' };

interface Difference {
  readonly name: string;
  readonly by: Quantity;
}

/** A quota and what its charges have made of it. A quota has up to a thousand names, and is charged
 * for every write of a commit: only the figures that change are kept, until it is written. */
export interface ChargedQuota {
  readonly quota: ApiObject;
  /** Figures that stand for those in status.used. */
  readonly figures: ReadonlyMap<string, string>;
}

type ChargeResult =
  | { readonly kind: 'amended'; readonly next: ChargedQuota }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** `charged`: as it is; it is left so. */
export function chargeQuota(charged: ChargedQuota, charge: Charge): ChargeResult {
  const { quota } = charged;
  const { is, reported = false, uid, was } = charge;
  const { name = '' } = quota.metadata;
  const spec = part(quota, 'spec');
  if (quota.metadata.uid !== uid) {
    return is === null ? unchanged : refused('moved', `quota ${name} is another one now`);
  }
  const now = is !== null && inScope(spec, is.scopes) ? is : null;
  const before = was !== null && inScope(spec, was.scopes) ? was : null;
  const hard = part(spec, 'hard');
  const differences = differencesOf(hard, now, before);
  const more = differences.filter(({ by }) => by.unscaled > 0n);
  const used = usedOf(charged);
  const isAsked = now !== null && !reported && !sameDemands(now, before);
  const refusal =
    (isAsked ? unsaidBy(name, hard, now) : undefined) ??
    (more.length === 0 ? undefined : refusalOf(name, hard, used, more, reported));
  if (refusal !== undefined) return refusal;
  const figures = new Map(charged.figures);
  for (const { by, name: each } of differences) {
    const before = used(each);
    if (before === undefined) continue;
    const sum = addQuantities(before, by);
    figures.set(each, writeQuantity(sum.unscaled < 0n ? zero : sum));
  }
  return { kind: 'amended', next: { quota, figures } };
}

/** The quota with all that it was charged. */
export function chargedObject({ figures, quota }: ChargedQuota): ApiObject {
  if (figures.size === 0) return quota;
  const status = part(quota, 'status');
  const used: Record<string, JsonValue | undefined> = { ...part(status, 'used') };
  for (const [name, figure] of figures) used[name] = figure;
  // A quota that was counted has both; what is allowed is what the spec says now.
  return { ...quota, status: { ...status, hard: part(quota, 'spec')['hard'] ?? {}, used } };
}

const unchanged: ChargeResult = { kind: 'unchanged' };

/** Undefined: nobody has counted it. */
type UsedAt = (name: string) => Quantity | undefined;

function usedOf({ figures, quota }: ChargedQuota): UsedAt {
  const stored = part(part(quota, 'status'), 'used');
  return (name) => {
    const figure = figures.get(name);
    return figure === undefined ? quantityAt(stored, name) : parseQuantity(figure);
  };
}

function refused(code: keyof typeof chargeCodes, message: string): ChargeResult {
  return { kind: 'refused', code: chargeCodes[code], message };
}

/** Of the names that the quota bounds, those of which the object takes more or less. */
function differencesOf(hard: JsonObject, is: Usage | null, was: Usage | null): Difference[] {
  const found: Difference[] = [];
  const look = (name: string): void => {
    if (!Object.hasOwn(hard, name)) return;
    const by = subtractQuantities(amountOf(is, name), amountOf(was, name));
    if (by.unscaled !== 0n) found.push({ name, by });
  };
  for (const name of Object.keys(is?.amounts ?? {})) look(name);
  for (const name of Object.keys(was?.amounts ?? {})) {
    if (is === null || !Object.hasOwn(is.amounts, name)) look(name);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function amountOf(usage: Usage | null, name: string): Quantity {
  const amount = usage !== null && Object.hasOwn(usage.amounts, name) ? usage.amounts[name] : '0';
  return parseQuantity(amount ?? '0') ?? zero;
}

/** A change that says as little as before is not asked for more. */
function sameDemands(is: Usage, was: Usage | null): boolean {
  return was !== null && JSON.stringify(is.missing) === JSON.stringify(was.missing);
}

/** Of the whole container lists: `limits.cpu for: a,b; requests.memory for: a`. */
function unsaidBy(quota: string, hard: JsonObject, { missing }: Usage): ChargeResult | undefined {
  const names = Object.keys(missing).filter((name) => Object.hasOwn(hard, name));
  if (names.length === 0) return undefined;
  const said = names.sort().map((name) => `${name} for: ${missing[name]?.join(',')}`);
  return refused('unsaid', `failed quota: ${quota}: must specify ${said.join('; ')}`);
}

function refusalOf(
  quota: string,
  hard: JsonObject,
  used: UsedAt,
  more: readonly Difference[],
  reported: boolean,
): ChargeResult | undefined {
  const unknown = more.filter(({ name }) => used(name) === undefined);
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(',');
    return refused('uncounted', `status unknown for quota: ${quota}, resources: ${names}`);
  }
  if (reported) return undefined;
  const over = more.filter(({ by, name }) => {
    const limit = quantityAt(hard, name) ?? zero;
    return compareQuantities(addQuantities(used(name) ?? zero, by), limit) > 0;
  });
  if (over.length === 0) return undefined;
  const listed = (amount: (each: Difference) => Quantity): string =>
    over.map((each) => `${each.name}=${formatQuantity(amount(each))}`).join(',');
  return refused(
    'exceeded',
    `exceeded quota: ${quota}, requested: ${listed(({ by }) => by)}, ` +
      `used: ${listed(({ name }) => used(name) ?? zero)}, ` +
      `limited: ${listed(({ name }) => quantityAt(hard, name) ?? zero)}`,
  );
}

function quantityAt(amounts: JsonObject, name: string): Quantity | undefined {
  if (!Object.hasOwn(amounts, name)) return undefined;
  return parseQuantity(String(amounts[name]));
}

/** Names that the quota bounds and nobody has counted. */
export function uncountedNames(quota: ApiObject): readonly string[] {
  const used = part(part(quota, 'status'), 'used');
  const names = Object.keys(part(part(quota, 'spec'), 'hard'));
  return names.filter((name) => quantityAt(used, name) === undefined);
}
