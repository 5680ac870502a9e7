/** The API group imagepolicy: ImageReviews, questions to a webhook about images. */
import type { GroupDefinition } from '../kind-definition.ts';
import { imageReviews } from './image-reviews.ts';

export const imagepolicyGroup: GroupDefinition = {
  group: 'imagepolicy.{domain}',
  types: 'imagepolicy',
  kinds: [imageReviews],
};
