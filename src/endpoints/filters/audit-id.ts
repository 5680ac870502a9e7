/**
 * The ID of a request in answers and in audit events: the header Audit-ID, taken from the client or
 * made here, and sent with every answer, audited or not.
 *
 * Where clients choose it, it need not be unique. Bound: 64 visible characters; any other header is
 * ignored.
 */
import type { Prng } from '../../stdx/prng.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';

const headerName = 'Audit-ID';
const idPattern = /^[\x21-\x7e]{1,64}$/;

export function identifyRequest(exchange: HttpExchange, prng: Prng): string {
  const given = exchange.header(headerName.toLowerCase());
  const id = given !== undefined && idPattern.test(given) ? given : prng.uuid();
  exchange.setAnswerHeader(headerName, id);
  return id;
}
