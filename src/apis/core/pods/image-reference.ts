/**
 * The tag of an image reference, as the reference reads it to choose a pull policy: `latest` where
 * neither a tag nor a digest is given, nothing where the text names no image.
 *
 *     [domain[:port]/]path/path[:tag][@digest]
 *
 * Bounds: a path has at most `pathMax` characters, and a reference `referenceMax`. A longer text is
 * not looked at, for the patterns below take tens of nanoseconds a character.
 */
const label = '[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*';
const domain = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}';

const domainForm = new RegExp(`^${domain}$`);
const restForm = new RegExp(
  `^(${component}(?:/${component})*)(?::([A-Za-z0-9_][\\w.-]{0,127}))?(@${digest})?$`,
);

/** What would be taken for the number of an image. */
const bareNumber = /^[a-f0-9]{64}$/;

const pathMax = 255;

/** Several times what the longest domain, path, tag and digest have together. */
const referenceMax = 4096;

/** A first part is a domain if it looks like one; else the image is of the default registry. */
function isDomain(part: string): boolean {
  return /[.:]/.test(part) || part === 'localhost' || part !== part.toLowerCase();
}

export function tagOf(image: string): string | undefined {
  if (image.length > referenceMax || bareNumber.test(image)) return undefined;
  const slash = image.indexOf('/');
  const first = slash === -1 ? '' : image.slice(0, slash);
  const own = first !== '' && isDomain(first);
  if (own && !domainForm.test(first)) return undefined;
  const found = restForm.exec(own ? image.slice(slash + 1) : image);
  if (found === null) return undefined;
  const [, name = '', tag, hash] = found;
  if (name.length > pathMax) return undefined;
  return tag ?? (hash === undefined ? 'latest' : undefined);
}
