/** A user as reviews carry it: {username, uid, groups, extra}, in both directions. */
import type { JsonObject, JsonValue } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';
import type { UserInfo } from './user-info.ts';

/** Without what is empty. */
export function userInfoJson({ extra, groups, name, uid }: UserInfo): JsonObject {
  const keys = Object.keys(extra);
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(keys.length === 0
      ? {}
      : { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  };
}

/** Undefined: it names nobody, or is not of this form. */
export function readUserInfo(value: JsonValue | undefined): UserInfo | undefined {
  if (!isJsonObject(value)) return undefined;
  const { extra = {}, groups = [], uid = '', username } = value;
  if (typeof username !== 'string' || username === '' || typeof uid !== 'string') return undefined;
  const texts = textsOnly(groups ?? []);
  if (texts === undefined) return undefined;
  // Not by assignment: a key may be `__proto__`.
  const fields = new Map<string, readonly string[]>();
  for (const [key, values] of Object.entries(
    isJsonObject(extra ?? {}) ? (extra as JsonObject) : {},
  )) {
    const read = textsOnly(values ?? []);
    if (read === undefined) return undefined;
    fields.set(key.toLowerCase(), read);
  }
  return { name: username, uid, groups: texts, extra: Object.fromEntries(fields) };
}

/** Undefined: it is no list, or something else than a text is in it. */
function textsOnly(value: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}
