/**
 * Reads a kubeconfig: the server, and the credentials for it, of a context.
 *
 *     current-context ▶ context ▶ cluster: server, its CA
 *                              ▶ user: certificate, token, or name and password
 *
 * It does not decide what is acceptable: each caller says, in its own words, what it needs and what
 * it does not support (exec, auth-provider). The kubeconfig that this server writes for its users
 * is made in compose/kubeconfig.ts.
 *
 * Invariants: of two entries with one name the first counts. Paths in the file are relative to it.
 * An error contains no secret.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { decodeYaml } from '../apimachinery/codecs/yaml.ts';
import { unreadable } from '../apimachinery/configuration-document.ts';
import { objects, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { readFileAtStart, readRegularFile } from '../stdx/regular-file.ts';
import type { ReadFile } from '../stdx/regular-file.ts';

/** It is read anew for each call. */
const tokenFileBytesMax = 64 * 1024;

export type OpenedKubeconfig =
  | { readonly kind: 'ok'; readonly kubeconfig: Kubeconfig }
  | { readonly kind: 'invalid'; readonly problem: string };

export interface Kubeconfig {
  /** '' where the file names none. */
  readonly currentContext: string;
  readonly contextNames: readonly string[];
  readonly userNames: readonly string[];
  /** Undefined: no context has this name. */
  context(name: string): KubeconfigContext | undefined;
  /** Undefined: there is none of this name. */
  user(name: string): JsonObject | undefined;
  /** What clients need of them, where both are there.
   * @throws Error of the file system: a file that they name cannot be read. */
  access(cluster: JsonObject, user: JsonObject): KubeconfigAccess;
}

/** What a context names, as it stands in the file. */
export interface KubeconfigContext {
  /** Undefined: none has the name that the context says. */
  readonly cluster: JsonObject | undefined;
  /** '' where the context names none. */
  readonly userName: string;
  readonly user: JsonObject | undefined;
}

export interface KubeconfigAccess {
  /** As it stands in the file: perhaps no URL. */
  readonly server: string;
  /** PEM, as are the next two; undefined: the system's. */
  readonly ca: string | undefined;
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  /** The name in the server's certificate, where it is not that of the URL. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** The Authorization header. A token file is read anew each time: it may change.
   * @throws Error of the file system: the token file has gone. */
  readonly authorization: () => string | undefined;
}

/** What two readers may take for two places: blanks and backslashes, which one drops or turns into
 * slashes, and what is not spelled out. */
const plainUrl = /^https?:\/\/[^\s\\/?#@][^\s\\]*$/i;

/** The server of a kubeconfig as the place to call: http or https, a host, perhaps a port and a
 * path. Credentials stand in the entry of the user, where their precedence is known, and what
 * follows `?` or `#` would be part of no call.
 * @throws Error that names the field and does not show the text, which may hold a password. */
export function serverUrlOf(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('server: not an http or https URL');
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(server)) {
    throw new Error('server: must have neither a user, a query nor a fragment');
  }
  if (!plainUrl.test(server)) {
    throw new Error('server: must be http:// or https://, a host and perhaps a port and a path');
  }
  if (url.port === '0') throw new Error('server: port 0 is nobody’s');
  // A name that ends with a dot is that name from the root; certificates and SNI go without it.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url;
}

/** `read`: also for the files that it names. @throws Error of the file system. */
export function openKubeconfig(file: string, read: ReadFile = readFileAtStart): OpenedKubeconfig {
  const decoded = decodeYaml(read(file), { findDuplicates: false });
  if (decoded.kind === 'refused') return { kind: 'invalid', problem: unreadable(decoded.error) };
  const document = decoded.value;
  if (!isJsonObject(document)) return { kind: 'invalid', problem: 'not an object' };
  const folder: Folder = { path: path.dirname(file), read };
  const kubeconfig: Kubeconfig = {
    currentContext: text(document, 'current-context'),
    contextNames: objects(document, 'contexts').map((item) => text(item, 'name')),
    userNames: objects(document, 'users').map((item) => text(item, 'name')),
    context(name) {
      const context = named(document, 'contexts', name, 'context');
      if (context === undefined) return undefined;
      const userName = text(context, 'user');
      return {
        cluster: named(document, 'clusters', text(context, 'cluster'), 'cluster'),
        userName,
        user: named(document, 'users', userName, 'user'),
      };
    },
    user: (name) => named(document, 'users', name, 'user'),
    access: (cluster, user) => ({
      server: text(cluster, 'server'),
      ca: pem(cluster, 'certificate-authority', folder),
      clientCertificate: pem(user, 'client-certificate', folder),
      clientKey: pem(user, 'client-key', folder),
      serverName: text(cluster, 'tls-server-name') || undefined,
      insecureSkipVerify: cluster['insecure-skip-tls-verify'] === true,
      authorization: authorizationOf(user, folder),
    }),
  };
  return { kind: 'ok', kubeconfig };
}

/** Where files lie that it names, and how they are read. */
interface Folder {
  readonly path: string;
  readonly read: ReadFile;
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

/** `field`-data is the PEM in base64, and wins over the file that `field` names. */
function pem(entry: JsonObject, field: string, folder: Folder): string | undefined {
  const data = text(entry, `${field}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file = text(entry, field);
  return file === '' ? undefined : folder.read(path.resolve(folder.path, file)).toString('utf8');
}

/** A token file counts before a token, a token before name and password; an empty one is none. */
function authorizationOf(user: JsonObject, folder: Folder): () => string | undefined {
  const [name, password] = [text(user, 'username'), text(user, 'password')];
  const credentials = Buffer.from(`${name}:${password}`).toString('base64');
  const basic = name === '' ? undefined : `Basic ${credentials}`;
  const bearer = (token: string): string | undefined => (token === '' ? basic : `Bearer ${token}`);
  const tokenFile = text(user, 'tokenFile');
  if (tokenFile === '') {
    const header = bearer(text(user, 'token'));
    return () => header;
  }
  const file = path.resolve(folder.path, tokenFile);
  const header = (bytes: Buffer): string | undefined => bearer(bytes.toString('utf8').trim());
  // One that cannot be read is a problem of the configuration, not of the first call.
  const first = header(folder.read(file));
  // A pipe has said all that it has to say.
  if (!statSync(file).isFile()) return () => first;
  return () => header(readRegularFile(file, tokenFileBytesMax));
}
