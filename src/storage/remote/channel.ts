/**
 * The port between a store and its clients in other processes: frames in order, or nothing more.
 *
 * Both ends are the same program, started by one process.
 *
 * Invariants: frames arrive whole, once and in the order sent; after onClose no frame arrives. A
 * frame that was sent may have arrived or not when the channel closes: the sender is not told.
 */
export interface Channel {
  /** Sends the parts as one frame; they must not be changed afterwards. Once closed: nothing. */
  send(...parts: readonly Uint8Array[]): void;
  /** What was sent waits for the other end: a polite sender waits for whenDrained(). */
  readonly backedUp: boolean;
  /** Resolves when `backedUp` is false, or the channel closed. */
  whenDrained(): Promise<void>;
  /** The one receiver of frames. A frame may share memory with others: keep copies, not views. */
  onFrame(callback: (frame: Uint8Array) => void): void;
  /** Called once, when the other end has gone or close() was called. At once if it has. */
  onClose(callback: () => void): void;
  close(): void;
}
