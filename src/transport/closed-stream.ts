/**
 * The response stream of an exchange that can carry no body: its client has gone, or the answer is
 * complete with its head (HEAD, 204, 304). Takes everything and does nothing.
 */
import type { ResponseStream } from './http-exchange.ts';

export const closedStream: ResponseStream = {
  write: () => true,
  onDrain() {},
  end() {},
  abort() {},
  closed: true,
};
