/** Headers as one list: name, value, name, value, in the order they came; names in lower case. */
import type { Header } from './http-exchange.ts';

/** Repeated ones joined with ', '. */
export function headerIn(list: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] !== name) continue;
    found = found === undefined ? list[at + 1] : `${found}, ${list[at + 1]}`;
  }
  return found;
}

export function headersIn(list: readonly string[]): readonly Header[] {
  const pairs: Header[] = [];
  for (let at = 0; at < list.length; at += 2) {
    pairs.push([list[at] as string, list[at + 1] as string]);
  }
  return pairs;
}

export function headerValuesIn(list: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] === name) values.push(list[at + 1] as string);
  }
  return values;
}

export function someHeaderIn(list: readonly string[], test: (name: string) => boolean): boolean {
  for (let at = 0; at < list.length; at += 2) {
    if (test(list[at] as string)) return true;
  }
  return false;
}

/** The list itself when there is none of them. */
export function withoutHeaders(list: string[], test: (name: string) => boolean): string[] {
  if (!someHeaderIn(list, test)) return list;
  const kept: string[] = [];
  for (let at = 0; at < list.length; at += 2) {
    if (!test(list[at] as string)) kept.push(list[at] as string, list[at + 1] as string);
  }
  return kept;
}
