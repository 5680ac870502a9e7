/** Of an extra field that comes in a header's name. Those know no case, and hold few characters:
 * keys come in lower case, percent-encoded; what is encoded keeps its case. */
export function unescapedExtraKey(key: string): string {
  if (!key.includes('%')) return key;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
