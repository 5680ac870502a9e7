/**
 * Addresses to which requests of callers may be passed on: those of one host somewhere else.
 * Loopback, link-local, multicast and unspecified addresses are the server's own affair.
 */
import { isIP } from 'node:net';
import { newBadRequest } from './status-error.ts';
import type { StatusError } from './status-error.ts';

const notOneHostV4 = /^(?:0\.0\.0\.0$|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/;
const notOneHostV6 = /^(?:::1?$|f[ef]|::ffff:)/i;

/** False, too, for what is no address. */
export function isReachable(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notOneHostV4.test(address);
  return family === 6 && !notOneHostV6.test(address);
}

/** Of one that is not. */
export function addressNotAllowed(): StatusError {
  return newBadRequest('address not allowed');
}
