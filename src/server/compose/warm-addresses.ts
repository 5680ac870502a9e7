/**
 * Reads a few thousand addresses before anybody is served: a slice of endpoints may hold 24,000,
 * and with functions that the engine does not know yet the first one would be a turn of 30 to 45
 * ms.
 *
 * What is read here is forgotten. Bound: some milliseconds of the start.
 */
import { checkReachableIp, ipFamily } from '../../apis/validation/checks.ts';
import { ipWarnings } from '../../apis/warnings/ip-addresses.ts';
import { assert } from '../../stdx/assert.ts';

const addressesOfEach = 2_000;

let isWarm = false;

/** Once in a process. */
export function warmAddresses(): void {
  if (isWarm) return;
  isWarm = true;
  for (let at = 0; at < addressesOfEach; at += 1) {
    warm(`10.${at % 250}.${at >> 8}.7`, 4);
    warm(`2001:db8::${at.toString(16)}:1:${(at % 250).toString(16)}`, 6);
  }
}

function warm(address: string, family: 4 | 6): void {
  assert(ipFamily(address) === family, 'it is an address');
  const problems = checkReachableIp(address).length + ipWarnings('warm', address).length;
  assert(family === 6 || problems === 0, 'it is one that traffic is sent to');
}
