/**
 * What is wrong with a text that should be a time, in the words that clients of the reference know.
 *
 *     parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"
 *     parsing time "2020-13-01T00:00:00Z": month out of range
 *
 * The reader of times (apimachinery/time.ts) says whether there is something wrong; this is asked
 * afterwards, and takes what that reader takes.
 */

const layout = '2006-01-02T15:04:05Z07:00';

/** A part of a time: its name in the layout, and what it looks like. */
interface Part {
  readonly name: string;
  readonly form: RegExp;
  /** Where its number is wrong, if it is. */
  readonly outside?: (numbers: readonly number[]) => string | undefined;
}

const above =
  (most: number, name: string, least = 0) =>
  ([value = 0]: readonly number[]): string | undefined =>
    value < least || value > most ? name : undefined;

const literal = (name: string): Part => ({ name, form: new RegExp(`^${name}`) });

const parts: readonly Part[] = [
  { name: '2006', form: /^(\d{4})/ },
  literal('-'),
  { name: '01', form: /^(\d{2})/, outside: above(12, 'month', 1) },
  literal('-'),
  { name: '02', form: /^(\d{2})/ },
  literal('T'),
  { name: '15', form: /^(\d{1,2})/, outside: above(23, 'hour') },
  literal(':'),
  { name: '04', form: /^(\d{2})/, outside: above(59, 'minute') },
  literal(':'),
  { name: '05', form: /^(\d{2})(?:[.,]\d+)?/, outside: above(59, 'second') },
  { name: 'Z07:00', form: /^(?:Z|[+-](\d{2}):(\d{2}))/, outside: outsideOffset },
];

function outsideOffset([hours = 0, minutes = 0]: readonly number[]): string | undefined {
  if (hours > 24) return 'time zone offset hour';
  return minutes > 60 ? 'time zone offset minute' : undefined;
}

/** Of a text that is no time. */
export function timeProblem(text: string): string {
  let rest = text;
  for (const { form, name, outside } of parts) {
    const match = form.exec(rest);
    if (match === null) {
      const where = `cannot parse ${quoted(rest)} as "${name}"`;
      return `parsing time ${quoted(text)} as "${layout}": ${where}`;
    }
    rest = rest.slice(match[0].length);
    const wrong = outside?.(
      match.slice(1).map((digits: string | undefined) => Number(digits ?? 0)),
    );
    if (wrong !== undefined) return `parsing time ${quoted(text)}: ${wrong} out of range`;
  }
  const problem = rest === '' ? 'day out of range' : `extra text: ${quoted(rest)}`;
  return `parsing time ${quoted(text)}: ${problem}`;
}

/** Characters of a text that are shown. */
const shownMax = 10_000;

/** In quotes, bytes outside ASCII as such: the reference has its own form for times. */
function quoted(text: string): string {
  const bytes = Buffer.from(text.slice(0, shownMax), 'utf8');
  let shown = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) shown += `\\x${byte.toString(16).padStart(2, '0')}`;
    else shown += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `"${shown}"`;
}
