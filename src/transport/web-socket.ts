/**
 * WebSocket (RFC 6455) instead of a chunked body: what both adapters must know of it. The clients
 * that speak it are browsers, and libraries for Java, which watch so.
 *
 * A connection that has changed over carries one response, each write of which is one message.
 * What the client sends is not for anybody: pings and closes are answered, the rest is dropped.
 *
 * Bounds: `webSocketLimits`; what a reader has not taken is bounded as of any other stream.
 */
import type { HttpExchange } from './http-exchange.ts';

export const webSocketLimits = {
  /** Of a message that a client sends. Policy: its connection is closed (1009). */
  receivedBytesMax: 4 * 1024,
  /** In one turn of the event loop. Policy: a connection that brings more is cut. */
  pingsPerTurnMax: 256,
  /** Of the subprotocols that are offered; further ones are not looked at. */
  protocolsMax: 16,
} as const;

/** The stream has said all there is to say. */
export const normalClosure = 1000;
export const wrongClosure = 1002;
/** A text that is no UTF-8. */
export const noTextClosure = 1007;
/** The rest of a message does not come. */
export const slowClosure = 1008;
export const tooBigClosure = 1009;
export const errorClosure = 1011;
/** There is no room now. */
export const laterClosure = 1013;

type RequestHead = Pick<HttpExchange, 'method' | 'header' | 'headerValues'>;

/** What is offered, in the order of preference. Undefined: nobody asks for WebSocket in a way that
 * can be granted. */
export function protocolsOf(exchange: RequestHead): readonly string[] | undefined {
  const asks =
    exchange.method === 'GET' &&
    exchange.header('upgrade')?.toLowerCase() === 'websocket' &&
    /(^|[ ,])upgrade($|[ ,])/i.test(exchange.header('connection') ?? '') &&
    exchange.header('sec-websocket-version') === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(exchange.header('sec-websocket-key') ?? '');
  if (!asks) return undefined;
  return exchange
    .headerValues('sec-websocket-protocol')
    .flatMap((value) => value.split(',', webSocketLimits.protocolsMax))
    .map((value) => value.trim())
    .filter((value) => value !== '')
    .slice(0, webSocketLimits.protocolsMax);
}

/** Of frames (RFC 6455, 5.2). */
export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;
/** Of the first byte: nothing of the message follows. */
export const finalBit = 0x80;
/** Larger lengths are said in two bytes, or in eight. Control frames have no larger ones. */
export const oneByteLengthMax = 125;
const twoByteLengthMax = 0xffff;

/** A message as a server sends it, in one frame. The bytes are copied. */
export function framed(message: Uint8Array, isText: boolean): Buffer {
  const { byteLength } = message;
  const lengthBytes = byteLength <= oneByteLengthMax ? 0 : byteLength <= twoByteLengthMax ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + lengthBytes + byteLength);
  frame[0] = finalBit | (isText ? opcodes.text : opcodes.binary);
  if (lengthBytes === 0) frame[1] = byteLength;
  else if (lengthBytes === 2) {
    frame[1] = 126;
    frame.writeUInt16BE(byteLength, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(byteLength), 2);
  }
  frame.set(message, 2 + lengthBytes);
  return frame;
}

/** As a server sends it. */
export function controlFrame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(finalBit | opcode, payload.byteLength), payload]);
}
