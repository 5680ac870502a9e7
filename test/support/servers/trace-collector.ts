/**
 * A collector of traces in the test's process: OTLP over gRPC, as the `.proto` files of
 * OpenTelemetry have it, read with the wire reader of @bufbuild/protobuf.
 */
import { once } from 'node:events';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import grpc from '@grpc/grpc-js';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' where there is none. */
  readonly parentId: string;
  readonly name: string;
  /** 1 inside, 2 of a server, 3 of a client. */
  readonly kind: number;
  readonly nanoseconds: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly service: Readonly<Record<string, string | number>>;
  /** Traces that it is linked to. */
  readonly links: readonly string[];
  /** Why it failed; undefined: it did not. */
  readonly failure: string | undefined;
}

export interface TraceCollector {
  readonly address: string;
  readonly spans: readonly CollectedSpan[];
  /** Waits until such a span is there. */
  spanOf(name: string, traceId?: string): Promise<CollectedSpan>;
  close(): void;
}

type Fields = ReadonlyMap<number, readonly Uint8Array[]>;

/** Fields of a message: those with a length as they are, numbers as eight bytes. */
function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(bytes);
  const number = (value: bigint): Uint8Array => {
    const held = Buffer.alloc(8);
    held.writeBigUInt64LE(BigInt.asUintN(64, value));
    return held;
  };
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const value =
      type === WireType.LengthDelimited
        ? reader.bytes()
        : type === WireType.Varint
          ? number(BigInt(reader.uint64()))
          : type === WireType.Bit64
            ? number(BigInt(reader.fixed64()))
            : number(BigInt(reader.fixed32()));
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

const all = (fields: Fields, field: number): readonly Fields[] =>
  (fields.get(field) ?? []).map(fieldsOf);
const bytesAt = (fields: Fields, field: number): Buffer =>
  Buffer.from(fields.get(field)?.at(-1) ?? []);
const hexAt = (fields: Fields, field: number): string => bytesAt(fields, field).toString('hex');
const textAt = (fields: Fields, field: number): string => bytesAt(fields, field).toString();
const bigAt = (fields: Fields, field: number): bigint =>
  fields.has(field) ? bytesAt(fields, field).readBigUInt64LE() : 0n;

function attributesOf(fields: Fields, field: number): Record<string, string | number> {
  const entries = all(fields, field).map((entry) => {
    const value = fieldsOf(bytesAt(entry, 2));
    const read = value.has(1) ? textAt(value, 1) : Number(bigAt(value, 3));
    return [textAt(entry, 1), read] as const;
  });
  return Object.fromEntries(entries);
}

function spanIn(span: Fields, service: CollectedSpan['service']): CollectedSpan {
  const [status] = all(span, 15);
  return {
    traceId: hexAt(span, 1),
    spanId: hexAt(span, 2),
    parentId: hexAt(span, 4),
    name: textAt(span, 5),
    kind: Number(bigAt(span, 6)),
    nanoseconds: bigAt(span, 8) - bigAt(span, 7),
    attributes: attributesOf(span, 9),
    service,
    links: all(span, 13).map((link) => hexAt(link, 1)),
    failure: status !== undefined && bigAt(status, 3) === 2n ? textAt(status, 2) : undefined,
  };
}

function spansIn(request: Uint8Array): readonly CollectedSpan[] {
  return all(fieldsOf(request), 1).flatMap((resource) => {
    const service = attributesOf(fieldsOf(bytesAt(resource, 1)), 1);
    return all(resource, 2).flatMap((scope) => all(scope, 2).map((each) => spanIn(each, service)));
  });
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** `address`: `127.0.0.1:0`, or a socket, `unix:///...`. */
export async function startTraceCollector(address = '127.0.0.1:0'): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = new grpc.Server();
  const method = {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  const take: grpc.handleUnaryCall<Buffer, Buffer> = ({ request }, answer) => {
    spans.push(...spansIn(request));
    answer(null, Buffer.alloc(0));
  };
  server.addService({ export: method }, { export: take });
  const port = await new Promise<number>((resolve, reject) => {
    const insecure = grpc.ServerCredentials.createInsecure();
    server.bindAsync(address, insecure, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    address: address.startsWith('unix') ? address : `127.0.0.1:${port}`,
    spans,
    async spanOf(name, traceId) {
      for (;;) {
        const found = spans.find(
          (span) => span.name === name && (traceId === undefined || span.traceId === traceId),
        );
        if (found !== undefined) return found;
        await once(AbortSignal.timeout(20), 'abort');
      }
    },
    close: () => server.forceShutdown(),
  };
}
