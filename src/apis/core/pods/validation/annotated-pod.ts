/** A pod, or a template of pods, as rules of annotations see it, and rules of all templates. */
import { part } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../../apimachinery/unstructured.ts';

export interface AnnotatedPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /** The paths of annotations and spec, as errors name them. */
  readonly annotationsPath: string;
  readonly specPath: string;
}

export function annotatedPod(pod: ApiObject): AnnotatedPod {
  const { metadata } = pod;
  return {
    metadata,
    spec: part(pod, 'spec'),
    annotationsPath: 'metadata.annotations',
    specPath: 'spec',
  };
}

/** The template at this path. */
export function annotatedTemplate(object: ApiObject, steps: readonly string[]): AnnotatedPod {
  const template = steps.reduce<JsonObject>(part, object);
  const path = steps.join('.');
  // The reference leaves `metadata` out of these paths.
  return {
    metadata: part(template, 'metadata'),
    spec: part(template, 'spec'),
    annotationsPath: `${path}.annotations`,
    specPath: `${path}.spec`,
  };
}
