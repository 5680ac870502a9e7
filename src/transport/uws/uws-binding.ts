/**
 * Finds a native uWebSockets.js and says which, or why there is none.
 *
 * The published package answers a missing binary with an imitation written in JavaScript, and says
 * so only on the console. Its entry point is therefore never run: the binary for this platform and
 * Node version is loaded by its own path, so there is nothing else that could be served with.
 *
 * Elsewhere: the adapter (listen-uws.ts).
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { messageOf } from '../../stdx/message-of.ts';

export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(callback: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  pause(): void;
  resume(): void;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  write(chunk: Uint8Array): boolean;
  end(body?: Uint8Array | string, closeConnection?: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  tryEnd(rest: Uint8Array, totalBytes: number): [taken: boolean, done: boolean];
  close(): UwsResponse;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, last: boolean) => void): UwsResponse;
  getRemoteAddress(): ArrayBuffer;
  cork(callback: () => void): UwsResponse;
  /** Calls `open` before it returns. The response is not to be used any more. */
  upgrade(
    userData: object,
    key: string,
    protocol: string,
    extensions: string,
    context: UwsUpgradeContext,
  ): void;
}

export type UwsListenSocket = object | false;

/** What the library hands on from a request to the WebSocket that it becomes. */
export type UwsUpgradeContext = object;

export interface UwsWebSocket<T = unknown> {
  /** 0: taken, but the socket is backed up; 1: sent; 2: dropped. */
  send(message: Uint8Array, isBinary: boolean, compress: boolean): number;
  /** After a closing handshake. */
  end(code: number, reason?: string): void;
  /** At once. */
  close(): void;
  getBufferedAmount(): number;
  getUserData(): { readonly exchange: T };
}

export interface UwsWebSocketBehavior<T> {
  readonly maxPayloadLength: number;
  readonly maxBackpressure: number;
  /** Seconds. */
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  readonly compression: number;
  upgrade(res: UwsResponse, req: UwsRequest, context: UwsUpgradeContext): void;
  open(socket: UwsWebSocket<T>): void;
  drain(socket: UwsWebSocket<T>): void;
  /** The memory is the library's. */
  message?(socket: UwsWebSocket<T>, message: ArrayBuffer, isBinary: boolean): void;
  /** It has been answered. */
  ping(socket: UwsWebSocket<T>): void;
  close(socket: UwsWebSocket<T>): void;
}

export interface UwsApp {
  ws<T>(pattern: string, behavior: UwsWebSocketBehavior<T>): UwsApp;
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    callback: (socket: UwsListenSocket) => void,
  ): UwsApp;
  close(): UwsApp;
}

export interface UwsTlsOptions {
  readonly cert_file_name: string;
  readonly key_file_name: string;
  readonly ssl_ciphers: string;
  readonly ssl_prefer_low_memory_usage: boolean;
}

export interface UwsBinding {
  App(): UwsApp;
  /** Throws when the files cannot be used. */
  SSLApp(options: UwsTlsOptions): UwsApp;
  _cfg(option: string): void;
  us_listen_socket_close(socket: object): void;
  us_socket_local_port(socket: object): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

export type UwsLoad =
  | { readonly ok: true; readonly uws: UwsBinding; readonly name: string }
  | { readonly ok: false; readonly why: string };

/** A package that may be installed, and where in it the binaries are. */
export interface UwsCandidate {
  readonly packageName: string;
  /** Directory of the binaries, relative to the package's entry point. */
  readonly binaries: string;
}

/** Not a dependency: its binaries load on newer systems only. */
export const replacementPackage = '@btc-vision/uwebsockets.js';

const candidates: readonly UwsCandidate[] = [
  { packageName: 'uWebSockets.js', binaries: '../binaries' },
  { packageName: replacementPackage, binaries: '.' },
];

/** The first candidate whose binary loads here. Never throws; tries in order. */
export function loadUws(from: readonly UwsCandidate[] = candidates): Promise<UwsLoad> {
  const reasons: string[] = [];
  for (const candidate of from) {
    const load = loadCandidate(candidate);
    if (load.ok) return Promise.resolve(load);
    reasons.push(load.why);
  }
  return Promise.resolve({ ok: false, why: reasons.join('; ') });
}

function loadCandidate({ packageName, binaries }: UwsCandidate): UwsLoad {
  const require = createRequire(import.meta.url);
  const { platform, arch, versions } = process;
  const file = `uws_${platform}_${arch}_${versions.modules}.node`;
  let loaded: unknown;
  try {
    loaded = require(join(dirname(require.resolve(packageName)), binaries, file));
  } catch (error) {
    const text = messageOf(error);
    return { ok: false, why: `${packageName} (${file}): ${text.split('\n', 1)[0] ?? ''}` };
  }
  if (!isNativeBinding(loaded)) {
    return { ok: false, why: `${packageName} (${file}): what loaded is not the native module` };
  }
  return { ok: true, uws: loaded, name: `uws (${packageName}, ${file})` };
}

/** True for the compiled module only: the source of a JavaScript function can be read. */
export function isNativeBinding(value: unknown): value is UwsBinding {
  if (typeof value !== 'object' || value === null) return false;
  const functions = ['App', 'SSLApp', '_cfg', 'us_listen_socket_close', 'us_socket_local_port'];
  return functions.every((name) => {
    const member = (value as Record<string, unknown>)[name];
    if (typeof member !== 'function') return false;
    return Function.prototype.toString.call(member).includes('[native code]');
  });
}
