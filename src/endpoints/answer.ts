/**
 * What a request comes to. Handlers return it; send-answer.ts, and nothing else, sends it.
 */
import type { BodyFormat } from '../apimachinery/negotiation.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ListResult } from '../registry/registry.ts';
import type { Header, ResponseStream } from '../transport/http-exchange.ts';
import type { Pass } from '../proxy/passed-request.ts';
import type { ListLayout } from './list-layout.ts';
import type { Representation } from './representation.ts';
import type { EndpointDeps, ResourceRequest } from './request.ts';

/** An error is sent as a Status. */
export type Answer =
  | StatusError
  | ObjectAnswer
  | ListAnswer
  | BodyAnswer
  | DocumentAnswer
  | PackedAnswer
  | StreamAnswer
  | PassedAnswer;

export type ResourceHandler = (deps: EndpointDeps, request: ResourceRequest) => Promise<Answer>;

/** One stored object, which is still to be represented. */
export interface ObjectAnswer {
  readonly kind: 'object';
  readonly status: number;
  readonly representation: Representation;
  /** `bytes`: stamped, in the stored version. */
  readonly object: { readonly bytes: Uint8Array; readonly revision: bigint };
}

/** A list is made as the socket takes it. */
export interface ListAnswer {
  readonly kind: 'list';
  readonly mediaType: string;
  readonly layout: ListLayout;
  readonly list: SentList;
}

/** What is sent of a list. Without a revision: nothing of it is stored. */
export interface SentList extends Pick<
  ListResult,
  'entries' | 'count' | 'continueAfter' | 'extent' | 'remainingItemCount'
> {
  readonly revision: ListResult['revision'] | undefined;
  readonly snapshot: ListResult['snapshot'] | undefined;
}

/** A body of the API that is complete in memory; it gets the headers that all of them have. */
export interface BodyAnswer {
  readonly kind: 'body';
  readonly status: number;
  readonly mediaType: string;
  readonly body: Uint8Array;
}

/** A body outside of the API, with all of its headers. */
export interface DocumentAnswer {
  readonly kind: 'document';
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | string;
}

/** Such a body that is kept packed, and unpacked as the reader takes it. */
export interface PackedAnswer {
  readonly kind: 'packed';
  readonly headers: readonly Header[];
  /** A gzip, of which the reader is sent what is in it. */
  readonly packed: Uint8Array;
}

/** A stream that lives until it ends or the client goes. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly headers: readonly Header[];
  /** A harmless first chunk, for a transport that cannot send a head alone. */
  readonly preamble: Uint8Array;
  /** Of the events of a watch, which may be sent as messages. */
  readonly messages?: BodyFormat;
  /** Called once, when the head has been sent. */
  readonly begin: (stream: ResponseStream) => void;
}

/** What another server answers, passed on as it comes. */
export interface PassedAnswer {
  readonly kind: 'passed';
  readonly pass: Pass;
}

/** Of what has been written in the format that was negotiated. */
export function bodyAnswer(status: number, mediaType: string, body: Uint8Array): BodyAnswer {
  return { kind: 'body', status, mediaType, body };
}

export function objectAnswer(
  status: number,
  representation: Representation,
  object: ObjectAnswer['object'],
): ObjectAnswer {
  return { kind: 'object', status, representation, object };
}

export function documentAnswer(
  status: number,
  headers: readonly Header[],
  body: Uint8Array | string,
): DocumentAnswer {
  return { kind: 'document', status, headers, body };
}
