/**
 * JSON Web Tokens as an attacker makes them: any header, any claims, signed by whatever is at hand.
 *
 * What it is not: the library that the server verifies with. These are made by hand, so that what
 * one side of it would refuse to make can be shown to the other.
 */
import { createHmac, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

const encode = (value: JsonObject): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

export interface TakenApart {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signature: string;
}

export function takenApart(token: string): TakenApart {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const decode = (part: string): JsonObject =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as JsonObject;
  return { header: decode(header), claims: decode(claims), signature };
}

/** With any signature; '' is none. */
export function unsigned(header: JsonObject, claims: JsonObject, signature = ''): string {
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

export function signedByEc(header: JsonObject, claims: JsonObject, key: KeyObject): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

export function signedByRsa(header: JsonObject, claims: JsonObject, key: KeyObject): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** HS256 with anything as the secret: a public key, for one. */
export function signedBySecret(
  header: JsonObject,
  claims: JsonObject,
  secret: string | Buffer,
): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
