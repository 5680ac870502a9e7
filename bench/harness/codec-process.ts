/**
 * The codecs and the schema walkers alone, in a process of their own: the way of a pod's body in,
 * and through Protobuf, without HTTP, actors or a store. Its floor is the engine's own JSON.parse.
 */
import assert from 'node:assert/strict';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { typedDocument } from '../../src/apimachinery/typed/field-validation.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { podBody } from '../load/pod-body.ts';
import { answerWith } from './inside.ts';

export type CodecWork = 'parse' | 'accept' | 'protobuf-encode' | 'protobuf-decode';

export interface CodecRequest {
  readonly kind: 'codec';
  readonly work: CodecWork;
  readonly count: number;
}

export interface CodecResult {
  /** Of processor time, all threads: collecting garbage is a part of the work. */
  readonly cpuSeconds: number;
  readonly bytes: number;
}

const identity = identityOf('kubernetes');
const built = buildScheme({ identity });
assert(built.kind === 'ok');
const found = built.scheme.findKind('', 'v1', 'Pod');
assert(found?.schema !== undefined);
const pods = found;
const { schema } = found;
const strategy = strategiesOf(identity)(found);

const body = podBody();
const text = body.toString('utf8');

/** What a create does before its object goes to the actor. */
function accept(): ApiObject {
  const decoded = decodeJson(body, { findDuplicates: true });
  assert(decoded.kind === 'value');
  const typed = typedDocument(decoded.value as JsonObject, pods, 'Warn', decoded.duplicates ?? []);
  assert(typed.kind === 'ok' && typed.warnings.length === 0);
  assert(strategy.validate(typed.object).length === 0);
  return typed.object;
}

const pod = accept();
const message = encodeProtobuf(schema, pod);

const works: Readonly<Record<CodecWork, () => unknown>> = {
  parse: () => JSON.parse(text) as unknown,
  accept,
  'protobuf-encode': () => encodeProtobuf(schema, pod),
  'protobuf-decode': () => decodeProtobuf(message, () => schema),
};

answerWith((request): CodecResult => {
  const { work, count } = request as CodecRequest;
  const run = works[work];
  const begin = process.cpuUsage();
  for (let i = 0; i < count; i += 1) run();
  const { user, system } = process.cpuUsage(begin);
  return {
    cpuSeconds: (user + system) / 1e6,
    bytes: work.startsWith('protobuf') ? message.length : body.length,
  };
});

process.stdout.write('ready: 0\n');
process.on('SIGTERM', () => process.exit(0));
