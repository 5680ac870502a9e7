/**
 * URLs: `url("https://example.com:8443/a?b=c")`, `isURL(text)` and functions for its parts.
 */
import type { Library } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { boolType, listType, mapType, opaqueType, stringType } from '../type.ts';
import { OpaqueValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import { walk } from './prices.ts';
import {
  formatUrl,
  parseUrl,
  uriProblem,
  urlEscapedPath,
  urlHost,
  urlHostname,
  urlPort,
  urlQuery,
} from './url-parser.ts';
import type { ParsedUrl } from './url-parser.ts';

export const urlType = opaqueType('kubernetes.URL');

class UrlValue extends OpaqueValue {
  readonly url: ParsedUrl;
  constructor(url: ParsedUrl) {
    super();
    this.url = url;
  }
  override get type(): typeof urlType {
    return urlType;
  }
  override equalTo(other: Value): boolean {
    return other instanceof UrlValue && formatUrl(this.url) === formatUrl(other.url);
  }
}

/** Of each character; `isURL` costs one unit, however long its text is. */
const workPerUnit = 16;

function readUrl(text: Value): Value {
  spendSteps((text as string).length * workPerUnit);
  const url = parseUrl(text as string);
  if (!('problem' in url)) return new UrlValue(url);
  throw evaluationError(`URL parse error during conversion from string: ${url.problem}`);
}

const part =
  (get: (url: ParsedUrl) => string) =>
  (value: Value): Value => {
    if (value instanceof UrlValue) return get(value.url);
    throw noSuchOverload();
  };

function queryOf(value: Value): Value {
  if (!(value instanceof UrlValue)) throw noSuchOverload();
  return Object.fromEntries(urlQuery(value.url));
}

export const urlLibrary: Library = {
  name: 'kubernetes.urls',
  types: [urlType],
  functions: functions({
    url: [overload('string_to_url', [stringType], urlType, readUrl, walk({ sameSize: true }))],
    isURL: [
      overload('is_url_string', [stringType], boolType, (text) => {
        spendSteps((text as string).length * workPerUnit);
        return uriProblem(text as string) === undefined;
      }),
    ],
    getScheme: [
      method(
        'url_get_scheme',
        [urlType],
        stringType,
        part((url) => url.scheme),
      ),
    ],
    getHost: [method('url_get_host', [urlType], stringType, part(urlHost))],
    getHostname: [method('url_get_hostname', [urlType], stringType, part(urlHostname))],
    getPort: [method('url_get_port', [urlType], stringType, part(urlPort))],
    getEscapedPath: [method('url_get_escaped_path', [urlType], stringType, part(urlEscapedPath))],
    getQuery: [
      method('url_get_query', [urlType], mapType(stringType, listType(stringType)), queryOf),
    ],
  }),
};
