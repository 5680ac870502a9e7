/**
 * The contract between what answers requests and the servers behind this one.
 *
 * Elsewhere: who answers for what (api-services.ts), what they say of themselves
 * (remote-documents.ts), how requests get there (passed-on.ts), and how this server's own
 * controllers get at objects there (remote-objects.ts).
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Pass, Refusal } from '../proxy/passed-request.ts';
import type { RemoteService } from './api-service.ts';
import type { ApiServices } from './api-services.ts';
import type { AskedOfRemote } from './passed-on.ts';

export interface Aggregation {
  readonly services: ApiServices;
  /** What is done for the request, or why nothing can be. */
  pass(service: RemoteService, asked: AskedOfRemote): Pass | Refusal;
  readonly documents: RemoteDocuments;
}

/** What another server says of a version, in aggregated discovery. */
export interface RemoteVersion {
  readonly resources: readonly JsonObject[];
  /** Stale: it could not be asked the last time. */
  readonly freshness: 'Current' | 'Stale';
}

export interface RemoteDocuments {
  /** Another one when any of them may be another. */
  readonly generation: number;
  /** Of what nobody has asked yet: stale, and nothing. */
  discoveryOf(service: RemoteService): RemoteVersion;
  /** Another one when any document of OpenAPI 3 may be another. */
  readonly openApiGeneration: number;
  /** Where its document is, as the index of its server says. Undefined: nowhere. */
  openApiOf(service: RemoteService): string | undefined;
  /** Another one when any document of OpenAPI 2.0 may be another. */
  readonly openApiV2Generation: number;
  /** Of each server that has one, in an order that stays. */
  openApiV2(): readonly RemoteOpenApi[];
}

/** A document of OpenAPI 2.0 as it came. */
export interface RemoteOpenApi {
  readonly body: Uint8Array;
  /** Of that, and of the prefixes. */
  readonly digest: string;
  /** Paths of the versions that this server answers for. */
  readonly prefixes: readonly string[];
}
