/**
 * The rules of imports and exports as data. tidy.test.ts reads them; nothing else does.
 *
 * A layer may import itself and what stands under `may`: a folder, or one file, mostly the contract
 * of a folder whose inside is nobody's business. Folders are matched by longest prefix. What nobody
 * uses may not stand here.
 */
export interface LayerRule {
  readonly folder: string;
  readonly may: readonly string[];
}

export const layers: readonly LayerRule[] = [
  { folder: 'src/stdx', may: [] },
  { folder: 'src/apimachinery', may: ['src/stdx'] },
  { folder: 'src/storage', may: ['src/stdx', 'src/apimachinery/schema.ts'] },
  {
    folder: 'src/encryption',
    may: ['src/stdx', 'src/apimachinery', 'src/storage/encrypted-records.ts'],
  },
  { folder: 'src/storage/memory', may: ['src/stdx', 'src/storage'] },
  { folder: 'src/storage/lmdb', may: ['src/stdx', 'src/storage'] },
  { folder: 'src/storage/fdb', may: ['src/stdx', 'src/storage'] },
  { folder: 'src/storage/remote', may: ['src/stdx', 'src/storage'] },
  { folder: 'actors', may: ['src/stdx', 'src/apimachinery', 'src/storage'] },
  { folder: 'streams', may: ['src/stdx', 'src/apimachinery', 'src/storage'] },
  {
    folder: 'src/registry',
    may: ['src/stdx', 'src/apimachinery', 'src/storage', 'actors', 'streams/streams.ts'],
  },
  // What it takes of apimachinery are forms of texts: addresses, quantities, names, quotation.
  {
    folder: 'src/cel',
    may: [
      'src/stdx',
      'src/apimachinery/ip-address.ts',
      'src/apimachinery/quantity.ts',
      'src/apimachinery/quote.ts',
      'src/apimachinery/validation/names.ts',
    ],
  },
  {
    folder: 'src/apis',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/registry',
      'src/apiextensions',
      'src/cel',
      'src/admission/expressions',
      'src/pki/certificate-requests.ts',
    ],
  },
  {
    folder: 'src/apiextensions',
    may: ['src/stdx', 'src/apimachinery', 'src/registry', 'src/cel'],
  },
  { folder: 'src/pki', may: ['src/stdx', 'src/apimachinery'] },
  {
    folder: 'src/authentication',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/cel',
      'src/pki',
      'src/webhooks/http-call.ts',
      'src/webhooks/read-turns.ts',
      'src/webhooks/kubeconfig.ts',
      'src/webhooks/trust.ts',
    ],
  },
  {
    folder: 'src/audit',
    may: ['src/stdx', 'src/apimachinery', 'src/authorization/authorizer.ts'],
  },
  {
    folder: 'src/authorization',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/cel',
      'src/webhooks',
      'streams/streams.ts',
      'streams/followed-objects.ts',
    ],
  },
  {
    folder: 'src/admission',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/cel',
      'src/pki/certificate-requests.ts',
      'src/authorization/authorizer.ts',
      'src/authorization/node',
      'src/webhooks',
      'src/registry/write-guard.ts',
      'src/registry/conversions.ts',
      'src/registry/scale.ts',
      'src/registry/versions.ts',
      'src/storage/storage.ts',
    ],
  },
  // What goes with a write reaches from the caches to the store's transaction.
  {
    folder: 'src/admission/companions',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/admission',
      'src/registry/execute-with-companions.ts',
      'src/storage',
      'actors/actors.ts',
      'streams/streams.ts',
    ],
  },
  {
    folder: 'src/admission/quota',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/admission/companions/allocation-records.ts',
      'streams/streams.ts',
    ],
  },
  {
    folder: 'src/admission/addresses',
    may: ['src/stdx', 'src/apimachinery', 'src/admission', 'src/storage', 'streams/streams.ts'],
  },
  {
    folder: 'src/flowcontrol',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/authorization/authorizer.ts',
      'streams/streams.ts',
      'streams/followed-objects.ts',
    ],
  },
  { folder: 'src/tracing', may: ['src/stdx', 'src/apimachinery'] },
  { folder: 'src/webhooks', may: ['src/stdx', 'src/apimachinery'] },
  {
    folder: 'src/proxy',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/transport/cache-policy.ts',
      'src/transport/http-exchange.ts',
    ],
  },
  {
    folder: 'src/aggregation',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/webhooks',
      'src/proxy',
      'src/transport/http-exchange.ts',
      'streams/streams.ts',
      'streams/followed-objects.ts',
    ],
  },
  { folder: 'src/transport', may: ['src/stdx'] },
  // The one file of the port that knows its adapters: it picks one.
  { folder: 'src/transport/choose.ts', may: ['src/stdx', 'src/transport'] },
  { folder: 'src/transport/uws', may: ['src/stdx', 'src/transport'] },
  { folder: 'src/transport/http2', may: ['src/stdx', 'src/transport'] },
  { folder: 'src/transport/node', may: ['src/stdx', 'src/transport'] },
  {
    folder: 'src/endpoints',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/registry',
      'src/authentication/authenticator.ts',
      'src/authentication/token-request.ts',
      'src/authentication/web-socket-token.ts',
      'src/authorization/authorizer.ts',
      'src/audit/audit.ts',
      'src/flowcontrol/flow-control.ts',
      'src/flowcontrol/level.ts',
      'src/flowcontrol/ticket.ts',
      'src/proxy',
      'src/aggregation',
      'src/storage/storage.ts',
      'src/tracing/tracer.ts',
      'src/transport/cache-policy.ts',
      'src/transport/http-exchange.ts',
      'streams/streams.ts',
    ],
  },
  {
    folder: 'src/controllers',
    may: [
      'src/stdx',
      'src/apimachinery',
      'src/registry',
      'src/authentication',
      'src/pki',
      'src/authorization/authorizer.ts',
      'src/authorization/rbac',
      'src/apiextensions',
      'src/admission/quota',
      'src/admission/addresses',
      'src/admission/companions',
      'src/aggregation',
      'src/storage/storage.ts',
      'actors/actors.ts',
      'streams',
    ],
  },
  { folder: 'src/server', may: ['src', 'actors', 'streams'] },
];

/** Libraries and the only places that may import them. What is not listed may not be imported. */
export const libraryDoors: Readonly<Record<string, readonly string[]>> = {
  xstate: ['actors'],
  rxjs: ['streams', 'src/controllers', 'src/authorization', 'src/flowcontrol'],
  'uWebSockets.js': ['src/transport/uws'],
  '@btc-vision/uwebsockets.js': ['src/transport/uws'],
  lmdb: ['src/storage/lmdb'],
  foundationdb: ['src/storage/fdb/foundationdb-binding.ts'],
  '@msgpack/msgpack': ['src/storage/record-codec.ts'],
  'cbor-x': ['src/storage/remote/wire.ts'],
  yaml: ['src/server/compose/kubeconfig.ts'],
  '@bufbuild/protobuf': ['src/apimachinery/codecs'],
  '@peculiar/x509': ['src/pki'],
  'reflect-metadata': ['src/pki'],
  jose: ['src/authentication'],
  pino: ['src/server/compose/log.ts'],
  'prom-client': ['src/server/metrics/metrics.ts'],
  commander: ['src/server/commands/command-line.ts'],
  htmlparser2: ['src/proxy/html-links.ts'],
  'libsodium-wrappers': ['src/encryption/record-keys.ts'],
  '@grpc/grpc-js': ['src/encryption/key-service/client.ts', 'src/tracing/open-telemetry.ts'],
  '@opentelemetry/api': ['src/tracing/open-telemetry.ts'],
  '@opentelemetry/core': ['src/tracing/open-telemetry.ts'],
  '@opentelemetry/exporter-trace-otlp-grpc': ['src/tracing/open-telemetry.ts'],
  '@opentelemetry/resources': ['src/tracing/open-telemetry.ts'],
  '@opentelemetry/sdk-trace-base': ['src/tracing'],
  re2js: ['src/cel/library/regular-expression.ts'],
};

/** Tests and benchmarks may import anything of the project and these. */
export const testLibraries: readonly string[] = [
  '@bufbuild/cel-spec',
  '@grpc/grpc-js',
  '@bufbuild/protobuf',
  '@kubernetes/client-node',
  '@opentelemetry/sdk-trace-base',
  '@bufbuild/protobuf/wire',
  '@peculiar/x509',
  'cbor-x',
  '@statelyai/inspect',
  'cborg',
  'esbuild',
  'fast-check',
  'xstate',
  'rxjs',
  'rxjs/testing',
  'tap',
  'lmdb',
  '@msgpack/msgpack',
  'typescript',
  'uWebSockets.js',
  'vega',
  'vega-lite',
  'ws',
  'yaml',
];

/** Values of production that only tests and benchmarks use, each with its reason. */
export const usedByTestsAlone: ReadonlyMap<string, string> = new Map([
  ['actors/command-log.ts replay', 'I34 of actors/SPEC.md: the log of commands can be replayed'],
  ['src/stdx/prng.ts seededPrng', 'randomness that repeats: every simulation and benchmark has it'],
  [
    'src/apimachinery/fieldmanager/typed/items.ts extractItems',
    'the reference has rows for it, and removing is the same walk',
  ],
  [
    'src/cel/library/strings-library.ts latestStringsLibrary',
    "the language's own suite tests the newest version of these functions",
  ],
]);
