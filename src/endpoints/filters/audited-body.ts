/**
 * Bodies in audit events: always JSON, whatever encoding was sent, and the reason of a refusal.
 *
 * Elsewhere: the choice of when and whether a body is audited (audited-exchange.ts).
 *
 * Invariant: what cannot be written as JSON (packed, or of an unknown kind) is left out.
 * Bounds: of a streamed list no more is kept than `keptBytesMax`; a body that is not read at once
 * by its handler (body-decoding.ts) is not read at once here.
 */
import type { AuditedBody, AuditResponse } from '../../audit/audit.ts';
import { decodeCbor } from '../../apimachinery/codecs/cbor.ts';
import { decodeJson, encodeJson } from '../../apimachinery/codecs/json.ts';
import type { Decoded } from '../../apimachinery/codecs/json.ts';
import { decodeProtobuf } from '../../apimachinery/codecs/protobuf.ts';
import type { SchemaOf } from '../../apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../apimachinery/codecs/yaml.ts';
import { mediaTypeOf } from '../../apimachinery/negotiation.ts';
import type { BodyFormat } from '../../apimachinery/negotiation.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Turns } from '../../stdx/turns.ts';
import { decodeBody } from '../body-decoding.ts';
import type { BodyLanes } from '../body-lanes.ts';

/** Of a streamed answer; one byte more than an event takes is enough to say that it was too
 * long. */
const keptBytesMax = 1024 * 1024 + 1;

/** The beginning of a streamed answer. */
export class BodyPrefix {
  #chunks: Uint8Array[] = [];
  #length = 0;

  add(chunk: Uint8Array): void {
    const room = keptBytesMax - this.#length;
    if (room <= 0) return;
    // Copied: the writer may fill the same memory with the next chunk.
    const taken = new Uint8Array(chunk.subarray(0, room));
    this.#chunks.push(taken);
    this.#length += taken.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

interface BodyReading {
  readonly schemaOf: SchemaOf;
  readonly turns: Turns;
  readonly bodyLanes: BodyLanes;
}

/** Undefined: it cannot be written as JSON. A promise: it is large, and read in parts. */
export function auditedBody(
  deps: BodyReading,
  contentType: string,
  bytes: Uint8Array,
): AuditedBody | undefined | Promise<AuditedBody | undefined> {
  // Too long for an event in any form: the trail says so.
  if (bytes.length >= keptBytesMax) return { value: undefined, bytes: bytes.length };
  const format = formatOf(contentType);
  if (format === undefined) return undefined;
  const { bodyLanes, schemaOf, turns } = deps;
  const decoding = { bodyLanes, registry: { turns } };
  const reading = { findDuplicates: false, schemaOf };
  const told = (decoded: Decoded): AuditedBody | undefined => {
    if (decoded.kind === 'refused') return undefined;
    const { value } = decoded;
    return { value, bytes: format === 'json' ? bytes.length : encodeJson(value).length };
  };
  // It is told whoever has gone meanwhile.
  const decoded = decodeBody(decoding, { closed: false }, bytes, format, reading);
  return decoded instanceof Promise ? decoded.then(told) : told(decoded);
}

/** A refusal's reason, message and details are in its body, whatever the encoding. */
export function responseOf(
  code: number,
  contentType: string,
  body: Uint8Array | string,
): AuditResponse {
  if (code < 400) return { code };
  const decoded = decodeAs(contentType, asBytes(body), () => statusType);
  if (decoded?.kind !== 'value' || !isJsonObject(decoded.value)) return { code };
  const { details, message, reason } = decoded.value;
  return {
    code,
    status: {
      ...(typeof message === 'string' ? { message } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(isJsonObject(details) ? { details } : {}),
    },
  };
}

function decodeAs(contentType: string, bytes: Uint8Array, schemaOf: SchemaOf): Decoded | undefined {
  switch (formatOf(contentType)) {
    case 'json':
      return decodeJson(bytes);
    case 'yaml':
      return decodeYaml(bytes);
    case 'protobuf':
      return decodeProtobuf(bytes, schemaOf);
    case 'cbor':
      return decodeCbor(bytes);
    case undefined:
      return undefined;
  }
}

function formatOf(contentType: string): BodyFormat | undefined {
  const name = mediaTypeOf(contentType) ?? '';
  if (name === 'application/json' || name.endsWith('+json')) return 'json';
  if (name.endsWith('yaml')) return 'yaml';
  if (name === 'application/cbor' || name.endsWith('+cbor')) return 'cbor';
  return name.endsWith('.protobuf') ? 'protobuf' : undefined;
}

export function asBytes(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
