/**
 * Decodes the bytes of a request body, in any format (spec 1, section 4.3): a small body at once, a
 * large one in parts, so that other requests are served in between.
 *
 * Invariants: both ways give the same value. When the client has gone, no further part is decoded.
 * Work on a large body continues in a turn of its own. Bound: `atOnceBytesMax` bytes are read in
 * one turn, fewer of YAML.
 */
import { cborSteps, decodeCbor } from '../apimachinery/codecs/cbor.ts';
import { decodeJson, jsonSteps } from '../apimachinery/codecs/json.ts';
import type { DecodeOptions, Decoded } from '../apimachinery/codecs/json.ts';
import { decodeProtobuf, protobufSteps } from '../apimachinery/codecs/protobuf.ts';
import type { SchemaOf } from '../apimachinery/codecs/protobuf.ts';
import { decodeYaml, yamlSteps } from '../apimachinery/codecs/yaml.ts';
import type { BodyFormat } from '../apimachinery/negotiation.ts';
import { newClientGone } from '../apimachinery/status-error.ts';
import { runStepwise } from '../stdx/stepwise.ts';
import { wholeTurnMs } from '../stdx/turns.ts';
import type { Turns } from '../stdx/turns.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import type { BodyLanes } from './body-lanes.ts';

/** Policy: a larger body is read in parts. */
export const atOnceBytesMax = 64 * 1024;
/** The same of YAML, whose every token costs as much as ten of JSON. */
const yamlAtOnceBytesMax = 16 * 1024;

export interface BodyDecodeOptions extends DecodeOptions {
  readonly schemaOf: SchemaOf;
}

interface DecodingDeps {
  readonly registry: { readonly turns: Turns };
  readonly bodyLanes: BodyLanes;
}

/** The value, or a promise of it: a small body costs no promise. */
export function decodeBody(
  deps: DecodingDeps,
  exchange: Pick<HttpExchange, 'closed'>,
  bytes: Uint8Array,
  format: BodyFormat,
  reading: BodyDecodeOptions,
): Decoded | Promise<Decoded> {
  const atOnceMax = format === 'yaml' ? yamlAtOnceBytesMax : atOnceBytesMax;
  if (bytes.length <= atOnceMax) return decodeAtOnce(bytes, format, reading);
  const { bodyLanes, registry } = deps;
  const inLane = bodyLanes(format, bytes.length);
  return inLane(() => decodeInTurns(registry.turns, exchange, stepsOf(bytes, format, reading)));
}

function decodeAtOnce(bytes: Uint8Array, format: BodyFormat, reading: BodyDecodeOptions): Decoded {
  switch (format) {
    case 'json':
      return decodeJson(bytes, reading);
    case 'yaml':
      return decodeYaml(bytes, reading);
    case 'protobuf':
      return decodeProtobuf(bytes, reading.schemaOf, reading.valuesMax);
    case 'cbor':
      return decodeCbor(bytes, reading.valuesMax);
  }
}

function stepsOf(
  bytes: Uint8Array,
  format: BodyFormat,
  reading: BodyDecodeOptions,
): Iterator<undefined, Decoded> {
  switch (format) {
    case 'json':
      return jsonSteps(bytes, reading);
    case 'yaml':
      return yamlSteps(bytes, reading);
    case 'protobuf':
      return protobufSteps(bytes, reading.schemaOf, reading.valuesMax);
    case 'cbor':
      return cborSteps(bytes, reading.valuesMax);
  }
}

async function decodeInTurns(
  turns: Turns,
  exchange: Pick<HttpExchange, 'closed'>,
  steps: Iterator<undefined, Decoded>,
): Promise<Decoded> {
  const decoded = await runStepwise(turns, steps, () => exchange.closed);
  if (decoded?.kind === 'refused') return decoded;
  if (decoded !== undefined) await turns.pause(wholeTurnMs);
  return decoded === undefined || exchange.closed ? gone : decoded;
}

const gone: Decoded = {
  kind: 'refused',
  error: newClientGone('its body was read'),
};
