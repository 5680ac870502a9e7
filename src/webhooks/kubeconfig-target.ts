/**
 * The address of a webhook and the credentials for it, from the kubeconfig that a flag or a
 * configuration names.
 *
 * kubeconfig.ts reads the file; this module takes what a webhook needs from it.
 *
 * Invariants: the file is read once. Whatever is missing or contradictory is a problem that names
 * its place. A problem contains no secret.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { ReadFile } from '../stdx/regular-file.ts';
import { openKubeconfig, serverUrlOf } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';

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

/** `read`: absent at the start of the server. @throws WebhookTargetError. */
export function readWebhookTarget(file: string, read?: ReadFile): WebhookTarget {
  try {
    const opened = openKubeconfig(file, read);
    if (opened.kind === 'invalid') throw new Error(opened.problem);
    const { cluster, user } = currentContext(opened.kubeconfig);
    return targetOf(opened.kubeconfig, cluster, user);
  } catch (error) {
    throw new WebhookTargetError(`${file}: ${messageOf(error)}`);
  }
}

interface WholeContext {
  readonly cluster: JsonObject;
  readonly user: JsonObject;
}

/** A context without a user calls without credentials. */
function currentContext(kubeconfig: Kubeconfig): WholeContext {
  const { currentContext: name } = kubeconfig;
  if (name === '') throw new Error('current-context: required');
  const context = kubeconfig.context(name);
  if (context === undefined) throw new Error(`contexts: none has the name ${name}`);
  const { cluster, user, userName } = context;
  if (cluster === undefined) throw new Error(`clusters: none for the context ${name}`);
  if (user === undefined && userName !== '') {
    throw new Error(`users: none has the name ${userName}`);
  }
  return { cluster, user: user ?? {} };
}

function targetOf(kubeconfig: Kubeconfig, cluster: JsonObject, user: JsonObject): WebhookTarget {
  for (const field of ['exec', 'auth-provider']) {
    if (user[field] !== undefined) throw new Error(`${field}: not supported for a webhook`);
  }
  const { server, clientCertificate, clientKey, ...access } = kubeconfig.access(cluster, user);
  return { ...access, url: serverUrlOf(server), certificate: pairOf(clientCertificate, clientKey) };
}

function pairOf(cert: string | undefined, key: string | undefined): WebhookTarget['certificate'] {
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error('client-certificate and client-key: give both or neither');
  }
  return cert === undefined || key === undefined ? undefined : { cert, key };
}
