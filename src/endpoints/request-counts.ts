/**
 * How many requests there were, by what they asked for and how they were answered: the series of
 * apiserver_request_total, which those of deprecated versions are joined with (spec 1, section 9,
 * rule 6).
 *
 * What it is not: the metrics page, which reads them; it knows no time.
 *
 * Invariant: a request counts once, when it is answered; one whose client went before does not.
 * Bound: labels are what is served and what this file lists. Whatever else a path, a method or a
 * parameter says is '' or `other`, so nobody can make series at will.
 */
import type { QueryParameters } from '../apimachinery/query.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';

export interface RequestCount {
  readonly labels: Readonly<Record<RequestLabel, string>>;
  readonly value: number;
}

export const requestLabels = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
  'code',
] as const;

type RequestLabel = (typeof requestLabels)[number];

export interface RequestCounts {
  answered(exchange: HttpExchange, info: RequestInfo, query: QueryParameters | undefined): void;
  read(): readonly RequestCount[];
}

interface Series {
  readonly labels: RequestCount['labels'];
  value: number;
}

export function createRequestCounts(scheme: Pick<Scheme, 'findResource'>): RequestCounts {
  const all: Series[] = [];
  const byKind = new Map<KindInfo | undefined, Map<string, Series>>();
  return {
    answered(exchange, info, query) {
      const { status } = exchange;
      if (status === 0) return;
      const kind = servedKind(scheme, info.resource);
      let ofKind = byKind.get(kind);
      if (ofKind === undefined) byKind.set(kind, (ofKind = new Map<string, Series>()));
      const verb = verbOf(exchange, info);
      const below = subresourceOf(info, kind);
      const scope = kind === undefined ? '' : scopeOf(info);
      const dryRun = query?.has('dryRun') === true ? 'All' : '';
      const key = `${verb} ${below} ${scope} ${dryRun} ${status}`;
      let series = ofKind.get(key);
      if (series === undefined) {
        const labels = labelsOf(kind, { verb, below, scope, dryRun, status });
        series = { labels, value: 0 };
        ofKind.set(key, series);
        all.push(series);
      }
      series.value += 1;
    },
    read: () => all,
  };
}

function servedKind(
  scheme: Pick<Scheme, 'findResource'>,
  resource: ResourceInfo | undefined,
): KindInfo | undefined {
  if (resource === undefined) return undefined;
  return scheme.findResource(resource.group, resource.version, resource.resource);
}

interface Seen {
  readonly verb: string;
  readonly below: string;
  readonly scope: string;
  readonly dryRun: string;
  readonly status: number;
}

function labelsOf(
  kind: KindInfo | undefined,
  { verb, below, scope, dryRun, status }: Seen,
): RequestCount['labels'] {
  const { group = '', version = '', resource = '' } = kind ?? {};
  return {
    verb,
    dry_run: dryRun,
    group,
    version,
    resource,
    subresource: below,
    scope,
    component: 'apiserver',
    code: String(status),
  };
}

/** Verbs as they are counted: by HTTP method, with what a method alone does not tell. */
const countedVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  head: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  post: 'POST',
  update: 'PUT',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

function verbOf(exchange: HttpExchange, { verb }: RequestInfo): string {
  const counted = countedVerbs[verb] ?? 'other';
  if (counted !== 'PATCH') return counted;
  const type = exchange.header('content-type') ?? '';
  return type.startsWith('application/apply-patch+') ? 'APPLY' : counted;
}

const roots: ReadonlySet<string> = new Set([
  '.well-known',
  'api',
  'apis',
  'healthz',
  'livez',
  'metrics',
  'openapi',
  'openid',
  'readyz',
  'version',
]);

/** Of other paths their root, with its slash. */
function subresourceOf({ path, resource }: RequestInfo, kind: KindInfo | undefined): string {
  if (resource === undefined) {
    const [, root = ''] = path.split('/', 2);
    return roots.has(root) ? `/${root}` : '';
  }
  const { subresource } = resource;
  if (subresource === '') return '';
  const known = kind?.subresources.some(({ name }) => name === subresource) === true;
  return known ? subresource : '';
}

function scopeOf({ verb, resource }: RequestInfo): string {
  if (resource === undefined) return '';
  if (resource.name !== '' || verb === 'create') return 'resource';
  return resource.namespace === '' ? 'cluster' : 'namespace';
}
