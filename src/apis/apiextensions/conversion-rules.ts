/** Rules of how versions are converted: by a webhook that can be reached, or not at all. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { isCaBundle } from '../../apiextensions/conversion/ca-bundle.ts';
import { allErrors, each, noProblems, portNumber } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';

const path = 'spec.conversion';
const clientConfigPath = `${path}.webhookClientConfig`;
const versionsPath = `${path}.conversionReviewVersions`;

/** In which the server can ask. */
const reviewVersions = ['v1', 'v1beta1'];

/** `served`: the definition that is there has been established. */
export function conversionRules(
  object: ApiObject,
  current: ApiObject | undefined,
  served: boolean,
): Problems {
  const conversion = part(part(object, 'spec'), 'conversion');
  const before = part(part(part(current, 'spec'), 'conversion'), 'webhook');
  const webhook = part(conversion, 'webhook');
  const config = webhook['clientConfig'];
  switch (text(conversion, 'strategy')) {
    case 'Webhook':
      return allErrors(
        isJsonObject(config)
          ? clientConfigRules(config, served && !hasBadBundle(part(before, 'clientConfig')))
          : [required(clientConfigPath, 'required when strategy is set to Webhook')],
        reviewVersionsRules(
          texts(webhook, 'conversionReviewVersions'),
          texts(before, 'conversionReviewVersions'),
        ),
      );
    case 'None':
      return noneRules(webhook);
    default:
      return noProblems;
  }
}

function noneRules(webhook: JsonObject): Problems {
  const detail = 'should not be set when strategy is not set to Webhook';
  return allErrors(
    webhook['clientConfig'] === undefined ? noProblems : [forbidden(clientConfigPath, detail)],
    texts(webhook, 'conversionReviewVersions').length === 0
      ? noProblems
      : [forbidden(versionsPath, detail)],
  );
}

/** Those that are there may go on to be of no use. */
function reviewVersionsRules(versions: readonly string[], before: readonly string[]): Problems {
  if (versions.length === 0) return [required(versionsPath)];
  const errors: FieldError[] = [];
  for (const [at, version] of versions.entries()) {
    const field = `${versionsPath}[${at}]`;
    if (versions.indexOf(version) < at) {
      errors.push(invalid(field, version, 'duplicate version'));
      continue;
    }
    for (const problem of checkDns1035Label(version)) errors.push(invalid(field, version, problem));
  }
  const isKnown = (list: readonly string[]): boolean =>
    list.some((version) => reviewVersions.includes(version));
  const wasKnown = before.length === 0 || isKnown(before);
  if (wasKnown && !isKnown(versions)) {
    const detail = `must include at least one of ${reviewVersions.join(', ')}`;
    errors.push(invalid(versionsPath, [...versions], detail));
  }
  return errors;
}

function clientConfigRules(config: JsonObject, needsBundle: boolean): Problems {
  const { service, url } = config;
  const where = `${clientConfigPath}`;
  const bundle =
    needsBundle && hasBadBundle(config)
      ? [invalid(`${where}.caBundle`, text(config, 'caBundle'), noBundle)]
      : noProblems;
  if ((url === undefined) === (service === undefined)) {
    return [required(where, 'exactly one of url or service is required'), ...bundle];
  }
  const reached =
    typeof url === 'string'
      ? urlRules(url, `${where}.url`)
      : serviceRules(part(config, 'service'), `${where}.service`);
  return allErrors(reached, bundle);
}

const noBundle = 'unable to load root certificates: unable to parse bytes as PEM block';

/** One that is of no use, and that may stay so where it was so before. */
function hasBadBundle(config: JsonObject): boolean {
  const bundle = text(config, 'caBundle');
  return bundle !== '' && !isCaBundle(bundle);
}

const urlForm = '; desired format: https://host[/path]';
const url =
  /^(?:([A-Za-z][\w+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;

function urlRules(value: string, field: string): Problems {
  const match = url.exec(value);
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
