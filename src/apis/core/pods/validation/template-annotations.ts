/** Rules of kinds whose objects hold a template of pods: its annotations are held to what those of
 * pods are. */
import type { Identity } from '../../../../apimachinery/identity.ts';
import type { ApiObject } from '../../../../apimachinery/unstructured.ts';
import { allErrors, noProblems } from '../../../validation/checks.ts';
import type { KindRules } from '../../../validation/kind-rules.ts';
import type { AnnotatedPod } from './annotated-pod.ts';
import { annotatedTemplate } from './annotated-pod.ts';
import { annotationRules, deletionCostRules } from './pod-annotations.ts';
import { profileAnnotationRules } from './profile-annotations.ts';

/** `path`: to the template, in dots. */
export function withTemplateAnnotations(
  rules: KindRules,
  path = 'spec.template',
): (identity: Identity) => KindRules {
  const steps = path.split('.');
  const templateOf = (object: ApiObject): AnnotatedPod => annotatedTemplate(object, steps);
  return (identity) => ({
    ...rules,
    validate: (object) => {
      const template = templateOf(object);
      return allErrors(
        rules.validate?.(object) ?? noProblems,
        annotationRules(template, identity),
        profileAnnotationRules(template, identity),
      );
    },
    validateCreate: (object) =>
      allErrors(
        rules.validateCreate?.(object) ?? noProblems,
        deletionCostRules(templateOf(object), identity),
      ),
    validateUpdate: (next, current) =>
      allErrors(
        rules.validateUpdate?.(next, current) ?? noProblems,
        deletionCostRules(templateOf(next), identity, templateOf(current)),
      ),
  });
}
