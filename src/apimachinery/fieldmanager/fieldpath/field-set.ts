import type { JsonObject } from '../../unstructured.ts';
export type FieldSet = JsonObject;
