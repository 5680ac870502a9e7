/**
 * The server that answers TokenReviews, from the kubeconfig that the flag names.
 *
 * Elsewhere: the reading of a kubeconfig (webhooks/kubeconfig.ts). Plugins that get credentials,
 * and whatever else is not understood, are refused: they may have been meant to protect something.
 *
 * Invariant: read once, credentials too.
 */
import { unknownField } from '../apimachinery/configuration-document.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { openKubeconfig, serverUrlOf } from '../webhooks/kubeconfig.ts';
import type { Kubeconfig, KubeconfigContext } from '../webhooks/kubeconfig.ts';
import { messageOf } from '../stdx/message-of.ts';
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

/** @throws Error saying what is wrong, without a secret. */
export function readTokenReviewServer(file: string): JsonServer {
  const opened = openKubeconfig(file);
  if (opened.kind === 'invalid') throw new Error(`${file} is no client configuration`);
  const { cluster = {}, user = {} } = currentContext(opened.kubeconfig) ?? {};
  checkFields(cluster, clusterFields, 'cluster');
  checkFields(user, userFields, 'user');
  const { server, insecureSkipVerify, ...access } = opened.kubeconfig.access(cluster, user);
  if (server === '') throw new Error(`${file}: the current context has no server`);
  const url = serverUrlIn(file, server);
  return { ...access, url, insecure: insecureSkipVerify };
}

/** The file goes with what is wrong. */
function serverUrlIn(file: string, server: string): string {
  try {
    return serverUrlOf(server).href;
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`);
  }
}

/** Where none is named, the only one there is. */
function currentContext(kubeconfig: Kubeconfig): KubeconfigContext | undefined {
  const { contextNames, currentContext: name } = kubeconfig;
  const only = contextNames.length === 1 ? contextNames[0] : undefined;
  return kubeconfig.context(name === '' ? (only ?? '') : name);
}

function checkFields(object: JsonObject, known: readonly string[], what: string): void {
  const strange = unknownField(object, known);
  if (strange !== undefined) throw new Error(`the field ${what}.${strange} is not supported`);
}
