/**
 * Lets other requests run between the webhooks of one write: matching many, or sending a large
 * object to several, would take too long for one turn.
 */
import type { WebhookPorts } from './webhooks.ts';

/** Longer than this nobody else waits for the webhooks of one write. */
const atOnceMs = 5;

/** Undefined: there is time left. */
export function turnTaker({
  clock,
  turns,
}: Pick<WebhookPorts, 'clock' | 'turns'>): () => Promise<void> | undefined {
  let startedMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - startedMs < atOnceMs) return undefined;
    return turns.pause().then(() => {
      startedMs = clock.monotonicMs();
    });
  };
}
