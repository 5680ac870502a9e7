/**
 * Counts of requests by what they asked for and how they were answered: the series of
 * apiserver_request_total, which are joined with those of deprecated versions (spec 1, section 9,
 * rule 6), and those of durations, sizes, aborted requests and open watches.
 *
 * What another server answers for is counted by its group and version, as the aggregator's: its
 * resources are not known here.
 *
 * Invariants: a request counts once, when it is answered, a watch when it has ended; one whose
 * client went before the answer counts as aborted. A request whose kind has been counted before
 * allocates one key. Bound: labels are what is served and what this file lists. Any other text of a
 * path, a method or a parameter becomes '' or `other`, so callers cannot create series.
 */
import type { ApiServices } from '../aggregation/api-services.ts';
import type { RemoteService } from '../aggregation/api-service.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import type { Clock } from '../stdx/clock.ts';
import { exponentialBounds, Histogram } from '../stdx/histogram.ts';
import { lookup } from '../stdx/lookup.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { remoteOf } from './handlers/aggregate.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';

/** What a request asked for. */
export type RequestLabels = Readonly<
  Record<
    'verb' | 'dry_run' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component',
    string
  >
>;

/** Of all requests that asked for the same. */
export interface RequestSeries {
  readonly labels: RequestLabels;
  /** Answers by their status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Of them, those by which the server protected itself, or ran out of time. */
  readonly terminations: ReadonlyMap<number, number>;
  /** Clients that went before they had an answer. */
  readonly aborts: number;
  /** Watches and connections that are open. */
  readonly running: number;
  readonly seconds: Histogram;
  /** Not of dry runs. */
  readonly sliSeconds: Histogram | undefined;
  /** Only of get and list. */
  readonly bodyBytes: Histogram | undefined;
}

export interface RequestCounts {
  /** The handler of a request that came at `startMs` (monotonic) has ended. `over` is called once,
   * when the request has: of a watch, when it is closed. */
  handled(
    exchange: HttpExchange,
    info: RequestInfo,
    query: QueryParameters | undefined,
    startMs: number,
    seat: RequestSeat,
  ): void;
  /** Such a request is passed on to another server. What is returned is called when it is over. */
  passedOn(
    exchange: HttpExchange,
    info: RequestInfo,
    query: QueryParameters | undefined,
  ): () => void;
  read(): readonly RequestSeries[];
}

/** Buckets of the reference: its dashboards and alerts name some of them. */
const durationBounds: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];
const sliBounds = durationBounds.slice(2);
const sizeBounds = exponentialBounds(1000, 10, 7);

class Series implements RequestSeries {
  readonly labels: RequestLabels;
  readonly answers = new Map<number, number>();
  readonly terminations = new Map<number, number>();
  aborts = 0;
  running = 0;
  readonly seconds = new Histogram(durationBounds);
  readonly sliSeconds: Histogram | undefined;
  readonly bodyBytes: Histogram | undefined;

  constructor(labels: RequestLabels) {
    const { dry_run: dryRun, verb } = labels;
    this.labels = labels;
    this.sliSeconds = dryRun === '' ? new Histogram(sliBounds) : undefined;
    this.bodyBytes = verb === 'GET' || verb === 'LIST' ? new Histogram(sizeBounds) : undefined;
  }

  answered(status: number, seconds: number, bodyBytes: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    if (terminates(status, this.labels.subresource)) {
      this.terminations.set(status, (this.terminations.get(status) ?? 0) + 1);
    }
    this.seconds.observe(seconds);
    this.sliSeconds?.observe(seconds);
    this.bodyBytes?.observe(bodyBytes);
  }
}

/** An eviction that has to wait for a budget is an answer like others. */
function terminates(status: number, subresource: string): boolean {
  return status === 503 || status === 504 || (status === 429 && subresource !== 'eviction');
}

/** Of a request, given back when it is over. */
interface RequestSeat {
  leave(): void;
}

/** Those of one kind that are no dry runs and name no subresource: by verb, in one namespace, in
 * all and of one object. Nearly all requests find theirs here without a text being made. */
type PlainSeries = Map<string, [Series | undefined, Series | undefined, Series | undefined]>;

interface KindSeries {
  readonly plain: PlainSeries;
  readonly all: Map<string, Series>;
}

/** What is asked for: served here, or by another server. */
type Asked = KindInfo | RemoteService;

/** What is asked for is not served. */
const noKind = {};

const scopes = ['namespace', 'cluster', 'resource'] as const;

/** A kind that is defined anew goes on with the series that its name has. */
function kindSeries(): (asked: Asked | undefined) => KindSeries {
  const byName = new Map<string, KindSeries>();
  const byAsked = new WeakMap<Asked | typeof noKind, KindSeries>();
  return (asked) => {
    const known = byAsked.get(asked ?? noKind);
    if (known !== undefined) return known;
    const name = Object.values(namesOf(asked)).join('/');
    const made = byName.get(name) ?? { plain: new Map(), all: new Map() };
    byName.set(name, made);
    byAsked.set(asked ?? noKind, made);
    return made;
  };
}

type Names = Pick<RequestLabels, 'component' | 'group' | 'version' | 'resource'>;

function namesOf(asked: Asked | undefined): Names {
  const { group = '', version = '' } = asked ?? {};
  if (asked === undefined || 'resource' in asked) {
    return { component: 'apiserver', group, version, resource: asked?.resource ?? '' };
  }
  return { component: 'aggregator', group, version, resource: '' };
}

export function createRequestCounts(
  scheme: Pick<Scheme, 'findResource'>,
  services: Pick<ApiServices, 'isEmpty' | 'findRemote'>,
  clock: Pick<Clock, 'monotonicMs'>,
): RequestCounts {
  const all: Series[] = [];
  const seriesOfKind = kindSeries();

  function seriesOf(
    exchange: HttpExchange,
    info: RequestInfo,
    query: QueryParameters | undefined,
  ): Series {
    const remote = remoteOf({ services }, info);
    const kind = remote === undefined ? servedKind(scheme, info.resource) : undefined;
    const asked = remote ?? kind;
    const ofKind = seriesOfKind(asked);
    const below = subresourceOf(info, kind);
    const verb = verbOf(exchange, info, below);
    const scope = asked === undefined ? '' : scopeOf(info);
    const dryRun = query?.has('dryRun') === true ? 'All' : '';
    const seen = { verb, below, scope, dryRun };
    if (below !== '' || dryRun !== '' || scope === '') return seriesIn(ofKind, asked, seen);
    let plain = ofKind.plain.get(verb);
    if (plain === undefined) {
      ofKind.plain.set(verb, (plain = [undefined, undefined, undefined]));
    }
    return (plain[scopes.indexOf(scope)] ??= seriesIn(ofKind, asked, seen));
  }

  function seriesIn(ofKind: KindSeries, asked: Asked | undefined, seen: Seen): Series {
    const { below, dryRun, scope, verb } = seen;
    const key = `${verb} ${below} ${scope} ${dryRun}`;
    let series = ofKind.all.get(key);
    if (series === undefined) {
      series = new Series(labelsOf(asked, seen));
      ofKind.all.set(key, series);
      all.push(series);
    }
    return series;
  }

  const end = (series: Series, exchange: HttpExchange, startMs: number): void => {
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    series.answered(exchange.status, seconds, exchange.sentBytes);
  };

  return {
    handled(exchange, info, query, startMs, seat) {
      const series = seriesOf(exchange, info, query);
      if (exchange.status === 0) series.aborts += 1;
      else if (info.verb === 'watch' && !exchange.closed) {
        series.running += 1;
        exchange.onClosed(() => {
          series.running -= 1;
          end(series, exchange, startMs);
          seat.leave();
        });
        return;
      } else end(series, exchange, startMs);
      seat.leave();
    },
    passedOn(exchange, info, query) {
      const series = seriesOf(exchange, info, query);
      series.running += 1;
      return () => (series.running -= 1);
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

/** What a turn of the event loop was spent on, in as few words as the counts have. */
export function turnLabels(
  scheme: Pick<Scheme, 'findResource'>,
  { resource, verb }: RequestInfo,
): Readonly<Record<'verb' | 'group' | 'resource', string>> {
  const { group = '', resource: named = '' } = servedKind(scheme, resource) ?? {};
  return { verb: countedVerb(verb), group, resource: named };
}

function countedVerb(verb: string): string {
  return countedVerbs[verb] ?? 'other';
}

interface Seen {
  readonly verb: string;
  readonly below: string;
  readonly scope: '' | (typeof scopes)[number];
  readonly dryRun: string;
}

function labelsOf(asked: Asked | undefined, { verb, below, scope, dryRun }: Seen): RequestLabels {
  const { component, group, resource, version } = namesOf(asked);
  return { verb, dry_run: dryRun, group, version, resource, subresource: below, scope, component };
}

/** Verbs as they are counted: by HTTP method, with what a method alone does not tell. */
const countedVerbs: Readonly<Record<string, string>> = lookup({
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
});

/** What is below an object to be connected with, whatever the method. */
const connected: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

function verbOf(exchange: HttpExchange, { verb, resource }: RequestInfo, below: string): string {
  if (resource !== undefined && connected.has(below)) return 'CONNECT';
  const counted = countedVerb(verb);
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

function scopeOf({ verb, resource }: RequestInfo): Seen['scope'] {
  if (resource === undefined) return '';
  if (resource.name !== '' || verb === 'create') return 'resource';
  return resource.namespace === '' ? 'cluster' : 'namespace';
}
