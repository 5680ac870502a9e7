/** Names of the form `example.com/path`, which say who controls or signs something. */
import { checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathMessage = `Invalid path (e.g. '/', regex used for validation is '${pathForm}')`;
const path = new RegExp(`^${pathForm}$`);

export function checkDomainPath(name: string): readonly string[] {
  const slash = name.indexOf('/');
  if (slash <= 0 || slash === name.length - 1) {
    return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  }
  const domain = checkDns1123Subdomain(name.slice(0, slash));
  if (domain.length > 0) return domain;
  return path.test(name.slice(slash + 1)) ? [] : [pathMessage];
}
