/** ImageReviews: the question that a server may ask a webhook about images. */
import type { KindDefinition } from '../kind-definition.ts';

export const imageReviews: KindDefinition = {
  resource: 'imagepolicy.{domain}/imagereviews',
  serving: { never: 'sent to webhooks only; no server serves it' },
};
