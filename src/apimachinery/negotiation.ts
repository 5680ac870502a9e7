/**
 * Content negotiation: which media type and which form of the object a request asks for
 * (spec 1, sections 2.6 and 4.3).
 *
 * What is supported is data: a further encoding is one more row.
 *
 * Rules: the client's clauses count by q, then by how specific they are, then in their order; the
 * first that can be served wins. A clause that asks for a form the endpoint does not have is
 * passed over, so `application/json;as=Table;...,application/json` falls back. A media type with
 * `q=0` is not served, a wildcard notwithstanding. Without Accept the first supported type is.
 *
 * Bounds: clauses after the first `acceptClausesMax` are not looked at; the header itself is
 * bounded by the transport.
 */
import { newNotAcceptable, newUnsupportedMediaType, newWrongProjection } from './status-error.ts';
import type { StatusError } from './status-error.ts';

const acceptClausesMax = 64;

export type BodyFormat = 'json' | 'yaml' | 'protobuf' | 'cbor';

export interface SupportedType {
  readonly mediaType: string;
  readonly format: BodyFormat;
  /** Whether a watch can be sent in it. */
  readonly streams: boolean;
  /** What a watch in it is called; absent: the media type of a single document. */
  readonly streamMediaType?: string;
}

/** In order of the server's preference. */
export const supportedTypes: readonly SupportedType[] = [
  { mediaType: 'application/json', format: 'json', streams: true },
  { mediaType: 'application/yaml', format: 'yaml', streams: false },
];

/** Protobuf is for kinds that are known field by field; its name is the identity's. */
export function protobufType(mediaType: string): SupportedType {
  return { mediaType, format: 'protobuf', streams: true };
}

/** CBOR is for all kinds, where the server has it switched on. */
export const cborType: SupportedType = {
  mediaType: 'application/cbor',
  format: 'cbor',
  streams: true,
  streamMediaType: 'application/cbor-seq',
};

/** What a clause asks the object to be shown as: `as`, `g` and `v`, '' where absent. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface AcceptClause {
  /** Lower case. */
  readonly type: string;
  readonly subtype: string;
  readonly q: number;
  /** Names in lower case, without q. */
  readonly parameters: ReadonlyMap<string, string>;
}

export interface Chosen<T> {
  readonly type: SupportedType;
  readonly target: T;
  /** The clause itself asked for indented output. */
  readonly pretty: boolean;
}

export type MetaVersion = 'v1' | 'v1beta1';

export type Projection =
  | { readonly kind: 'none' }
  | { readonly kind: 'table'; readonly version: MetaVersion }
  /** `list`: PartialObjectMetadataList was asked for, rather than PartialObjectMetadata. */
  | { readonly kind: 'partial'; readonly version: MetaVersion; readonly list: boolean };

export interface NegotiationOptions {
  readonly supported: readonly SupportedType[];
  readonly allowTable: boolean;
  readonly allowPartial: boolean;
  /** The API domain of the identity: the meta group is `meta.<domain>`. */
  readonly domain: string;
  /** The response is a watch. */
  readonly stream?: boolean | undefined;
  /** What is not projected has no Protobuf form. */
  readonly wholeWithoutProtobuf?: boolean | undefined;
  /** What there is to project; undefined: a Status too, which never is. */
  readonly holds?: 'object' | 'list' | undefined;
}

export interface Negotiated {
  readonly mediaType: string;
  readonly format: BodyFormat;
  readonly projection: Projection;
  readonly pretty: boolean;
}

export type NegotiationResult =
  | { readonly kind: 'ok'; readonly negotiated: Negotiated }
  | { readonly kind: 'refused'; readonly error: StatusError };

export function negotiate(
  accept: string | undefined,
  options: NegotiationOptions,
): NegotiationResult {
  const metaGroup = `meta.${options.domain}`;
  const served = options.stream === true ? streamTypes(options.supported) : options.supported;
  const chosen = chooseType(accept, served, (target, type) => {
    const isProtobuf = type.format === 'protobuf';
    if (target === undefined && isProtobuf && options.wholeWithoutProtobuf === true) {
      return undefined;
    }
    return projectionOf(target, metaGroup, {
      ...options,
      // Its cells hold any value, so a Table has no Protobuf form.
      allowTable: options.allowTable && !isProtobuf,
    });
  });
  if (chosen === undefined) return { kind: 'refused', error: notAcceptable(served, options) };
  const wrong = wrongProjection(chosen.target, options);
  if (wrong !== undefined) return { kind: 'refused', error: wrong };
  const { mediaType, streamMediaType } = chosen.type;
  return {
    kind: 'ok',
    negotiated: {
      mediaType: options.stream === true ? (streamMediaType ?? mediaType) : mediaType,
      format: chosen.type.format,
      projection: chosen.target,
      pretty: chosen.pretty,
    },
  };
}

/** A clause for the wrong one of the two is taken at its word: the next is not tried. */
function wrongProjection(
  target: Projection,
  { holds }: NegotiationOptions,
): StatusError | undefined {
  if (target.kind !== 'partial' || holds === undefined) return undefined;
  const isList = holds === 'list';
  if (target.list === isList) return undefined;
  const asked = target.list ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return newWrongProjection(asked, isList);
}

/** A type whose streams have a name of their own goes by both. */
function streamTypes(supported: readonly SupportedType[]): readonly SupportedType[] {
  return supported
    .filter((type) => type.streams)
    .flatMap((type) => {
      const { streamMediaType } = type;
      return streamMediaType === undefined
        ? [type]
        : [type, { ...type, mediaType: streamMediaType }];
    });
}

/** The general form: `allow` says what a target means at this endpoint in this type, undefined to
 * pass both over. An absent target comes as undefined. Undefined when nothing fits. */
export function chooseType<T>(
  accept: string | undefined,
  supported: readonly SupportedType[],
  allow: (target: Target | undefined, type: SupportedType) => T | undefined,
): Chosen<T> | undefined {
  const header = accept === undefined || accept.trim() === '' ? '*/*' : accept;
  const clauses = parseAccept(header);
  const excluded = clauses.filter((clause) => clause.q === 0 && wildness(clause) === 0);
  for (const clause of clauses) {
    if (clause.q === 0) break;
    for (const type of supported) {
      if (!matches(clause, type.mediaType)) continue;
      if (excluded.some((each) => matches(each, type.mediaType))) continue;
      const stream = clause.parameters.get('stream') ?? '';
      if (stream !== '' && (stream !== 'watch' || !type.streams)) continue;
      const serverVersion = clause.parameters.get('sv') ?? '';
      if (serverVersion !== '' && serverVersion !== 'v1') continue;
      const target = allow(targetOf(clause), type);
      if (target === undefined) continue;
      return { type, target, pretty: clause.parameters.get('pretty') === '1' };
    }
  }
  return undefined;
}

/** In order of preference, refusals (q=0) last. What is not `type/subtype` is left out. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of splitOutsideQuotes(header, ',').slice(0, acceptClausesMax)) {
    const clause = parseClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  // The sort is stable, so clauses of one rank keep the client's order.
  return clauses.sort((a, b) => b.q - a.q || wildness(a) - wildness(b));
}

export type ContentType =
  | { readonly kind: 'ok'; readonly type: SupportedType }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** The type of a request body. A body without Content-Type is of the first supported type. */
export function parseContentType(
  contentType: string | undefined,
  supported: readonly SupportedType[],
): ContentType {
  // Nearly every body names its type plainly.
  const plain = supported.find((each) => each.mediaType === contentType);
  if (plain !== undefined) return { kind: 'ok', type: plain };
  const text = contentType?.trim() ?? '';
  const name = text === '' ? supported[0]?.mediaType : mediaTypeOf(text);
  const type = supported.find((each) => each.mediaType === name);
  if (type !== undefined) return { kind: 'ok', type };
  const accepted = supported.map((each) => each.mediaType);
  return { kind: 'refused', error: newUnsupportedMediaType(accepted) };
}

/** The media type alone, lower case; undefined when the text is none. */
export function mediaTypeOf(contentType: string): string | undefined {
  const clause = parseClause(contentType);
  return clause === undefined ? undefined : `${clause.type}/${clause.subtype}`;
}

/** Programs that people read the output of get it indented without asking. */
const humanAgents: readonly string[] = ['curl', 'Wget', 'Mozilla/5.0'];
const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** `prettyParameter` is the query's first `pretty`. A value that is no boolean means false. */
export function wantsPretty(
  prettyParameter: string | undefined,
  userAgent: string | undefined,
): boolean {
  if (prettyParameter !== undefined && prettyParameter !== '') {
    return trueWords.has(prettyParameter);
  }
  return userAgent !== undefined && humanAgents.some((agent) => userAgent.startsWith(agent));
}

function projectionOf(
  target: Target | undefined,
  metaGroup: string,
  options: NegotiationOptions,
): Projection | undefined {
  if (target === undefined) return { kind: 'none' };
  const { group, version, kind } = target;
  if (group !== metaGroup || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  switch (kind) {
    case 'Table':
      return options.allowTable ? { kind: 'table', version } : undefined;
    case 'PartialObjectMetadata':
      return options.allowPartial ? { kind: 'partial', version, list: false } : undefined;
    case 'PartialObjectMetadataList':
      return options.allowPartial ? { kind: 'partial', version, list: true } : undefined;
    default:
      return undefined;
  }
}

function notAcceptable(served: readonly SupportedType[], options: NegotiationOptions): StatusError {
  const nameOf = ({ mediaType, streamMediaType }: SupportedType): string =>
    mediaType === streamMediaType ? mediaType : `${mediaType};stream=watch`;
  return newNotAcceptable(
    served.map((type) => (options.stream === true ? nameOf(type) : type.mediaType)),
  );
}

function targetOf(clause: AcceptClause): Target | undefined {
  const kind = clause.parameters.get('as') ?? '';
  const group = clause.parameters.get('g') ?? '';
  const version = clause.parameters.get('v') ?? '';
  return kind === '' && group === '' && version === '' ? undefined : { group, version, kind };
}

function matches(clause: AcceptClause, mediaType: string): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  const [type, subtype] = mediaType.split('/');
  return clause.type === type && (clause.subtype === '*' || clause.subtype === subtype);
}

function wildness(clause: AcceptClause): number {
  return (clause.type === '*' ? 2 : 0) + (clause.subtype === '*' ? 1 : 0);
}

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

function parseClause(text: string): AcceptClause | undefined {
  const [name, ...rest] = splitOutsideQuotes(text, ';');
  const [type, subtype, ...more] = (name as string).trim().toLowerCase().split('/');
  if (type === undefined || subtype === undefined || more.length > 0) return undefined;
  if (!token.test(type) || !token.test(subtype)) return undefined;
  const parameters = new Map<string, string>();
  let q = 1;
  for (const each of rest) {
    const equals = each.indexOf('=');
    if (equals < 0) continue;
    const key = each.slice(0, equals).trim().toLowerCase();
    const value = unquote(each.slice(equals + 1).trim());
    if (key === 'q') q = parseQuality(value);
    else parameters.set(key, value);
  }
  return { type, subtype, q, parameters };
}

/** A weight that is no number between 0 and 1 counts as 1. */
function parseQuality(text: string): number {
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/.test(text) ? Number(text) : 1;
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    else if (quoted && char === '\\') at += 1;
    else if (!quoted && char === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
