/**
 * Requests that ask for WebSocket on uWebSockets.js: exchanges like all others, which have the
 * library change the connection over when they are answered with messages.
 */
import { conversationLimits } from '../http-exchange.ts';
import type { TransportLimits } from '../http-exchange.ts';
import { webSocketLimits } from '../web-socket.ts';
import type {
  UwsRequest,
  UwsResponse,
  UwsUpgradeContext,
  UwsWebSocketBehavior,
} from './uws-binding.ts';
import type { UwsExchange } from './uws-exchange.ts';

/** The library counts in units of four seconds, and no further than this. */
const idleSecondsMin = 8;
const idleSecondsMax = 960;

type Serve = (res: UwsResponse, req: UwsRequest, context: UwsUpgradeContext) => void;

export function webSocketBehavior(
  { idleTimeoutMs, unreadBytesPerConnectionMax }: TransportLimits,
  serve: Serve,
): UwsWebSocketBehavior<UwsExchange> {
  const idleSeconds = Math.round(idleTimeoutMs / 4_000) * 4;
  return {
    maxPayloadLength: webSocketLimits.receivedBytesMax,
    // Above it the library would drop messages: nobody writes so much before it has been taken.
    maxBackpressure: unreadBytesPerConnectionMax,
    idleTimeout: Math.min(Math.max(idleSeconds, idleSecondsMin), idleSecondsMax),
    sendPingsAutomatically: true,
    compression: 0,
    upgrade: serve,
    open: (socket) => socket.getUserData().exchange.opened(socket),
    drain: (socket) => socket.getUserData().exchange.messages?.drained(),
    ping: (socket) => socket.getUserData().exchange.messages?.pinged(),
    close: (socket) => socket.getUserData().exchange.socketClosed(),
  };
}

/** Of paths on which clients are listened to. */
export function conversationBehavior(
  limits: TransportLimits,
  serve: Serve,
): UwsWebSocketBehavior<UwsExchange> {
  return {
    ...webSocketBehavior(limits, serve),
    maxPayloadLength: conversationLimits.messageBytesMax,
    message: (socket, message, isBinary) =>
      socket.getUserData().exchange.messages?.received(message, isBinary),
  };
}
