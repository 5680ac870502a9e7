/** Default labels and selectors of workloads: those of the template. */
import type { Complete, DefaultOf, TypeDefaults } from '../../apimachinery/typed/defaulting.ts';
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

export function templateLabels(spec: JsonObject): JsonObject | undefined {
  const { template } = spec;
  const metadata = isJsonObject(template) ? template['metadata'] : undefined;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  return isJsonObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
}

/** An object without labels carries those of its pods. */
export const withTemplateLabels: Complete = (object) => {
  const { spec, metadata = {} } = object;
  const labels = isJsonObject(spec) ? templateLabels(spec) : undefined;
  if (labels === undefined || !isJsonObject(metadata)) return object;
  const own = metadata['labels'];
  if (isJsonObject(own) && Object.keys(own).length > 0) return object;
  return { ...object, metadata: { ...metadata, labels } };
};

export const selectorOfTemplate: DefaultOf = (spec) => {
  const { template } = spec;
  const metadata = isJsonObject(template) ? template['metadata'] : undefined;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  const some = isJsonObject(labels) && Object.keys(labels).length > 0;
  return some ? { matchLabels: labels } : undefined;
};

export const rollingUpdate: TypeDefaults = {
  type: 'RollingUpdate',
  rollingUpdate: when({ type: 'RollingUpdate' }, {}),
};

export function replicas(historyMax: number): TypeDefaults {
  return { replicas: 1, revisionHistoryLimit: historyMax };
}
