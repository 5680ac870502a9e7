/** The numbers of HTTP/2 (RFC 9113), and how a frame begins. */

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const noBytes = new Uint8Array();

export const frameHeadBytes = 9;

/** Of a frame that either side may send while nothing else is agreed on; we never allow more. */
export const frameBytesMin = 16 * 1024;
export const frameBytesMax = 2 ** 24 - 1;

export const windowAtFirst = 65_535;
export const windowMax = 2 ** 31 - 1;

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = {
  endStream: 0x1,
  /** Of SETTINGS and PING. */
  ack: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const errorCodes = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

/** Writes the head of a frame; returns where its payload begins. */
export function writeFrameHead(
  to: Uint8Array,
  at: number,
  length: number,
  type: number,
  flagBits: number,
  stream: number,
): number {
  to[at] = length >>> 16;
  to[at + 1] = length >>> 8;
  to[at + 2] = length;
  to[at + 3] = type;
  to[at + 4] = flagBits;
  return writeUint32(to, at + 5, stream);
}

export function writeUint32(to: Uint8Array, at: number, value: number): number {
  to[at] = value >>> 24;
  to[at + 1] = value >>> 16;
  to[at + 2] = value >>> 8;
  to[at + 3] = value;
  return at + 4;
}

/** 31 bits: the first one is reserved. */
export function readUint31(from: Uint8Array, at: number): number {
  const first = (from[at] as number) & 0x7f;
  return (
    first * 0x1_00_00_00 +
    (((from[at + 1] as number) << 16) | ((from[at + 2] as number) << 8) | (from[at + 3] as number))
  );
}

export function readUint32(from: Uint8Array, at: number): number {
  return readUint31(from, at) + ((from[at] as number) & 0x80 ? 2 ** 31 : 0);
}
