/** Warnings about annotations that a field has replaced. */
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Warnings } from './kind-warnings.ts';
import { noWarnings } from './kind-warnings.ts';

/** What an annotation said before there was a field for it. */
export function replaced(object: ApiObject, annotation: string, message: string): Warnings {
  return object.metadata.annotations?.[annotation] === undefined
    ? noWarnings
    : [`metadata.annotations[${annotation}]: ${message}`];
}

export const classAnnotation = 'volume.beta.{labelDomain}/storage-class';

export const classMessage = 'deprecated since v1.8; use "storageClassName" attribute instead';
