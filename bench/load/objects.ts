/**
 * The objects the load writes: config maps of a given size, each with one mark in it.
 *
 *   "p":"~00000042xxxxxxxx..."      mark, sequence number of eight digits, filling
 *
 * Invariant: the mark occurs once in an object and nowhere else in a response, so events are
 * counted by counting marks, without parsing.
 */

/** `~`: neither in names nor in the framing. */
export const MARK = 0x7e;
export const SEQUENCE_DIGITS = 8;

/** What the server adds: uid, creationTimestamp, resourceVersion, namespace, managedFields. */
const SERVER_METADATA_BYTES = 330;

export const collectionPath = '/api/v1/namespaces/default/configmaps';

/** JSON of about `bytes` bytes once the server has completed it. */
export function configMap(name: string, sequence: number, bytes: number): string {
  const digits = String(sequence).padStart(SEQUENCE_DIGITS, '0');
  const head = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},"data":{"p":"~`;
  const filling = Math.max(0, bytes - SERVER_METADATA_BYTES - head.length - digits.length - 3);
  return `${head}${digits}${'x'.repeat(filling)}"}}`;
}

/** A whole request: head and body in one piece, for one write. */
export function requestBytes(
  method: string,
  path: string,
  body: string,
  contentType = 'application/json',
): Buffer {
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n` +
      `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** What opens a watch or a download. `token`: of whom, where the server asks. */
export function getRequest(path: string, token?: string, accept = 'application/json'): Buffer {
  const head = `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: ${accept}\r\n\r\n`;
  return token === undefined ? Buffer.from(head) : authorized(Buffer.from(head), token);
}

/** The same request, with a token. */
export function authorized(request: Buffer, token: string): Buffer {
  const at = request.indexOf('\r\n') + 2;
  const header = Buffer.from(`Authorization: Bearer ${token}\r\n`);
  return Buffer.concat([request.subarray(0, at), header, request.subarray(at)]);
}

export function createRequest(name: string, sequence: number, bytes: number): Buffer {
  return requestBytes('POST', collectionPath, configMap(name, sequence, bytes));
}

export function replaceRequest(name: string, sequence: number, bytes: number): Buffer {
  return requestBytes('PUT', `${collectionPath}/${name}`, configMap(name, sequence, bytes));
}

export function objectName(prefix: string, index: number): string {
  return `${prefix}-${String(index).padStart(SEQUENCE_DIGITS, '0')}`;
}
