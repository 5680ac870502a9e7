/**
 * How long what an answer says may be, whoever the words come from: a body's keys, values and
 * names, a webhook, an expression.
 *
 * Policy: a longer text ends in dots; of many causes those that have room are kept, the first one
 * always. So an error costs no more than its request, in whichever encoding it is sent.
 */

/** Characters of a message, and of one cause. */
export const messageMax = 128 * 1024;
const causeMax = 32 * 1024;
/** Characters of all causes together. */
const causesMax = 256 * 1024;
/** Characters of a name or the path of a field. */
const nameMax = 4 * 1024;

interface Cause {
  readonly message: string;
  readonly field?: string | undefined;
}

interface Details<C extends Cause> {
  readonly name?: string | undefined;
  readonly causes?: readonly C[] | undefined;
}

export function boundedMessage(message: string): string {
  return cut(message, messageMax);
}

export function boundedCause(message: string): string {
  return cut(message, causeMax);
}

/** The path of a field, which may hold a key as long as a body. */
export function boundedField(field: string): string {
  return cut(field, nameMax);
}

export function boundedDetails<C extends Cause, D extends Details<C>>(details: D): D {
  const { causes, name } = details;
  const isLongName = name !== undefined && name.length > nameMax;
  if (!isLongName && (causes === undefined || sizeOf(causes) <= causeMax)) return details;
  return {
    ...details,
    ...(isLongName ? { name: cut(name, nameMax) } : {}),
    ...(causes === undefined ? {} : { causes: boundedCauses(causes) }),
  };
}

function boundedCauses<C extends Cause>(causes: readonly C[]): readonly C[] {
  const kept: C[] = [];
  let size = 0;
  for (const cause of causes) {
    const { field, message } = cause;
    const bounded: C = { ...cause, message: boundedCause(message) };
    const short = field === undefined ? bounded : { ...bounded, field: boundedField(field) };
    kept.push(short);
    size += lengthOf(short);
    if (size > causesMax) break;
  }
  return kept;
}

function sizeOf(causes: readonly Cause[]): number {
  let size = 0;
  for (const cause of causes) size += lengthOf(cause);
  return size;
}

function lengthOf({ field = '', message }: Cause): number {
  return field.length + message.length;
}

/** Never within a pair of surrogates. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const code = text.charCodeAt(max - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff;
  return `${text.slice(0, isHalf ? max - 1 : max)}...`;
}
