/**
 * Quantities: amounts of a resource as people write them (`500m`, `1.5Gi`, `1e3`), exactly.
 *
 *     <sign> <digits>[.<digits>] <suffix>
 *     suffix   n u m k M G T P E  |  Ki Mi Gi Ti Pi Ei  |  e or E and an exponent
 *
 * The value is unscaled * 10^exp10, and the family of the suffix is kept for the way back: binary,
 * decimal or exponent.
 *
 * Invariants: the canonical text is the one that the reference writes: no fraction, the largest
 * suffix that needs none, an exponent that is a multiple of three. Amounts below 1n are rounded up
 * to it, away from zero; binary ones are cut at 2^63-1. Reading the canonical text and writing it
 * again gives the same text.
 *
 * Bounds: texts of `quantityTextMax` characters and exponents of `quantityExponentMax`: beyond,
 * arithmetic would take as long as a client likes.
 */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  readonly unscaled: bigint;
  readonly exp10: number;
  readonly format: QuantityFormat;
}

export const quantityTextMax = 256;
export const quantityExponentMax = 512;

const decimalSuffixes: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const smallestExponent = -9;
const largestExponent = 18;
const largestBinary = 2n ** 63n - 1n;

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]+(?:[+-]?\d+)?|[+-]\d+)?$/;
const exponentSuffix = /^[eE]([+-]?\d+)$/;

/** Few amounts come again and again, among many that come once (what a quota's usage passes
 * through): a text is worked out once, and kept for as long as it is asked for. When `recent` is
 * full, what was there before it is forgotten. */
let recent = new Map<string, Quantity | undefined>();
let before = new Map<string, Quantity | undefined>();
const recentMax = 1024;
/** Characters of a text that is kept; what is longer is worked out each time. */
const parsedTextMax = 16;

/** Undefined for a text that is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > parsedTextMax) return parseText(text);
  const known = recent.get(text);
  if (known !== undefined || recent.has(text)) return known;
  const quantity = before.get(text) ?? parseText(text);
  keep(text, quantity);
  return quantity;
}

function keep(text: string, quantity: Quantity | undefined): void {
  if (recent.size >= recentMax) {
    before = recent;
    recent = new Map();
  }
  recent.set(text, quantity);
}

/** The canonical text of an amount that will be read again: then it need not be worked out. */
export function writeQuantity(quantity: Quantity): string {
  const text = formatQuantity(quantity);
  const { exp10, format, unscaled } = quantity;
  // Only what reading the text would make, too: `1536` says nothing of a binary amount, and a large
  // one is cut when it is read.
  const isBinary = text.endsWith('i') && exp10 === 0 && unscaled <= largestBinary;
  const same = format === 'DecimalSI' || (format === 'BinarySI' && isBinary);
  if (same && text.length <= parsedTextMax) keep(text, quantity);
  return text;
}

function parseText(text: string): Quantity | undefined {
  if (text === '' || text.length > quantityTextMax) return undefined;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = '', fraction = '', suffix = ''] = match;
  const scale = parseSuffix(suffix);
  if (scale === undefined) return undefined;
  const magnitude = BigInt(`0${digits}${fraction}`) * scale.factor;
  const exact = { unscaled: magnitude, exp10: scale.exp10 - fraction.length };
  const bounded = cutAndRound(exact, scale.format);
  return sign === '-' ? negateQuantity(bounded) : bounded;
}

interface Scale {
  readonly factor: bigint;
  readonly exp10: number;
  readonly format: QuantityFormat;
}

function parseSuffix(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) {
    return { factor: 1n, exp10: 3 * decimal + smallestExponent, format: 'DecimalSI' };
  }
  const binary = binarySuffixes.indexOf(suffix);
  if (binary !== -1) return { factor: 1024n ** BigInt(binary), exp10: 0, format: 'BinarySI' };
  const exponent = Number(exponentSuffix.exec(suffix)?.[1] ?? NaN);
  if (!(Math.abs(exponent) <= quantityExponentMax)) return undefined;
  return { factor: 1n, exp10: exponent, format: 'DecimalExponent' };
}

interface Exact {
  readonly unscaled: bigint;
  readonly exp10: number;
}

/** `exact` is not negative. */
function cutAndRound(exact: Exact, format: QuantityFormat): Quantity {
  const rounded = exact.exp10 < smallestExponent ? rescaled(exact, smallestExponent) : exact;
  if (format !== 'BinarySI') return { ...rounded, format };
  if (compareQuantities(rounded, { unscaled: largestBinary, exp10: 0 }) > 0) {
    return { unscaled: largestBinary, exp10: 0, format };
  }
  const below = rounded.unscaled > 0n && compareQuantities(rounded, one) < 0;
  return { ...rounded, format: below ? 'DecimalSI' : format };
}

const one: Exact = { unscaled: 1n, exp10: 0 };

/** The same amount at another power of ten, rounded away from zero. */
function rescaled({ unscaled, exp10 }: Exact, wanted: number): Exact {
  if (wanted === exp10) return { unscaled, exp10 };
  if (wanted < exp10) return { unscaled: unscaled * 10n ** BigInt(exp10 - wanted), exp10: wanted };
  const divisor = 10n ** BigInt(wanted - exp10);
  const quotient = unscaled / divisor;
  const rest = unscaled % divisor;
  const away = rest === 0n ? 0n : rest > 0n ? 1n : -1n;
  return { unscaled: quotient + away, exp10: wanted };
}

/** The least amount that is no multiple of 10^scale below this one, away from zero. */
export function roundUpQuantity(quantity: Quantity, scale: number): Quantity {
  if (quantity.exp10 >= scale) return quantity;
  return { ...rescaled(quantity, scale), format: quantity.format };
}

/** Canonical text. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format === 'BinarySI') {
    const binary = binaryText(quantity);
    if (binary !== undefined) return binary;
  }
  let { unscaled: amount, exp10 } = quantity;
  while (amount % 10n === 0n) {
    amount /= 10n;
    exp10 += 1;
  }
  const inSuffix = quantity.format !== 'DecimalExponent';
  // There is no larger suffix than E, and no smaller one than n.
  const most = inSuffix ? Math.min(exp10, largestExponent) : exp10;
  const multiple = Math.floor(most / 3) * 3;
  const digits = (amount * 10n ** BigInt(exp10 - multiple)).toString();
  if (!inSuffix) return multiple === 0 ? digits : `${digits}e${multiple}`;
  return digits + (decimalSuffixes[(multiple - smallestExponent) / 3] as string);
}

/** Undefined where a binary suffix would hide the value: below 1Ki, and with a fraction. */
function binaryText(quantity: Quantity): string | undefined {
  const { unscaled, exp10 } = rescaled(quantity, 0);
  if (compareQuantities(quantity, { unscaled, exp10 }) !== 0) return undefined;
  if (unscaled > -1024n && unscaled < 1024n) return undefined;
  let amount = unscaled;
  let power = 0;
  while (amount % 1024n === 0n && power < binarySuffixes.length - 1) {
    amount /= 1024n;
    power += 1;
  }
  return amount.toString() + (binarySuffixes[power] as string);
}

export function compareQuantities(a: Exact, b: Exact): number {
  if (a.exp10 === b.exp10) return a.unscaled < b.unscaled ? -1 : a.unscaled > b.unscaled ? 1 : 0;
  const exp10 = Math.min(a.exp10, b.exp10);
  const difference = rescaled(a, exp10).unscaled - rescaled(b, exp10).unscaled;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** In the format of the first, unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exp10 = Math.min(a.exp10, b.exp10);
  const unscaled = rescaled(a, exp10).unscaled + rescaled(b, exp10).unscaled;
  return { unscaled, exp10, format: a.unscaled === 0n ? b.format : a.format };
}

export function negateQuantity(quantity: Quantity): Quantity {
  return { ...quantity, unscaled: -quantity.unscaled };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

/** As near as a double comes; infinite beyond its range. */
export function quantityToNumber({ unscaled, exp10 }: Exact): number {
  return Number(`${unscaled}e${exp10}`);
}

/** What most manifests hold: texts that are canonical as they stand. */
const plainlyCanonical = /^(?:0|[1-9]\d{0,2}[kMGTPE]?|[1-9]\d{0,2}[num]|[1-9]\d{0,2}[KMGTPE]i)$/;

/** The canonical form of a text, or undefined when it is no quantity. */
export function canonicalQuantity(text: string): string | undefined {
  if (plainlyCanonical.test(text)) return text;
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}
