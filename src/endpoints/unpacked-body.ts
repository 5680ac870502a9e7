/**
 * A large document that is kept packed, for a reader who does not take it so: unpacked as he takes
 * it (spec 1, section 4.3). Readers who take nothing hold no more than that.
 *
 * Elsewhere: lists (list-response.ts). Memory: zlib's window and a chunk or two for each reader.
 */
import { gunzipParts } from '../apimachinery/codecs/gzip.ts';
import type { Turns } from '../stdx/turns.ts';
import type { HttpExchange, ResponseStream } from '../transport/http-exchange.ts';
import type { AnsweredRequest } from './request.ts';
import { turnToSend } from './turn-to-send.ts';

/** Resolves when all of it has been handed over, or the client has gone. The stream has begun. */
export async function sendUnpacked(
  turns: Pick<Turns, 'pause'>,
  { exchange, seat }: Pick<AnsweredRequest, 'seat'> & { exchange: Pick<HttpExchange, 'onAbort'> },
  stream: ResponseStream,
  packed: Uint8Array,
): Promise<void> {
  if (stream.closed) return;
  let goOn = (): void => undefined;
  exchange.onAbort(() => goOn());
  const taken = (): Promise<void> =>
    new Promise((resolve) => {
      goOn = resolve;
      stream.onDrain(resolve);
    });
  try {
    for await (const part of gunzipParts(packed)) {
      await turnToSend(turns, part);
      if (stream.closed) return;
      if (!stream.write(part)) {
        seat.waits(true);
        await taken();
        seat.waits(false);
      }
      if (stream.closed) return;
    }
  } catch (error) {
    // What has begun cannot be completed.
    stream.abort();
    throw error;
  }
  stream.end();
}
