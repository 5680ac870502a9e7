/**
 * The answer to what never becomes an exchange: a head that cannot be read, is too large, comes too
 * slowly, or is for somebody else. It is a Status, as every answer of the server that is none of
 * its objects, so a client that reads those can say what was wrong.
 *
 * Nothing is negotiated: nobody knows what such a client accepts.
 */
import { statusLine } from './header-rules.ts';

export interface Refusal {
  readonly status: number;
  /** As in the table of reasons; '' where it has none of its own. */
  readonly reason: string;
  readonly message: string;
}

export const refusalType = 'application/json';

/** What is wrong with a request that names two hosts, of which a proxy may have taken the other. */
export const twoHosts = 'too many Host headers';
export const noHost = 'the Host header is malformed';

export function malformed(message: string): Refusal {
  return { status: 400, reason: 'BadRequest', message };
}

export const unknownMethod: Refusal = {
  status: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
};

export const expectationFailed: Refusal = {
  status: 417,
  reason: '',
  message: 'the only expectation known here is 100-continue',
};

export const tooSlow: Refusal = {
  status: 408,
  reason: 'Timeout',
  message: 'the request did not arrive in time',
};

export function headTooLarge(limitBytes: number): Refusal {
  const message = `the request head is larger than ${limitBytes} bytes`;
  return { status: 431, reason: '', message };
}

export const tooManyRequests: Refusal = {
  status: 503,
  reason: 'ServiceUnavailable',
  message: 'too many requests in progress',
};

export function refusalBody({ status, reason, message }: Refusal): string {
  const said = reason === '' ? {} : { reason };
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return `${JSON.stringify(Object.assign(head, { message }, said, { code: status }))}\n`;
}

/** The whole answer, for a connection that has no better way to say it. */
export function rawRefusal(refusal: Refusal): string {
  const body = refusalBody(refusal);
  return [
    `HTTP/1.1 ${statusLine(refusal.status)}`,
    `Content-Type: ${refusalType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Of an answer that would be one too many for those that have not been read; as the reference
 * says it, in plain text. */
export const tooManyUnread = {
  status: 429,
  headers: [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Retry-After', '1'],
  ],
  body: 'Too many requests, please try again later.\n',
} as const;
