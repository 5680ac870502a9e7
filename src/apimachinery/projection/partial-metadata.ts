/**
 * PartialObjectMetadata(List): objects reduced to their metadata (spec 1, section 4.3).
 *
 * Metadata is cut out of the object's bytes as it stands.
 *
 * Invariants: `apiVersion` is `meta.<domain>/<version>`, whatever kind the object has.
 */
import type { MetaVersion } from '../negotiation.ts';
import { metadataBytes, objectHead } from '../object-encoding.ts';

const metadataKey = Buffer.from(',"metadata":');
const closingBrace = 0x7d;

export interface PartialOptions {
  /** The API domain of the identity. */
  readonly domain: string;
  readonly version: MetaVersion;
}

export function metaApiVersion(options: PartialOptions): string {
  return `meta.${options.domain}/${options.version}`;
}

export interface PartialForm {
  readonly kind: 'PartialObjectMetadata';
  readonly listKind: 'PartialObjectMetadataList';
  readonly apiVersion: string;
  /** From an object's stamped bytes to those of its PartialObjectMetadata. */
  project(bytes: Uint8Array): Uint8Array;
}

export function partialForm(options: PartialOptions): PartialForm {
  const apiVersion = metaApiVersion(options);
  const head = Buffer.concat([objectHead('PartialObjectMetadata', apiVersion), metadataKey]);
  return {
    kind: 'PartialObjectMetadata',
    listKind: 'PartialObjectMetadataList',
    apiVersion,
    project(bytes) {
      const metadata = metadataBytes(bytes);
      const out = Buffer.allocUnsafe(head.length + metadata.length + 1);
      out.set(head, 0);
      out.set(metadata, head.length);
      out[out.length - 1] = closingBrace;
      return out;
    },
  };
}
