/**
 * Mail addresses as the format `email` takes them: `a@example.org`, also with a name in front
 * (`Ann <a@example.org>`, `"Ann B." <a@example.org>`).
 *
 * Bounds: linear in the text; `addressMax` characters.
 */
const addressMax = 4096;

/** A character of an atom: what is neither special nor blank. */
const atomCharacter = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\uffff]";
const atom = `${atomCharacter}+`;
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`);
const quoted = /^"(?:[^"\\\r\n]|\\.)*"$/;
const literal = /^\[[^[\]\\\s]*\]$/;
/** One character at a time: repeated atoms can be cut in as many ways as there are subsets. */
const phrase = new RegExp(`^(?:${atomCharacter}|[.\\s]|"(?:[^"\\\\\\r\\n]|\\\\.)*")*$`);

export function isEmailAddress(text: string): boolean {
  if (text.length > addressMax) return false;
  const trimmed = text.trim();
  if (!trimmed.endsWith('>')) return isPlainAddress(trimmed);
  const open = trimmed.lastIndexOf('<');
  if (open === -1 || !phrase.test(trimmed.slice(0, open))) return false;
  return isPlainAddress(trimmed.slice(open + 1, -1));
}

function isPlainAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (!dotAtom.test(local) && !isQuotedLocal(local)) return false;
  return dotAtom.test(domain) || literal.test(domain);
}

function isQuotedLocal(local: string): boolean {
  return local.length > 2 && quoted.test(local);
}
