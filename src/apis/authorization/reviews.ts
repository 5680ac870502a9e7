/** Reviews that answer what somebody may do; they are never stored. */
import type { FieldMaps } from '../conversion/conversion.ts';
import { renamedFieldsAt } from '../flowcontrol/conversion.ts';
import type { KindDefinition } from '../kind-definition.ts';

/** Reviews of authorization/v1beta1. */
const accessReviewMaps: FieldMaps = renamedFieldsAt(['spec'], [['group', 'groups']]);

const serving = 'operation';

export const localSubjectAccessReviews: KindDefinition = {
  resource: 'authorization.{domain}/localsubjectaccessreviews',
  serving: serving,
  versions: { v1beta1: { conversion: accessReviewMaps } },
};

export const selfSubjectAccessReviews: KindDefinition = {
  resource: 'authorization.{domain}/selfsubjectaccessreviews',
  serving: serving,
};

export const selfSubjectRulesReviews: KindDefinition = {
  resource: 'authorization.{domain}/selfsubjectrulesreviews',
  serving: serving,
};

export const subjectAccessReviews: KindDefinition = {
  resource: 'authorization.{domain}/subjectaccessreviews',
  serving: serving,
  versions: { v1beta1: { conversion: accessReviewMaps } },
};
