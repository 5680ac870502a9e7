/**
 * The bytes of one whole answer that its reader has not taken: counted among those of all answers
 * and of its connection.
 *
 * Bounds: `unreadBytesMax` of all, `connectionMax` of one connection; an answer alone on its
 * connection may be as large as it has to be. Policy: 429.
 */
import type { StalledResponses } from './stalled-responses.ts';

/** What the exchanges of one connection share. */
export interface AnswersConnection {
  unreadBytes: number;
}

export class UnreadAnswer {
  readonly #answers: StalledResponses;
  readonly #connection: AnswersConnection;
  readonly #connectionMax: number;
  heldBytes = 0;

  constructor(answers: StalledResponses, connection: AnswersConnection, connectionMax: number) {
    this.#answers = answers;
    this.#connection = connection;
    this.#connectionMax = connectionMax;
  }

  hasRoom(bytes: number): boolean {
    const { unreadBytes } = this.#connection;
    if (!this.#answers.hasRoom(bytes)) return false;
    return unreadBytes === 0 || unreadBytes + bytes <= this.#connectionMax;
  }

  hold(bytes: number): void {
    this.#answers.hold(bytes);
    this.#connection.unreadBytes += bytes;
    this.heldBytes += bytes;
  }

  /** At most what is held. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.heldBytes);
    this.#answers.release(released);
    this.#connection.unreadBytes -= released;
    this.heldBytes -= released;
  }
}
