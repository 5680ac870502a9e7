/** Names of those who sign certificates: a domain of at least two parts, and one name in it. */
import { invalid } from '../../apimachinery/field-error.ts';
import { checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { form, noProblems } from './checks.ts';
import type { Problems } from './checks.ts';

export function signerNameRules(field: string, name: string): Problems {
  if (name === '') return noProblems;
  const [domain = '', path, ...more] = name.split('/', 3);
  if (path !== undefined && path !== '' && more.length === 0 && domain.includes('.')) {
    return form(field, domain, checkDns1123Subdomain);
  }
  const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  return [invalid(field, name, detail)];
}
