/** Rules of host aliases, DNS settings and the network of a pod. */
import { invalid, required } from '../../../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/names.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  checkIp,
  each,
  form,
  formEach,
  givenForm,
  noProblems,
  numberOf,
} from '../../../validation/checks.ts';

const serversMax = 3;

const searchesMax = 32;

const searchCharactersMax = 2048;

export function dnsRules(spec: JsonObject, path: string): Problems {
  const none = text(spec, 'dnsPolicy') === 'None';
  const field = `${path}.dnsConfig`;
  if (spec['dnsConfig'] === undefined) {
    const detail = 'must provide `dnsConfig` when `dnsPolicy` is None';
    return none ? [required(field, detail)] : noProblems;
  }
  const config = part(spec, 'dnsConfig');
  const [servers, searches] = [texts(config, 'nameservers'), texts(config, 'searches')];
  if (none && servers.length === 0) {
    const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [required(`${field}.nameservers`, detail)];
  }
  return allErrors(
    servers.length > serversMax
      ? [
          invalid(
            `${field}.nameservers`,
            servers,
            `must not have more than ${serversMax} nameservers`,
          ),
        ]
      : noProblems,
    formEach(`${field}.nameservers`, servers, checkIp),
    searchRules(searches, `${field}.searches`),
    each(objects(config, 'options'), (option, at) =>
      text(option, 'name') === ''
        ? [required(`${field}.options[${at}]`, 'must not be empty')]
        : noProblems,
    ),
  );
}

function searchRules(searches: readonly string[], field: string): Problems {
  const long =
    `must not have more than ${searchCharactersMax} characters (including spaces) in the ` +
    'search list';
  return allErrors(
    searches.length > searchesMax
      ? [invalid(field, searches, `must not have more than ${searchesMax} search paths`)]
      : noProblems,
    searches.join(' ').length > searchCharactersMax ? [invalid(field, searches, long)] : noProblems,
    each(searches, (search, at) =>
      form(`${field}[${at}]`, search.replace(/\.$/, ''), checkDns1123Subdomain),
    ),
  );
}

export function hostAliasRules(aliases: readonly JsonObject[], path: string): Problems {
  return each(aliases, (alias, at) =>
    allErrors(
      givenForm(`${path}[${at}].ip`, text(alias, 'ip'), checkIp),
      formEach(`${path}[${at}].hostnames`, texts(alias, 'hostnames'), checkDns1123Subdomain),
    ),
  );
}

/** In the network of the host a port of the container is one of the host. A template may leave it
 * to the pod. */
export function hostNetworkRules(spec: JsonObject, path: string, isPod: boolean): Problems {
  if (spec['hostNetwork'] !== true) return noProblems;
  const detail = 'must match `containerPort` when `hostNetwork` is true';
  return each(objects(spec, 'containers'), (container, at) =>
    each(objects(container, 'ports'), (port, i) => {
      const [host, own] = [numberOf(port['hostPort']) ?? 0, numberOf(port['containerPort']) ?? 0];
      if (host === own || (!isPod && host === 0)) return noProblems;
      return [invalid(`${path}.containers[${at}].ports[${i}].hostPort`, host, detail)];
    }),
  );
}
