/** Warnings about amounts of bytes that are not a whole number. */
import { part, text } from '../../apimachinery/members.ts';
import { parseQuantity } from '../../apimachinery/quantity.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Warnings } from './kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from './kind-warnings.ts';

/** Of amounts by resource, at this path. */
export function byteWarnings(
  amounts: JsonObject,
  path: string,
  resources: readonly string[],
): Warnings {
  return warningsOfEach(resources, (resource) => {
    const amount = text(amounts, resource);
    if (amount === '' || isWhole(amount)) return noWarnings;
    const shown = quote(amount);
    return [`${path}[${resource}]: fractional byte value ${shown} is invalid, must be an integer`];
  });
}

/** Down to thousandths: smaller parts were rounded up when the amount was read. */
function isWhole(amount: string): boolean {
  const quantity = parseQuantity(amount);
  if (quantity === undefined || quantity.exp10 >= 0) return true;
  return quantity.unscaled % 10n ** BigInt(-quantity.exp10) === 0n;
}

export function claimSpecWarnings(spec: JsonObject, path: string): Warnings {
  const resources = part(spec, 'resources');
  return allWarnings(
    byteWarnings(part(resources, 'requests'), `${path}.resources.requests`, ['storage']),
    byteWarnings(part(resources, 'limits'), `${path}.resources.limits`, ['storage']),
  );
}
