/** Reviews that answer who a caller is; they are never stored. */
import type { KindDefinition } from '../kind-definition.ts';

const serving = 'operation';

export const selfSubjectReviews: KindDefinition = {
  resource: 'authentication.{domain}/selfsubjectreviews',
  serving: serving,
};

export const tokenReviews: KindDefinition = {
  resource: 'authentication.{domain}/tokenreviews',
  serving: serving,
};
