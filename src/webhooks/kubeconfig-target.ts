/**
 * Where a webhook is and how to be known there: a file in the form of a client configuration.
 *
 * What it is not: the configuration that this server writes for its users.
 *
 *     current-context ▶ context ▶ cluster: server, its CA
 *                              ▶ user: certificate, token, or name and password
 *
 * Invariants: read once; what is missing or contradicts itself is a problem, said with its place.
 * Nothing secret is in a problem.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeYaml } from '../apimachinery/codecs/yaml.ts';
import { objects, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { messageOf } from '../stdx/message-of.ts';

export interface WebhookTarget {
  readonly url: URL;
  /** PEM; undefined: the system's. */
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /** The Authorization header, asked for every call: a token file may change. */
  readonly authorization: () => string | undefined;
}

export class WebhookTargetError extends Error {
  override readonly name = 'WebhookTargetError';
}

/** @throws WebhookTargetError. */
export function readWebhookTarget(file: string): WebhookTarget {
  const document = readDocument(file);
  const problem = (what: string): WebhookTargetError => new WebhookTargetError(`${file}: ${what}`);
  const current = text(document, 'current-context');
  if (current === '') throw problem('current-context: required');
  const context = named(document, 'contexts', current, 'context');
  if (context === undefined) throw problem(`contexts: none has the name ${current}`);
  const cluster = named(document, 'clusters', text(context, 'cluster'), 'cluster');
  if (cluster === undefined) throw problem(`clusters: none for the context ${current}`);
  const userName = text(context, 'user');
  const user = named(document, 'users', userName, 'user');
  if (user === undefined && userName !== '') throw problem(`users: none has the name ${userName}`);
  const folder = path.dirname(file);
  try {
    return targetOf(cluster, user ?? {}, folder);
  } catch (error) {
    throw problem(messageOf(error));
  }
}

function readDocument(file: string): JsonObject {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new WebhookTargetError(
      `${file}: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
  }
  const decoded = decodeYaml(bytes);
  if (decoded.kind === 'refused') throw new WebhookTargetError(`${file}: neither YAML nor JSON`);
  if (!isJsonObject(decoded.value)) throw new WebhookTargetError(`${file}: not an object`);
  return decoded.value;
}

function targetOf(cluster: JsonObject, user: JsonObject, folder: string): WebhookTarget {
  const url = urlOf(text(cluster, 'server'));
  const cert = pem(user, 'client-certificate', folder);
  const key = pem(user, 'client-key', folder);
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error('client-certificate and client-key: one makes no sense alone');
  }
  const serverName = text(cluster, 'tls-server-name');
  for (const field of ['exec', 'auth-provider']) {
    if (user[field] !== undefined) throw new Error(`${field}: not supported for a webhook`);
  }
  return {
    url,
    ca: pem(cluster, 'certificate-authority', folder),
    serverName: serverName === '' ? undefined : serverName,
    insecureSkipVerify: cluster['insecure-skip-tls-verify'] === true,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    authorization: authorizationOf(user, folder),
  };
}

function urlOf(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new Error('server: not an http or https URL');
}

/** `name` is a file, `name`-data the same in base64, which wins. */
function pem(object: JsonObject, name: string, folder: string): string | undefined {
  const data = text(object, `${name}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file = text(object, name);
  return file === '' ? undefined : readFileSync(path.resolve(folder, file), 'utf8');
}

function authorizationOf(user: JsonObject, folder: string): () => string | undefined {
  const tokenFile = text(user, 'tokenFile');
  if (tokenFile !== '') {
    const file = path.resolve(folder, tokenFile);
    readFileSync(file);
    return () => `Bearer ${readFileSync(file, 'utf8').trim()}`;
  }
  const token = text(user, 'token');
  if (token !== '') return () => `Bearer ${token}`;
  const [name, password] = [text(user, 'username'), text(user, 'password')];
  if (name === '') return () => undefined;
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  return () => `Basic ${basic}`;
}

function named(
  document: JsonObject,
  list: string,
  name: string,
  field: string,
): JsonObject | undefined {
  const found = objects(document, list).find((item) => text(item, 'name') === name);
  const inner = found?.[field];
  return isJsonObject(inner) ? inner : undefined;
}
