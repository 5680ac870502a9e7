/** Frames of HTTP/2, as bytes: for clients that decide about each themselves. */

export const prefaceText = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
export const headBytes = 9;

export function frameOf(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
