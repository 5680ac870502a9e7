/**
 * The way to a key service: gRPC over a unix socket.
 *
 * The library is loaded where a key service is configured.
 *
 * Invariants: a call ends within its timeout, whatever is behind the socket: nobody, a file, a
 * program that takes connections and says nothing. A service that was away is reached again with
 * the next call. No answer above `answerBytesMax` is read.
 */
import { messageOf } from '../../stdx/message-of.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import { keyServiceLimits, words } from './key-service.ts';
import type { KeyService, ServiceAnswer } from './key-service.ts';
import {
  decryptRequest,
  encryptRequest,
  readDecryptResponse,
  readEncryptResponse,
  readStatusResponse,
  statusRequest,
} from './messages.ts';

export interface KeyServiceDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly prng: Pick<Prng, 'uuid'>;
  /** `method`: `/v2.KeyManagementService/Status`; `code`: of gRPC, as the reference spells it. */
  readonly onCall: (method: string, code: string, seconds: number) => void;
}

export interface KeyServiceAddress {
  /** A path; one that begins with `@` is in Linux's abstract name space. */
  readonly socket: string;
  readonly timeoutMs: number;
}

/** In the order of their numbers. */
const codes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** Between two tries to connect. */
const reconnectMs = 1_000;

const clientOptions = {
  'grpc.default_authority': 'localhost',
  'grpc.max_receive_message_length': keyServiceLimits.answerBytesMax,
  'grpc.initial_reconnect_backoff_ms': reconnectMs,
  'grpc.min_reconnect_backoff_ms': reconnectMs,
  'grpc.max_reconnect_backoff_ms': reconnectMs,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_retries': 0,
};

export async function openKeyService(
  { socket, timeoutMs }: KeyServiceAddress,
  { clock, onCall, prng, timers }: KeyServiceDeps,
): Promise<KeyService> {
  const { default: grpc } = await import('@grpc/grpc-js');
  const { Client, credentials, logVerbosity, Metadata, setLogVerbosity } = grpc;
  // What failed is in the answers.
  setLogVerbosity(logVerbosity.NONE);
  const path = socket.startsWith('@') ? `\0${socket.slice(1)}` : socket;
  const client = new Client(`unix:${path}`, credentials.createInsecure(), clientOptions);
  const underWay = new Set<{ cancel(): void }>();
  let isClosed = false;

  function call<T>(
    name: string,
    request: Buffer,
    read: (bytes: Buffer) => T,
  ): Promise<ServiceAnswer<T>> {
    if (isClosed) return Promise.resolve(failed('Unavailable', 'it is not asked any more'));
    const method = `/v2.KeyManagementService/${name}`;
    const sinceMs = clock.monotonicMs();
    return new Promise((resolve) => {
      let isLate = false;
      const ended = (error: CallError | null, bytes: Buffer | undefined): void => {
        ending.cancel();
        underWay.delete(asked);
        const answer = isLate ? late(timeoutMs) : answerOf(error, bytes, read);
        const code = answer.kind === 'ok' ? 'OK' : answer.code;
        onCall(method, code, (clock.monotonicMs() - sinceMs) / 1000);
        resolve(answer);
      };
      const metadata = new Metadata({ waitForReady: true });
      const asked = client.makeUnaryRequest(method, same, same, request, metadata, ended);
      underWay.add(asked);
      const ending = timers.after(timeoutMs, () => {
        isLate = true;
        asked.cancel();
      });
    });
  }

  return {
    status: () => call('Status', statusRequest, readStatusResponse),
    encrypt: (plain) => call('Encrypt', encryptRequest(plain, prng.uuid()), readEncryptResponse),
    decrypt: (sealed) => call('Decrypt', decryptRequest(sealed, prng.uuid()), readDecryptResponse),
    close() {
      isClosed = true;
      for (const each of underWay) each.cancel();
      client.close();
    },
  };
}

const same = (bytes: Buffer): Buffer => bytes;

interface CallError {
  readonly code: number;
  readonly details: string;
}

function answerOf<T>(
  error: CallError | null,
  bytes: Buffer | undefined,
  read: (bytes: Buffer) => T,
): ServiceAnswer<T> {
  if (error !== null) return failed(codes[error.code] ?? 'Unknown', words(error.details));
  try {
    return { kind: 'ok', value: read(bytes ?? statusRequest) };
  } catch (wrong) {
    return failed('Internal', `the answer cannot be read: ${messageOf(wrong)}`);
  }
}

function late(timeoutMs: number): ServiceAnswer<never> {
  return failed('DeadlineExceeded', `no answer within ${timeoutMs / 1000} s`);
}

function failed(code: string, message: string): ServiceAnswer<never> {
  return { kind: 'failed', code, message };
}
