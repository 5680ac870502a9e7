/** Rules of where a webhook is, and of the versions in which it can be asked. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { allErrors, each, noProblems, portNumber, repetitions } from './checks.ts';
import type { Problems } from './checks.ts';

/** In which the server can ask. */
const reviewVersions = ['v1', 'v1beta1'];

export const noKnownReviewVersion = `must include at least one of ${reviewVersions.join(', ')}`;

export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => reviewVersions.includes(version));
}

/** Of each by itself. */
export function reviewVersionRules(versions: readonly string[], path: string): Problems {
  const isRepeated = repetitions<string>();
  return each(versions, (version, at) => {
    const field = `${path}[${at}]`;
    if (isRepeated(version)) return [invalid(field, version, 'duplicate version')];
    return checkDns1035Label(version).map((problem) => invalid(field, version, problem));
  });
}

/** `config`: a client configuration. */
export function webhookAddressRules(config: JsonObject, path: string): Problems {
  const { service, url } = config;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  return typeof url === 'string'
    ? urlRules(url, `${path}.url`)
    : serviceRules(part(config, 'service'), `${path}.service`);
}

const urlForm = '; desired format: https://host[/path]';
const urlParts =
  /^(?:([A-Za-z][\w+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;

function urlRules(value: string, field: string): Problems {
  const match = urlParts.exec(value);
  if (match === null) return [required(field, `url must be a valid URL${urlForm}`)];
  const [, scheme = '', user, host = '', query = '', fragment = ''] = match;
  const errors: FieldError[] = [];
  const wrong = (part: string, detail: string): number => errors.push(invalid(field, part, detail));
  if (scheme.toLowerCase() !== 'https') {
    wrong(scheme.toLowerCase(), `'https' is the only allowed URL scheme${urlForm}`);
  }
  if (host === '') wrong(host, `host must be specified${urlForm}`);
  if (user !== undefined) wrong(user, 'user information is not permitted in the URL');
  if (fragment !== '') wrong(fragment, 'fragments are not permitted in the URL');
  if (query !== '') wrong(query, 'query parameters are not permitted in the URL');
  return errors;
}

function serviceRules(service: JsonObject, field: string): Problems {
  const needed = (name: string): Problems =>
    text(service, name) === ''
      ? [required(`${field}.${name}`, `service ${name} is required`)]
      : noProblems;
  const port = portNumber(`${field}.port`, service['port'] ?? 443);
  return allErrors(
    needed('name'),
    needed('namespace'),
    port.map((problem) => ({ ...problem, detail: `port is not valid: ${problem.detail}` })),
    servicePath(text(service, 'path'), `${field}.path`),
  );
}

function servicePath(value: string, field: string): Problems {
  if (value === '' || value === '/') return noProblems;
  const wrong = (detail: string): FieldError => invalid(field, value, detail);
  if (value === '//') return [wrong('segment[0] may not be empty')];
  const steps = value.slice(1).replace(/\/$/, '').split('/');
  return allErrors(
    value.startsWith('/') ? noProblems : [wrong("must start with a '/'")],
    each(steps, (step, at) =>
      step === ''
        ? [wrong(`segment[${at}] may not be empty`)]
        : checkDns1123Subdomain(step).map((problem) => wrong(`segment[${at}]: ${problem}`)),
    ),
  );
}
