/**
 * The file of `--tracing-config-file`, read strictly.
 *
 *     apiVersion: apiserver.config.{domain}/v1           v1beta1, v1alpha1
 *     kind: TracingConfiguration
 *     endpoint: localhost:4317                           HOST:PORT, dns:..., unix:///PATH
 *     samplingRatePerMillion: 100                        of requests that bring no trace; 0
 *
 * Invariant: all problems are found in one pass, each with its place.
 */
import { openDocument, unknownFields } from '../apimachinery/configuration-document.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';

export interface TracingConfiguration {
  /** `http://HOST:PORT` or `unix:///PATH`: not encrypted, either of them. */
  readonly endpoint: string;
  /** Of requests, from 0 to 1. */
  readonly share: number;
}

export type ReadTracing =
  | { readonly kind: 'ok'; readonly configuration: TracingConfiguration }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Where collectors listen for OTLP. */
const defaultEndpoint = 'localhost:4317';
const million = 1_000_000;

/** `identity`: whose names it is written in. */
export function readTracingConfiguration(bytes: Uint8Array, { groups }: Identity): ReadTracing {
  const versions = ['v1', 'v1beta1', 'v1alpha1'].map(
    (version) => `${groups.apiserverConfig}/${version}`,
  );
  const opened = openDocument(bytes, versions, 'TracingConfiguration');
  if (opened.kind === 'invalid') return { kind: 'invalid', problems: [opened.problem] };
  const { document } = opened;
  const problems: string[] = [];
  const known = ['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion'];
  unknownFields(document, known, '', problems);
  const configuration = {
    endpoint: endpointOf(document, problems),
    share: shareOf(document, problems),
  };
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', configuration };
}

function shareOf(document: JsonObject, problems: string[]): number {
  const rate = document['samplingRatePerMillion'] ?? 0;
  const isRate = typeof rate === 'number' && Number.isInteger(rate) && rate >= 0 && rate <= million;
  if (isRate) return rate / million;
  problems.push(`samplingRatePerMillion: an integer from 0 to ${million} expected`);
  return 0;
}

function endpointOf(document: JsonObject, problems: string[]): string {
  const given = document['endpoint'] ?? defaultEndpoint;
  const endpoint = typeof given === 'string' ? addressOf(given.trim()) : undefined;
  if (endpoint !== undefined) return endpoint;
  problems.push('endpoint: HOST:PORT, dns:HOST:PORT, dns:///HOST:PORT or unix:///PATH expected');
  return '';
}

/** Undefined: it is none. */
function addressOf(text: string): string | undefined {
  if (/^unix:\/\/\/[^/\0]/.test(text)) return text;
  const name = /^(?:dns:(?:\/\/\/)?)?([^/?#@\s]+)$/.exec(text)?.[1];
  if (name === undefined || name.startsWith('unix')) return undefined;
  const url = URL.canParse(`http://${name}`) ? new URL(`http://${name}`) : undefined;
  const isWhole = url !== undefined && url.hostname !== '' && /:\d+$/.test(name);
  return isWhole ? `http://${name}` : undefined;
}
