/**
 * A pool of webhook posters, one for each server, CA and credentials, so that connections are
 * reused.
 *
 * Bounds: `postersMax` posters, whose CA bundles have `bundlesCharsMax` characters together; the
 * least recently used one is closed. A webhook that is removed leaves its poster to be that one.
 */
import type { Timers } from '../stdx/clock.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import { createWebhookPoster } from './webhook-poster.ts';
import type { PosterOptions, WebhookPoster } from './webhook-poster.ts';

const bundlesCharsMax = 16 * 1024 * 1024;

interface Kept {
  readonly poster: WebhookPoster;
  readonly bundleChars: number;
}

/** The poster to a server, of whom `credentials` says who calls it; '' : nobody in particular. */
export type PosterTo = (target: WebhookTarget, credentials?: string) => WebhookPoster;

export function posterPool(timers: Timers, postersMax: number, options: PosterOptions): PosterTo {
  const posters = new Map<string, Kept>();
  let chars = 0;
  const forget = (id: string): Kept | undefined => {
    const kept = posters.get(id);
    if (kept === undefined) return undefined;
    posters.delete(id);
    chars -= kept.bundleChars;
    return kept;
  };
  return (target, credentials = '') => {
    const { ca = '', serverName = '', url } = target;
    const id = `${url.origin} ${serverName} ${credentials} ${ca}`;
    const made = (): Kept => {
      return { poster: createWebhookPoster(target, timers, options), bundleChars: ca.length };
    };
    const kept = forget(id) ?? made();
    posters.set(id, kept);
    chars += kept.bundleChars;
    for (const oldest of posters.keys()) {
      const fits = posters.size <= postersMax && chars <= bundlesCharsMax;
      if (fits || oldest === id) break;
      forget(oldest)?.poster.close();
    }
    return kept.poster;
  };
}
