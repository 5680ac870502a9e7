/**
 * Secrets: what was written as text is stored as the bytes it stands for.
 *
 *     stringData: {a: text}  ─▶  data: {a: base64 of the text}
 *
 * stringData wins, and is not kept.
 */
import { part } from '../apimachinery/members.ts';
import type { KindStrategy } from '../registry/strategy.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';

export function secretStrategy(): Partial<KindStrategy> {
  return {
    prepareForCreate: withDataOfText,
    prepareForUpdate: withDataOfText,
  };
}

function withDataOfText(secret: ApiObject): ApiObject {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const data = part(rest, 'data');
  const texts = Object.entries(isJsonObject(stringData) ? stringData : {});
  const encoded = texts.map(([key, text]) => [key, base64(text)] as const);
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}

function base64(text: unknown): string {
  return Buffer.from(typeof text === 'string' ? text : '').toString('base64');
}
