/**
 * The order of versions whose names somebody else has chosen: v2, v1, v2beta1, v1alpha3, then names
 * of another form, by letters.
 *
 * They are ordered by keys, so that each name is read once, with however many others it is
 * compared.
 */

/** Keys are compared as texts, and stand as their names do: preferred first. Each name has its
 * own. */
export function versionOrderKey(version: string): string {
  const match = form.exec(version);
  if (match === null) return `${otherForms}${version}`;
  const [, major, word, minor] = match;
  const stage = word === 'alpha' || word === 'beta' ? word : 'stable';
  return `${stages[stage]}${greaterFirst(Number(major))}${greaterFirst(Number(minor ?? 0))}`;
}

const digitsMax = 15;
const form = /^v([1-9]\d{0,14})(?:(alpha|beta)([1-9]\d{0,14}))?$/;
const stages = { stable: 0, beta: 1, alpha: 2 } as const;
const otherForms = 3;
const greatest = 10 ** digitsMax - 1;

function greaterFirst(number: number): string {
  return String(greatest - number).padStart(digitsMax, '0');
}
