/**
 * Flags that bound what callers may have the server hold for them at one time: requests in flight,
 * bytes of bodies that come and of answers that nobody takes. Each process has bounds of its own.
 *
 * Elsewhere: the counting (src/endpoints/filters/in-flight.ts, and src/transport).
 */
import type { InFlightLimits } from '../../endpoints/filters/in-flight.ts';
import { boolean, integer } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface LoadConfig {
  readonly inFlight: InFlightLimits;
  /** Priority levels limit requests, with the sum of `inFlight` for both kinds as their seats. */
  readonly priorityAndFairness: boolean;
  /** Of request bodies being received. */
  readonly bodyBytesMax: number;
  readonly spooledBytesMax: number;
  /** Of answers that their readers have not taken. */
  readonly unreadBytesMax: number;
  readonly unreadBytesPerConnectionMax: number;
  readonly http2StreamsMax: number;
  /** Of a client's TLS handshake, behind its hello. */
  readonly clientCertificateBytesMax: number;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export const loadOptionTable = [
  {
    flag: 'enable-priority-and-fairness',
    value: 'true|false',
    default: 'true',
    help: 'Requests wait and are served by priority level; false: by the two limits below alone.',
  },
  {
    flag: 'max-requests-inflight',
    value: 'N',
    default: '400',
    help: 'Reading requests at a time; with priority levels the sum is for all. 0: no bound.',
  },
  {
    flag: 'max-mutating-requests-inflight',
    value: 'N',
    default: '200',
    help: 'Writing requests at a time; with priority levels the sum is for all. 0: no bound.',
  },
  {
    flag: 'max-watches',
    value: 'N',
    default: '200000',
    help: 'Open watches; above it 429, except for callers who hold few. 0: no bound.',
  },
  {
    flag: 'max-inflight-body-bytes',
    value: 'BYTES',
    default: String(256 * mebibyte),
    help: 'Request bodies held at a time; above it 429, but for bodies up to 16 KiB.',
  },
  {
    flag: 'max-unread-bytes',
    value: 'BYTES',
    default: String(512 * mebibyte),
    help: 'Answers held for readers who have not taken them; above it 429, the slowest are cut.',
  },
  {
    flag: 'max-unread-bytes-per-connection',
    value: 'BYTES',
    default: String(32 * mebibyte),
    help: 'The same on one connection (HTTP/2); above it 429.',
  },
  {
    flag: 'max-spooled-bytes',
    value: 'BYTES',
    default: String(8192 * mebibyte),
    help: 'Disk for what WebSocket clients send faster than it is read; an eighth for one.',
  },
  {
    flag: 'http2-max-streams-per-connection',
    value: 'N',
    default: '1000',
    help: 'Requests and watches at a time on one HTTP/2 connection (100 until it uses them).',
  },
  {
    flag: 'tls-client-certificate-bytes',
    value: 'BYTES',
    default: String(4.5 * kibibyte),
    help: 'Certificates that a client may send in a TLS handshake; 131072: not counted.',
  },
] as const satisfies readonly OptionSpec[];

type Flag = (typeof loadOptionTable)[number]['flag'];

const requestsMax = 1_000_000;
const watchesMax = 100_000_000;
/** One request and one answer of any kind must fit. */
const bytesMin = 4 * mebibyte;
const bytesMax = 1024 * 1024 * mebibyte;
/** A handshake without a certificate must fit; the library of TLS takes no more than the other. */
const certificateBytesMin = 2 * kibibyte;
const certificateBytesMax = 128 * kibibyte;

/** @throws OptionsError. */
export function completeLoad(raw: RawValues<Flag>): LoadConfig {
  return {
    priorityAndFairness: boolean(raw, 'enable-priority-and-fairness'),
    inFlight: {
      readOnlyMax: integer(raw, 'max-requests-inflight', 0, requestsMax),
      mutatingMax: integer(raw, 'max-mutating-requests-inflight', 0, requestsMax),
      streamsMax: integer(raw, 'max-watches', 0, watchesMax),
    },
    bodyBytesMax: integer(raw, 'max-inflight-body-bytes', bytesMin, bytesMax),
    unreadBytesMax: integer(raw, 'max-unread-bytes', bytesMin, bytesMax),
    unreadBytesPerConnectionMax: integer(
      raw,
      'max-unread-bytes-per-connection',
      bytesMin,
      bytesMax,
    ),
    spooledBytesMax: integer(raw, 'max-spooled-bytes', 0, bytesMax),
    http2StreamsMax: integer(raw, 'http2-max-streams-per-connection', 1, 100_000),
    clientCertificateBytesMax: integer(
      raw,
      'tls-client-certificate-bytes',
      certificateBytesMin,
      certificateBytesMax,
    ),
  };
}
