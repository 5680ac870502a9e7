/**
 * Warning headers (RFC 7234, section 5.5): what a request should know although it succeeded.
 *
 * Of the warnings it decides only on those for deprecated versions, whose text follows from the
 * kind's life cycle. Spec 1, section 9, rule 6; spec 2, section 3.3.
 *
 * Invariants: a header value is printable ASCII on one line. Limits: `warningsMax` a response, of
 * `totalMax` characters; beyond, each is cut to `textMax` and what has no room is dropped.
 */
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { Header } from '../transport/http-exchange.ts';

/** What the life cycle of a kind must say for its warning. */
export type DeprecatedKind = Pick<
  KindInfo,
  'group' | 'version' | 'kind' | 'custom' | 'deprecated' | 'removed' | 'replacement'
>;

/** In characters; `textMax` counts once all together are more than `totalMax`. */
export const warningLimits = { textMax: 256, totalMax: 4096, warningsMax: 256 } as const;

/** Undefined when the kind is not deprecated in this minor release of 1. */
export function deprecationWarning(kind: DeprecatedKind, release: number): string | undefined {
  if (kind.custom !== undefined) return kind.custom.deprecationWarning;
  if (kind.deprecated === undefined || kind.deprecated > release) return undefined;
  return deprecationText(
    `${formatGroupVersion(kind)} ${kind.kind}`,
    `1.${kind.deprecated}`,
    kind.removed === undefined ? undefined : `1.${kind.removed}`,
    kind.replacement && `${formatGroupVersion(kind.replacement)} ${kind.replacement.kind}`,
  );
}

export function deprecationText(
  subject: string,
  deprecated: string,
  removed: string | undefined,
  replacement: string | undefined,
): string {
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${replacement}`;
  return `${subject} is deprecated in v${deprecated}+${until}${instead}`;
}

const noHeaders: readonly Header[] = [];

/** One header each, duplicates once. When all together are too long each is cut, and the rest is
 * left out. */
export function warningHeaders(texts: readonly string[]): readonly Header[] {
  if (texts.length === 0) return noHeaders;
  const { textMax, totalMax, warningsMax } = warningLimits;
  const once = [...new Set(texts)].filter((text) => text !== '').slice(0, warningsMax);
  const total = once.reduce((sum, text) => sum + text.length, 0);
  const room = total > totalMax ? textMax : totalMax;
  let written = 0;
  return once.flatMap((text): Header[] => {
    if (written >= totalMax) return [];
    const cut = text.length > room ? [...text.slice(0, 2 * room)].slice(0, room).join('') : text;
    written += cut.length;
    return [['Warning', formatWarning(cut)]];
  });
}

/** `299 - "text"`: a persistent, miscellaneous warning by an unnamed agent. */
export function formatWarning(text: string): string {
  const printable = text.replace(/[^ -~]/gu, spellOut);
  return `299 - "${printable.replace(/["\\]/g, '\\$&')}"`;
}

/** Control characters would break the header, others its encoding: a space, or the code point. */
function spellOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 || code === 0x7f
    ? ' '
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
