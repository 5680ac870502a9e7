/**
 * A key service for tests: gRPC over a unix socket in this process, with keys that can be exchanged
 * and moods that others have.
 *
 * Its messages are read and written by another implementation than the server's. What it encrypts
 * is XORed with its key's id: nobody may read a seed in it, and nothing else is promised.
 */
import { rmSync } from 'node:fs';
import grpc from '@grpc/grpc-js';
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

export type Mood =
  | 'well'
  | 'failing'
  | 'hanging'
  | 'sick'
  | 'garbage'
  | 'empty'
  | 'huge'
  | 'refusing'
  | 'disagreeing';

export interface TestKeyService {
  readonly socket: string;
  keyId: string;
  mood: Mood;
  version: string;
  /** By method. */
  readonly calls: Map<string, number>;
  /** Plain seeds that it was given. */
  readonly seeds: Buffer[];
  /** Nobody is behind the socket, until start(). */
  stop(): void;
  start(): Promise<void>;
}

type Fields = ReadonlyMap<number, readonly Buffer[]>;
type Method = (request: Fields) => Buffer;

export async function startKeyService(socket: string): Promise<TestKeyService> {
  let server: grpc.Server | undefined;
  const service: TestKeyService = {
    socket,
    keyId: 'key-1',
    mood: 'well',
    version: 'v2',
    calls: new Map(),
    seeds: [],
    stop() {
      server?.forceShutdown();
      server = undefined;
    },
    async start() {
      rmSync(socket, { force: true });
      server = new grpc.Server();
      server.addService(definition, handlersOf(service));
      const { promise, reject, resolve } = settled();
      server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
      await promise;
    },
  };
  await service.start();
  return service;
}

function settled() {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const same = (bytes: Buffer): Buffer => bytes;
const methods = ['Status', 'Encrypt', 'Decrypt'] as const;

const definition = Object.fromEntries(
  methods.map((name) => [
    name,
    {
      path: `/v2.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  ]),
);

function handlersOf(service: TestKeyService): grpc.UntypedServiceImplementation {
  const answers = answersOf(service);
  return Object.fromEntries(
    methods.map((name) => [
      name,
      (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void => {
        service.calls.set(name, (service.calls.get(name) ?? 0) + 1);
        const { mood } = service;
        if (mood === 'hanging') return;
        const fails = mood === 'failing' || (mood === 'refusing' && name === 'Decrypt');
        if (fails) answer({ code: grpc.status.UNKNOWN, details: 'the vault is sealed' });
        else if (mood === 'garbage') answer(null, Buffer.from('0aff0102', 'hex'));
        else if (mood === 'empty') answer(null, Buffer.alloc(0));
        else if (mood === 'huge') answer(null, Buffer.alloc(3 * 1024 * 1024, 'x'));
        else answer(null, answers[name](fieldsOf(call.request)));
      },
    ]),
  );
}

const annotation = 'version.kms.example.com';

function answersOf(service: TestKeyService): Record<(typeof methods)[number], Method> {
  return {
    Status() {
      const writer = new BinaryWriter().tag(1, 2).string(service.version);
      writer.tag(2, 2).string(service.mood === 'sick' ? 'not today' : 'ok');
      return Buffer.from(writer.tag(3, 2).string(service.keyId).finish());
    },
    Encrypt(request) {
      const plain = request.get(1)?.[0] ?? Buffer.alloc(0);
      service.seeds.push(plain);
      const keyId = service.mood === 'disagreeing' ? 'another' : service.keyId;
      const entry = new BinaryWriter().tag(1, 2).string(annotation).tag(2, 2).bytes(Buffer.of(1));
      const writer = new BinaryWriter().tag(1, 2).bytes(masked(plain, keyId));
      writer.tag(2, 2).string(keyId).tag(3, 2).bytes(entry.finish());
      return Buffer.from(writer.finish());
    },
    Decrypt(request) {
      const [sealed, uid, keyId, entry] = [1, 2, 3, 4].map((number) => request.get(number)?.[0]);
      const asWas = entry !== undefined && fieldsOf(entry).get(1)?.[0]?.toString() === annotation;
      if (sealed === undefined || keyId === undefined || uid?.length !== 36 || !asWas) {
        throw new Error('this is not what was answered');
      }
      return Buffer.from(
        new BinaryWriter()
          .tag(1, 2)
          .bytes(masked(sealed, `${keyId}`))
          .finish(),
      );
    },
  };
}

function masked(bytes: Buffer, keyId: string): Buffer {
  const mask = Buffer.alloc(bytes.length, `${keyId}/`);
  return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] as number)));
}

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Buffer[]>();
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), Buffer.from(reader.bytes())]);
  }
  return fields;
}
