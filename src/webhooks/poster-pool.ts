/**
 * A pool of webhook posters, one for each server, CA and credentials, so that connections are
 * reused.
 *
 * Bounds: `postersMax` posters; the least recently used one is closed.
 */
import type { Timers } from '../stdx/clock.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import { createWebhookPoster } from './webhook-poster.ts';
import type { PosterOptions, WebhookPoster } from './webhook-poster.ts';

/** The poster to a server, of whom `credentials` says who calls it; '' : nobody in particular. */
export type PosterTo = (target: WebhookTarget, credentials?: string) => WebhookPoster;

export function posterPool(timers: Timers, postersMax: number, options: PosterOptions): PosterTo {
  const posters = new Map<string, WebhookPoster>();
  return (target, credentials = '') => {
    const { ca = '', serverName = '', url } = target;
    const id = `${url.origin} ${serverName} ${credentials} ${ca}`;
    const poster = posters.get(id) ?? createWebhookPoster(target, timers, options);
    posters.delete(id);
    posters.set(id, poster);
    for (const [oldest, each] of posters) {
      if (posters.size <= postersMax) break;
      posters.delete(oldest);
      each.close();
    }
    return poster;
  };
}
