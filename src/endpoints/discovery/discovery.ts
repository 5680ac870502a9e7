/**
 * Discovery as documents: which one a path and an Accept header ask for, encoded once per scheme.
 *
 *     /api                      APIVersions, or aggregated: the core group
 *     /apis                     APIGroupList, or aggregated: the other groups
 *     /apis/<group>             APIGroup
 *     /api/v1, /apis/<g>/<v>    APIResourceList
 *
 * The caller answers If-None-Match with 304 and a miss with 404 or 406. What other servers serve
 * is shown among what is served here; the lists of their versions are theirs, and passed on.
 *
 * Invariants: documents depend on the scheme and on those servers only, so each is made once for
 * as long as they serve the same, and is of one moment; aggregated documents carry an ETag, which
 * changes exactly when they do.
 * Bounds: one document per path, form and format, and one that is indented. Users may have
 * defined thousands of kinds: a document is made in turns with everybody else, and sent in them;
 * one that is small, at once.
 */
import { createHash } from 'node:crypto';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { ApiServices } from '../../aggregation/api-services.ts';
import { encodeCbor } from '../../apimachinery/codecs/cbor.ts';
import { indentedSteps } from '../../apimachinery/codecs/indented-json.ts';
import { lineEnd, prettyIndent } from '../../apimachinery/codecs/json.ts';
import { encodeMessage } from '../../apimachinery/codecs/protobuf-encode.ts';
import { encodeProtobuf, envelopeAround, fieldHead } from '../../apimachinery/codecs/protobuf.ts';
import { encodeYamlSteps } from '../../apimachinery/codecs/yaml.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { chooseType, protobufType, supportedTypes } from '../../apimachinery/negotiation.ts';
import type { SupportedType, Target } from '../../apimachinery/negotiation.ts';
import { objects } from '../../apimachinery/members.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import { metaTypes } from '../../apimachinery/typed/meta-types.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { assert } from '../../stdx/assert.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import { joined } from '../../stdx/joined-bytes.ts';
import { lookup } from '../../stdx/lookup.ts';
import { startedAtOnce } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { hashedJson, jsonInSteps } from '../openapi/hashed-json.ts';
import { turnToSend } from '../turn-to-send.ts';
import { aggregatedKind, aggregatedVersions, apiGroupDiscoveryList } from './aggregated.ts';
import type { AggregatedVersion } from './aggregated.ts';
import { shownGroup, shownGroups } from './shown-groups.ts';
import type { ResourcesOf } from './shown-groups.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain.ts';

export interface DiscoveryDocument {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Quoted, as it stands in the header. Only aggregated documents have one. */
  readonly etag: string | undefined;
}

export type DiscoveryResult =
  | { readonly kind: 'document'; readonly document: DiscoveryDocument }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-acceptable'; readonly accepted: readonly string[] };

export interface DiscoveryOptions {
  readonly scheme: Scheme;
  readonly identity: Identity;
  /** host:port as clients reach the server. */
  readonly serverAddress: string;
  readonly turns: Pick<Turns, 'run' | 'pause'>;
  /** Other servers, which answer for some versions. */
  readonly aggregation: Pick<Aggregation, 'documents' | 'services'>;
}

export interface Discovery {
  /** Path as requested; a trailing slash does not matter. `pretty`: JSON is indented, as it is if
   * `accept` says so. */
  find(path: string, accept: string | undefined, pretty?: boolean): Awaitable<DiscoveryResult>;
}

type Form = 'plain' | AggregatedVersion;

export function makeDiscovery(options: DiscoveryOptions): Discovery {
  const { identity } = options;
  const offered = [...supportedTypes, protobufType(identity.mediaTypes.protobuf)];
  /** What is being made is shared by all who ask meanwhile. */
  const cache = new Map<string, Awaitable<DiscoveryDocument>>();
  let generation = generationOf(options);
  return {
    find(requestedPath, accept, pretty = false) {
      const current = generationOf(options);
      if (generation !== current) {
        generation = current;
        cache.clear();
      }
      const path = requestedPath.replace(/\/$/, '');
      const plain = plainDocument(path, options);
      if (plain === undefined) return { kind: 'not-found' };
      const isRoot = path === '/api' || path === '/apis';
      const chosen = chooseType(accept, offered, (target, type) =>
        formOf(target, type, isRoot, identity),
      );
      if (chosen === undefined) {
        return { kind: 'not-acceptable', accepted: offered.map((type) => type.mediaType) };
      }
      const form = chosen.target;
      const indents = chosen.type.format === 'json' && (pretty || chosen.pretty);
      const name = `${path} ${form} ${chosen.type.format}${indents ? ' indented' : ''}`;
      let document = cache.get(name);
      if (document === undefined) {
        const written = { type: chosen.type, indents };
        const steps =
          form === 'plain'
            ? encodedPlain(plain, written)
            : aggregatedDocument(path, form, written, options);
        document = startedAtOnce(options.turns, steps);
        keep(cache, name, document);
      }
      return inTurn(options.turns, document);
    },
  };
}

/** Another text when any document may be another one. */
function generationOf({ aggregation, scheme }: DiscoveryOptions): string {
  const { documents, services } = aggregation;
  const others = services.isEmpty ? '' : `${services.generation} ${documents.generation}`;
  return `${scheme.generation} ${others}`;
}

interface Written {
  readonly type: SupportedType;
  readonly indents: boolean;
}

/** As a promise until it is made. */
function keep(
  cache: Map<string, Awaitable<DiscoveryDocument>>,
  name: string,
  document: Awaitable<DiscoveryDocument>,
): void {
  cache.set(name, document);
  if (!(document instanceof Promise)) return;
  const settle = (change: () => void) => (): void => {
    if (cache.get(name) === document) change();
  };
  document.then(
    (made) => settle(() => cache.set(name, made))(),
    settle(() => cache.delete(name)),
  );
}

/** Sent at once where it has been made: a fraction of a millisecond, as a request takes anyway. */
const sentAtOnceBytes = 256 * 1024;

function inTurn(
  turns: DiscoveryOptions['turns'],
  document: Awaitable<DiscoveryDocument>,
): Awaitable<DiscoveryResult> {
  if (!(document instanceof Promise) && document.body.byteLength <= sentAtOnceBytes) {
    return { kind: 'document', document };
  }
  return (async () => {
    const made = await document;
    await turnToSend(turns, made.body);
    return { kind: 'document', document: made };
  })();
}

/** Aggregated documents have no Protobuf form: clients ask for them as JSON. */
function formOf(
  target: Target | undefined,
  type: SupportedType,
  isRoot: boolean,
  identity: Identity,
): Form | undefined {
  if (target === undefined) return 'plain';
  if (type.format === 'protobuf') return undefined;
  if (!isRoot || target.kind !== aggregatedKind) return undefined;
  if (target.group !== identity.groups.discovery) return undefined;
  return aggregatedVersions.find((version) => version === target.version);
}

/** Undefined: there is nothing at this path. */
function plainDocument(
  path: string,
  { aggregation, scheme, serverAddress }: DiscoveryOptions,
): (() => Steps<JsonObject>) | undefined {
  const [, root, ...rest] = path.split('/');
  const core = scheme.findGroup('');
  if (root === 'api' && core !== undefined) {
    const [version] = rest;
    if (version === undefined) return () => small(apiVersions(core, serverAddress));
    const found = rest.length === 1 ? scheme.findVersion('', version) : undefined;
    return found && (() => apiResourceList('', found));
  }
  if (root !== 'apis') return undefined;
  const [group, version] = rest;
  const { services } = aggregation;
  if (group === undefined) return () => groupList(scheme, services);
  if (group === '' || rest.length > 2) return undefined;
  if (version !== undefined) {
    const found = scheme.findVersion(group, version);
    return found && (() => apiResourceList(group, found));
  }
  const found = shownGroup(scheme, services, group);
  return found && (() => apiGroup(found));
}

function* groupList(scheme: Scheme, services: ApiServices): Steps<JsonObject> {
  return yield* apiGroupList(yield* shownGroups(scheme, services));
}

/** Of what is served when it is begun. */
function* aggregatedDocument(
  path: string,
  form: AggregatedVersion,
  { indents, type }: Written,
  { aggregation, scheme, identity }: DiscoveryOptions,
): Steps<DiscoveryDocument> {
  const { documents, services } = aggregation;
  const groups =
    path === '/api'
      ? [shownGroup(scheme, services, '')].filter((group) => group !== undefined)
      : yield* shownGroups(scheme, services);
  const { discovery } = identity.groups;
  const resourcesOf: ResourcesOf = (service) => documents.discoveryOf(service);
  const value = yield* apiGroupDiscoveryList(groups, resourcesOf, discovery, form);
  const hashed = type.format === 'yaml' ? hashedYaml(value) : hashedItems(value, indents);
  const { body, hash } = yield* hashed;
  const target = `g=${identity.groups.discovery};v=${form};as=${aggregatedKind}`;
  return { body, contentType: `${type.mediaType};${target}`, etag: `"${hash}"` };
}

interface Hashed {
  readonly body: Uint8Array;
  /** SHA-512, in capital letters. */
  readonly hash: string;
}

/** As deep as `items[].versions[].resources[]`. */
const resourcesDepth = 6;

function* hashedItems(value: JsonObject, indents: boolean): Steps<Hashed> {
  const { hash, json } = yield* hashedJson(value, resourcesDepth, lineEnd);
  return { body: indents ? yield* indentedSteps(value, prettyIndent) : json, hash };
}

/** Hashed in one step: a millisecond. */
const hashedBytes = 512 * 1024;

function* hashedYaml(value: JsonObject): Steps<Hashed> {
  const body = yield* encodeYamlSteps(value);
  const hash = createHash('sha512');
  for (let at = 0; at < body.length; at += hashedBytes) {
    if (at > 0) yield;
    hash.update(body.subarray(at, at + hashedBytes));
  }
  return { body, hash: hash.digest('hex').toUpperCase() };
}

function* small(document: JsonObject): Steps<JsonObject> {
  return document;
}

function* encodedPlain(make: () => Steps<JsonObject>, written: Written): Steps<DiscoveryDocument> {
  const body = yield* encoded(yield* make(), written);
  return { body, contentType: written.type.mediaType, etag: undefined };
}

/** As deep as `groups[].versions[]`, `resources[]` or `versions[]`. */
const entriesDepth = ({ kind }: JsonObject): number => (kind === 'APIGroupList' ? 4 : 2);

function* encoded(value: JsonObject, { indents, type }: Written): Steps<Uint8Array> {
  switch (type.format) {
    case 'json':
      if (indents) return yield* indentedSteps(value, prettyIndent);
      return yield* jsonInSteps(value, entriesDepth(value), lineEnd);
    case 'yaml':
      return yield* encodeYamlSteps(value);
    case 'cbor':
      return encodeCbor(value);
    case 'protobuf':
      return yield* encodedProtobuf(value);
  }
}

/** The lists that may be long: the last field of their document. */
const longLists = lookup({
  APIGroupList: { field: 'groups', type: 'APIGroup' },
  APIResourceList: { field: 'resources', type: 'APIResource' },
});

/** What encodeProtobuf gives; the items of a list are written in steps. */
function* encodedProtobuf(document: JsonObject): Steps<Uint8Array> {
  const kind = String(document['kind']);
  const schema = metaTypes.object(`meta/v1.${kind}`);
  // APIVersions is older than versions of kinds; its envelope names one all the same.
  const long = longLists[kind];
  if (long === undefined) return encodeProtobuf(schema, { apiVersion: 'v1', ...document });
  const { [long.field]: _items, ...rest } = document;
  const number = schema.members.get(long.field)?.number;
  assert(number !== undefined, `${kind} has ${long.field}`);
  const itemType = metaTypes.object(`meta/v1.${long.type}`);
  const parts = [encodeMessage(schema, rest)];
  let bytes = parts[0]?.byteLength ?? 0;
  yield* inSteps(objects(document, long.field), (item) => {
    const message = encodeMessage(itemType, item);
    const head = fieldHead(number, message.byteLength);
    parts.push(head, message);
    bytes += head.byteLength + message.byteLength;
    return undefined;
  });
  const { head, tail } = envelopeAround({ apiVersion: 'v1', kind }, bytes);
  return yield* joined([head, ...parts, tail]);
}
