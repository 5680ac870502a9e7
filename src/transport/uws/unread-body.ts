/**
 * A body on uWebSockets.js that its socket has not taken at once: it counts among the unread bytes
 * until it has. The library cuts who takes nothing of it (uws-exchange.ts).
 */
import { slotOf } from '../../stdx/slot-set.ts';
import type { Slot } from '../../stdx/slot-set.ts';
import type { StallableResponse, StalledResponses } from '../stalled-responses.ts';

interface Cut {
  cut(): void;
}

export class UnreadBody implements StallableResponse {
  readonly #exchange: Cut;
  readonly #answers: StalledResponses;
  readonly #slot: Slot<StallableResponse> = slotOf<StallableResponse>(this);
  readonly #totalBytes: number;
  #takenBytes = 0;
  #sinceMs: number;

  constructor(exchange: Cut, totalBytes: number, answers: StalledResponses) {
    this.#exchange = exchange;
    this.#totalBytes = totalBytes;
    this.#answers = answers;
    this.#sinceMs = answers.nowMs();
    answers.hold(totalBytes);
    answers.add(this.#slot);
  }

  taken(bytes: number): void {
    if (bytes <= this.#takenBytes) return;
    this.#answers.release(bytes - this.#takenBytes);
    this.#takenBytes = bytes;
    this.#sinceMs = this.#answers.nowMs();
  }

  stalledSinceMs(): number {
    return this.#sinceMs;
  }

  cut(): void {
    this.#exchange.cut();
  }

  end(): void {
    this.#answers.release(this.#totalBytes - this.#takenBytes);
    this.#takenBytes = this.#totalBytes;
    this.#answers.remove(this.#slot);
  }
}
