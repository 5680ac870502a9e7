/** A token among the subprotocols of a WebSocket: one, beside another subprotocol, or none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBearerToken } from '../../src/authentication/bearer.ts';
import type { PresentedToken } from '../../src/authentication/bearer.ts';

const prefix = 'base64url.bearer.authorization.k8s.io.';
const shown = (token: string): string => prefix + Buffer.from(token).toString('base64url');

function read(headers: Readonly<Record<string, readonly string[]>>): PresentedToken {
  const all: Record<string, readonly string[]> = { upgrade: ['WebSocket'], ...headers };
  return readBearerToken({
    path: '/',
    peerCertificate: undefined,
    remoteAddress: '127.0.0.1',
    headerValues: (name: string) => all[name] ?? [],
    headerNames: () => Object.keys(all),
  } as unknown as Parameters<typeof readBearerToken>[0]);
}

const rows: readonly (readonly [string, Record<string, readonly string[]>, string])[] = [
  ['beside another', { 'sec-websocket-protocol': [`${shown('abc')}, v4.x`] }, 'token abc'],
  ['in a header of its own', { 'sec-websocket-protocol': ['v4.x', shown('a.b-c')] }, 'token a.b-c'],
  ['in another request', { upgrade: [], 'sec-websocket-protocol': [`${shown('a')}, x`] }, 'none'],
  ['of another protocol', { upgrade: ['h2c'], 'sec-websocket-protocol': [shown('a')] }, 'none'],
  ['where none is offered', { 'sec-websocket-protocol': ['x, y'] }, 'none'],
  ['alone', { 'sec-websocket-protocol': [shown('abc')] }, 'rejected'],
  ['twice', { 'sec-websocket-protocol': [`${shown('a')}, ${shown('b')}, x`] }, 'rejected'],
  ['that is padded', { 'sec-websocket-protocol': [`${prefix}YQ==, x`] }, 'rejected'],
  ['with letters of no base64', { 'sec-websocket-protocol': [`${prefix}Y*Q, x`] }, 'rejected'],
  ['that is empty', { 'sec-websocket-protocol': [`${prefix}, x`] }, 'rejected'],
  ['that no head could carry', { 'sec-websocket-protocol': [`${shown('a\nb')}, x`] }, 'rejected'],
  [
    'beside a header, which is read',
    { authorization: ['Bearer h'], 'sec-websocket-protocol': [`${shown('abc')}, x`] },
    'token h',
  ],
];

for (const [title, headers, expected] of rows) {
  test(`a token ${title}`, () => {
    const found = read(headers);
    assert.equal(found.kind === 'token' ? `token ${found.token}` : found.kind, expected);
  });
}
