/**
 * Names of properties as names in expressions (spec 2.2): `a.b` becomes `a__dot__b`, a word that
 * the language keeps for itself becomes `__word__`. Names that start with a digit or hold anything
 * but letters, digits and `_ . - /` cannot be reached.
 */
import { lookup } from '../../stdx/lookup.ts';

const reserved: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

const accessible = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;
const plain = /^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*$/;

const escapes = lookup<string>({
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
});

/** Undefined: no expression can name this property. */
export function escapeProperty(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!accessible.test(name)) return undefined;
  if (plain.test(name)) return name;
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] as string);
}
