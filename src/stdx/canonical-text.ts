/**
 * One text for all values that are equal member by member, so that a Set can tell whether one has
 * been seen. Of JSON's values, bigint too; members that are undefined do not count.
 *
 * Nobody reads the text back.
 */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return [part.toString()];
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const members = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    return members.length === 0 ? part : { members: members.flat() };
  });
}
