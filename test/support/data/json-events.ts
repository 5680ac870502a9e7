/** Watch frames of objects as they are stored: what a watch at the stored version is sent. */
import { shownEvents } from '../../../src/apimachinery/event-frames.ts';
import type { EventFrames, JsonEventOptions } from '../../../src/apimachinery/event-frames.ts';

export function jsonEvents(options: JsonEventOptions): EventFrames {
  return shownEvents(`json/${options.apiVersion}/${options.kind}`, options, (bytes) => bytes);
}
