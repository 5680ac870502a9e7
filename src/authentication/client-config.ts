/**
 * A client configuration file (kubeconfig) as the way to a webhook: its current context.
 *
 * What it is not: everything such a file may hold. Plugins that get credentials, and whatever else
 * is not understood, is refused, because it may have been meant to protect something.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeYaml } from '../apimachinery/codecs/yaml.ts';
import { unknownField } from '../apimachinery/configuration-document.ts';
import { objects, part, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { JsonServer } from './json-client.ts';

const clusterFields = [
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'extensions',
];
const userFields = [
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
  'username',
  'password',
  'extensions',
];

/** Files that it names are read now, relative to it.
 * @throws Error saying what is wrong, without a secret. */
export function readClientConfig(file: string): JsonServer {
  const decoded = decodeYaml(readFileSync(file), { findDuplicates: false });
  const document = decoded.kind === 'refused' ? undefined : decoded.value;
  if (!isJsonObject(document)) throw new Error(`${file} is no client configuration`);
  const current = text(document, 'current-context');
  const contexts = entries(document, 'contexts');
  const context =
    current === '' && contexts.size === 1 ? [...contexts.values()][0] : contexts.get(current);
  const named = part(context, 'context');
  const cluster = part(entries(document, 'clusters').get(text(named, 'cluster')), 'cluster');
  const user = part(entries(document, 'users').get(text(named, 'user')), 'user');
  checkFields(cluster, clusterFields, 'cluster');
  checkFields(user, userFields, 'user');
  const url = text(cluster, 'server');
  if (!/^https?:\/\/[^/]/.test(url)) throw new Error(`${file}: the current context has no server`);
  const held = (from: JsonObject, field: string): string | undefined => material(file, from, field);
  return {
    url,
    ca: held(cluster, 'certificate-authority'),
    clientCertificate: held(user, 'client-certificate'),
    clientKey: held(user, 'client-key'),
    serverName: text(cluster, 'tls-server-name') || undefined,
    insecure: cluster['insecure-skip-tls-verify'] === true,
    headers: credentials(file, user),
  };
}

function credentials(file: string, user: JsonObject): Readonly<Record<string, string>> {
  const named = text(user, 'tokenFile');
  const token =
    named === '' ? text(user, 'token') : readFileSync(beside(file, named), 'utf8').trim();
  if (token !== '') return { authorization: `Bearer ${token}` };
  const [name, password] = [text(user, 'username'), text(user, 'password')];
  if (name === '') return {};
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** From the field with `-data`, or from the file that the field names. */
function material(file: string, from: JsonObject, field: string): string | undefined {
  const data = text(from, `${field}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const named = text(from, field);
  return named === '' ? undefined : readFileSync(beside(file, named), 'utf8');
}

function beside(file: string, named: string): string {
  return path.resolve(path.dirname(file), named);
}

function entries(document: JsonObject, field: string): ReadonlyMap<string, JsonObject> {
  return new Map(objects(document, field).map((item) => [text(item, 'name'), item]));
}

function checkFields(object: JsonObject, known: readonly string[], what: string): void {
  const strange = unknownField(object, known);
  if (strange !== undefined) throw new Error(`the field ${what}.${strange} is not supported`);
}
