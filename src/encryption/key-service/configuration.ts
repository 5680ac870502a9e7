/**
 * The provider `kms` of an EncryptionConfiguration: a key service that holds the keys.
 *
 *     kms:
 *       apiVersion: v2
 *       name: vault                                 in the label of each record, so it stays
 *       endpoint: unix:///run/kms/vault.sock        or unix:///@name, in the abstract name space
 *       timeout: 3s                                 of each call
 *
 * Version 1 of the protocol, which asks the service about every record, is refused.
 */
import {
  durationMs,
  requiredText,
  unknownFields,
} from '../../apimachinery/configuration-document.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';

/** A unix socket's path has 108 bytes with its end. */
const socketBytesMax = 107;
const nameMax = 253;
const timeoutMsMax = 10 * 60_000;
const timeoutByDefault = '3s';

export interface WantedKeyService {
  readonly kind: 'kms';
  readonly name: string;
  readonly socket: string;
  readonly timeoutMs: number;
}

const fields = ['apiVersion', 'name', 'endpoint', 'timeout', 'cachesize'];

/** Where something is wrong, what it returns does not count. */
export function readKeyService(
  value: JsonObject,
  path: string,
  problems: string[],
): WantedKeyService {
  unknownFields(value, fields, path, problems);
  const version = value['apiVersion'] ?? 'v1';
  if (version === 'v1') {
    problems.push(`${path}.apiVersion: v1 is not served, which is deprecated: v2 expected`);
  } else if (version !== 'v2') problems.push(`${path}.apiVersion: v2 expected`);
  if ((value['cachesize'] ?? undefined) !== undefined) {
    problems.push(`${path}.cachesize: not supported in v2`);
  }
  return {
    kind: 'kms',
    name: nameOf(value, path, problems),
    socket: socketOf(value, path, problems),
    timeoutMs: timeoutOf(value, path, problems),
  };
}

/** Records name their service: each name is one. */
export function repeatedNames(services: readonly WantedKeyService[]): readonly string[] {
  const names = services.map(({ name }) => name);
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) < at));
  return [...repeated].map((name) => `kms: more than one service is named ${name}`);
}

function nameOf(value: JsonObject, path: string, problems: string[]): string {
  const name = requiredText(value, 'name', path, problems);
  if (name.includes(':')) problems.push(`${path}.name: must not contain ':'`);
  if (name.length > nameMax) problems.push(`${path}.name: at most ${nameMax} characters`);
  return name;
}

function socketOf(value: JsonObject, path: string, problems: string[]): string {
  const endpoint = requiredText(value, 'endpoint', path, problems);
  if (endpoint === '') return '';
  const [, named] = /^unix:(?:\/\/)?(\/(?!\/)[^?#]*)$/.exec(endpoint) ?? [];
  const place = `${path}.endpoint`;
  const socket = named?.startsWith('/@') ? named.slice(1) : named;
  if (socket === undefined || socket.includes('\0')) {
    problems.push(`${place}: unix:///PATH expected, the absolute path of a socket`);
    return '';
  }
  if (Buffer.byteLength(socket) > socketBytesMax) {
    problems.push(`${place}: the path of a socket has at most ${socketBytesMax} bytes`);
  }
  return socket;
}

function timeoutOf(value: JsonObject, path: string, problems: string[]): number {
  const before = problems.length;
  const timeoutMs = durationMs(value, 'timeout', timeoutByDefault, path, problems);
  if (problems.length > before) return 0;
  if (timeoutMs <= 0) problems.push(`${path}.timeout: should be a positive value`);
  if (timeoutMs > timeoutMsMax) {
    problems.push(`${path}.timeout: at most ${timeoutMsMax / 60_000} minutes`);
  }
  return timeoutMs;
}
