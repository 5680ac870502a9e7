/**
 * If-None-Match: whether a client has the document that it asks for already (RFC 9110, 13.1.2).
 *
 * Tags are compared weakly: who has the same content in another encoding need not be sent it. What
 * is no tag matches nothing.
 */

/** The opaque part of a tag cannot hold a quote; it can hold a comma. */
const tags = /(?:^|[,\s])(?:W\/)?("[^"]*")(?=\s*(?:,|$))/g;

/** `etag` as it is sent, quoted; `header` as it came, several joined by commas. */
export function matchesEntityTag(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const asked = header.trim();
  if (asked === '*' || asked === etag) return true;
  for (const [, tag] of asked.matchAll(tags)) if (tag === etag) return true;
  return false;
}
