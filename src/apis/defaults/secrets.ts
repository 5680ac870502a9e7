/**
 * Secrets: what is written as text is the bytes that it stands for.
 *
 *     stringData: {a: text}  ─▶  data: {a: base64 of the text}
 *
 * stringData wins, and is not kept. This is done where an object is read, before anybody asks who
 * owns which field: a writer owns what is stored.
 */
import { part } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

export function withDataOfText(secret: JsonObject): JsonObject {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const texts = Object.entries(isJsonObject(stringData) ? stringData : {});
  if (texts.length === 0) return rest;
  const encoded = texts.map(([key, text]) => [key, base64(text)] as const);
  return { ...rest, data: { ...part(rest, 'data'), ...Object.fromEntries(encoded) } };
}

function base64(text: unknown): string {
  return Buffer.from(typeof text === 'string' ? text : '').toString('base64');
}
