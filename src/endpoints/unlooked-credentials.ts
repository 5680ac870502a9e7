/** The answer to credentials that nobody has looked at, because too many are looked at. */
import { newTooManyRequests } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';

const retryAfterSeconds = 1;

/** Who is told that they are wrong throws good ones away; who is told this comes again. */
export function unlookedCredentials(): StatusError {
  const message = 'too many credentials are being looked at, please try again later';
  return newTooManyRequests(message, retryAfterSeconds);
}
