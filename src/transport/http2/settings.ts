/** SETTINGS of either side (RFC 9113, 6.5). */
import { errorCodes, frameBytesMax, frameBytesMin, settingIds } from './protocol.ts';
import { readUint32, windowAtFirst, windowMax, writeUint32 } from './protocol.ts';
import type { ErrorCode } from './protocol.ts';

const settingBytes = 6;

export interface OwnSettings {
  readonly streamsMax: number;
  readonly headBytesMax?: number;
  readonly streamWindow?: number;
}

/** What the client is told; what is left out stays as it was. */
export function ownSettings({ headBytesMax, streamWindow, streamsMax }: OwnSettings): Uint8Array {
  const settings: (readonly [id: number, value: number])[] = [
    [settingIds.maxConcurrentStreams, streamsMax],
  ];
  if (headBytesMax !== undefined) settings.push([settingIds.maxHeaderListSize, headBytesMax]);
  if (streamWindow !== undefined) settings.push([settingIds.initialWindowSize, streamWindow]);
  const payload = new Uint8Array(settings.length * settingBytes);
  let at = 0;
  for (const [id, value] of settings) {
    payload[at + 1] = id;
    at = writeUint32(payload, at + 2, value);
  }
  return payload;
}

/** What the client allows. */
export class PeerSettings {
  /** Of each stream. */
  window = windowAtFirst;
  /** The last ones named the size of the table of headers. */
  hasTableSize = false;

  /** Undefined: all is well. */
  take(payload: Uint8Array): ErrorCode | undefined {
    this.hasTableSize = false;
    if (payload.length % settingBytes !== 0) return errorCodes.frameSizeError;
    for (let at = 0; at < payload.length; at += settingBytes) {
      const id = ((payload[at] as number) << 8) | (payload[at + 1] as number);
      const wrong = this.#set(id, readUint32(payload, at + 2));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #set(id: number, value: number): ErrorCode | undefined {
    switch (id) {
      case settingIds.headerTableSize:
        this.hasTableSize = true;
        return undefined;
      case settingIds.enablePush:
        return value > 1 ? errorCodes.protocolError : undefined;
      case settingIds.initialWindowSize:
        if (value > windowMax) return errorCodes.flowControlError;
        this.window = value;
        return undefined;
      case settingIds.maxFrameSize:
        if (value < frameBytesMin || value > frameBytesMax) return errorCodes.protocolError;
        // Not made use of: behind a larger frame the other streams would wait for longer.
        return undefined;
      default:
        return undefined;
    }
  }
}
