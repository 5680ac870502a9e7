/**
 * Checks one request against one limit of a LimitRange, with the reference's messages.
 *
 * pod-limits.ts walks over the pods and claims.
 *
 * Invariants: exact. Amounts are compared as they were written, at any precision. Ratios are
 * compared by multiplication, and rounded only in messages.
 */
import { compareQuantities, formatQuantity } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { Bound } from './namespace-limits.ts';

/** Of one container, pod or claim, by resource. */
export interface Amounts {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

export type Constraint = (type: string, bound: Bound, amounts: Amounts) => string | undefined;

export const atLeast: Constraint = (type, { amount, resource, text }, { limits, requests }) => {
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  const minimum = `minimum ${resource} usage per ${type} is ${text}`;
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (compareQuantities(request, amount) < 0) {
    return `${minimum}, but request is ${formatQuantity(request)}`;
  }
  if (limit !== undefined && compareQuantities(limit, amount) < 0) {
    return `${minimum}, but limit is ${formatQuantity(limit)}`;
  }
  return undefined;
};

export const atMost: Constraint = (type, { amount, resource, text }, { limits, requests }) => {
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  const maximum = `maximum ${resource} usage per ${type} is ${text}`;
  if (limit === undefined) return `${maximum}.  No limit is specified`;
  if (compareQuantities(limit, amount) > 0) {
    return `${maximum}, but limit is ${formatQuantity(limit)}`;
  }
  if (request !== undefined && compareQuantities(request, amount) > 0) {
    return `${maximum}, but request is ${formatQuantity(request)}`;
  }
  return undefined;
};

/** Of what has requests and no limits. */
export const requestAtMost: Constraint = (type, { amount, resource, text }, { requests }) => {
  const request = requests.get(resource);
  const maximum = `maximum ${resource} usage per ${type} is ${text}`;
  if (request === undefined) return `${maximum}.  No request is specified`;
  if (compareQuantities(request, amount) <= 0) return undefined;
  return `${maximum}, but request is ${formatQuantity(request)}`;
};

export const ratioAtMost: Constraint = (type, { amount, resource, text }, { limits, requests }) => {
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  const ratio = `${resource} max limit to request ratio per ${type} is ${text}`;
  if (request === undefined || request.unscaled === 0n) {
    return `${ratio}, but no request is specified or request is 0`;
  }
  if (limit === undefined || limit.unscaled === 0n) {
    return `${ratio}, but no limit is specified or limit is 0`;
  }
  if (compareQuantities(limit, product(amount, request)) <= 0) return undefined;
  return `${ratio}, but provided ratio is ${ratioText(limit, request)}`;
};

export function product(a: Quantity, b: Quantity): { unscaled: bigint; exp10: number } {
  return { unscaled: a.unscaled * b.unscaled, exp10: a.exp10 + b.exp10 };
}

/** Digits behind the point. */
const shownDigits = 6;

function ratioText(limit: Quantity, request: Quantity): string {
  const exp10 = limit.exp10 - request.exp10 + shownDigits;
  const [up, down] = [10n ** BigInt(Math.max(exp10, 0)), 10n ** BigInt(Math.max(-exp10, 0))];
  const divisor = request.unscaled * down;
  const rounded = (limit.unscaled * up * 2n + divisor) / (divisor * 2n);
  const digits = rounded.toString().padStart(shownDigits + 1, '0');
  return `${digits.slice(0, -shownDigits)}.${digits.slice(-shownDigits)}`;
}
