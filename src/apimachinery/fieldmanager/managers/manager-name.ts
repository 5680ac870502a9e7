/**
 * Under which name a request writes, and which of its options go together (spec 1, sections 4.2 and
 * 4.5, rules 1 and 4).
 */
import type { FieldError } from '../../field-error.ts';
import { forbidden, required } from '../../field-error.ts';
import { FIELD_MANAGER_LENGTH_MAX } from '../../write-options.ts';

/** Of a writer that says nothing of itself. */
export const unknownManager = 'unknown';

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** What the request names, or else its User-Agent up to the first `/`, without what cannot be
 * printed. */
export function managerOf(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  if (userAgent === undefined) return unknownManager;
  if (userAgent !== lastAgent) {
    lastName = nameOfAgent(userAgent);
    lastAgent = userAgent;
  }
  return lastName;
}

/** The last user agent and its manager name: requests of one client often follow each other. */
let lastAgent = '';
let lastName = unknownManager;

function nameOfAgent(userAgent: string): string {
  const [product = ''] = userAgent.split('/', 1);
  const name = shortened(product.replace(unprintable, ''));
  return name === '' ? unknownManager : name;
}

/** At most so many bytes, whole characters. */
function shortened(text: string): string {
  if (text.length * 3 <= FIELD_MANAGER_LENGTH_MAX) return text;
  let kept = '';
  let length = 0;
  for (const char of text) {
    length += Buffer.byteLength(char, 'utf8');
    if (length > FIELD_MANAGER_LENGTH_MAX) break;
    kept += char;
  }
  return kept;
}

/** An apply says who it is; nothing else can be forced. `force` is undefined when not given. */
export function validatePatchOwner(
  isApply: boolean,
  fieldManager: string,
  force: boolean | undefined,
): readonly FieldError[] {
  if (!isApply) {
    return force === undefined
      ? []
      : [forbidden('force', 'may not be specified for non-apply patch')];
  }
  return fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : [];
}
