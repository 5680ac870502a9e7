/** A strategic merge patch, applied with all its parts at once. */
import type { Patched } from '../../../src/apimachinery/patch/patch-result.ts';
import { strategicMergeSteps } from '../../../src/apimachinery/patch/strategic-merge-patch.ts';
import type { StrategicSchema } from '../../../src/apimachinery/patch/strategic-schema.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { finished } from '../../../src/stdx/stepwise.ts';

export function applyStrategicMergePatch(
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
): Patched<JsonObject> {
  return finished(strategicMergeSteps(original, patch, schema));
}
