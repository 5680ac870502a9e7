/**
 * Whether the process can still open files and connections.
 *
 *     every `lookMs`: can `reserve` more be opened?   no ──▶ short ──▶ yes ──▶ room
 *
 * The library's loop spins when a connection waits and there is no descriptor for it, so its port
 * is closed before that (listen-uws.ts). The store, certificates and logs need descriptors, too:
 * the reserve is theirs.
 *
 * Invariant: nothing is left open by a look; it is one short turn of 2 x `reserve` system calls.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { TimerHandle, Timers } from '../../stdx/clock.ts';

export const descriptorLimits = {
  reserve: 64,
  lookMs: 1_000,
} as const;

/** Whether this many more can be opened now. */
export function hasDescriptors(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** `onChange` returns false where it could not follow: it is told again at the next look. */
export function watchDescriptors(
  timers: Timers,
  hasRoom: () => boolean,
  onChange: (short: boolean) => boolean,
): { stop(): void } {
  let short = false;
  let next: TimerHandle;
  const look = (): void => {
    const isShort = !hasRoom();
    if (isShort !== short && onChange(isShort)) short = isShort;
    next = timers.after(descriptorLimits.lookMs, look);
  };
  next = timers.after(descriptorLimits.lookMs, look);
  return { stop: () => next.cancel() };
}
