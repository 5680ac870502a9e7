/**
 * The credentials with which this server calls webhooks: users of a kubeconfig, chosen by the name
 * of the called server.
 *
 *     hook.ns.svc:8443, *.ns.svc:8443, *.svc:8443    the first user that exists
 *     hook.ns.svc, *.ns.svc, *.svc                   for port 443
 *     *                                              any server
 *     otherwise the user of the current context, or no credentials
 *
 * Invariants: the file is read once and as a whole, so a user that cannot be used is a problem at
 * the start. A token file is read for each call.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { messageOf } from '../stdx/message-of.ts';
import { openKubeconfig } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';

export interface CallerCredentials extends Pick<WebhookTarget, 'authorization' | 'certificate'> {
  /** Differs for different credentials. */
  readonly name: string;
}

/** Of the server at this host name and port. */
export type CredentialsFor = (host: string, port: number) => CallerCredentials;

const nobody: CallerCredentials = {
  name: '',
  authorization: () => undefined,
  certificate: undefined,
};

export const noCredentials: CredentialsFor = () => nobody;

/** @throws Error that says what is wrong with the file. */
export function readCallerCredentials(file: string): CredentialsFor {
  const opened = openKubeconfig(file);
  if (opened.kind === 'invalid') throw new Error(`${file}: ${opened.problem}`);
  const { kubeconfig } = opened;
  const known = new Map<string, CallerCredentials>();
  for (const name of kubeconfig.userNames) {
    const user = kubeconfig.user(name);
    if (user !== undefined) known.set(name, credentialsOf(kubeconfig, name, user, file));
  }
  const byDefault = known.get(kubeconfig.context(kubeconfig.currentContext)?.userName ?? '');
  return (host, port) => {
    for (const name of namesOf(host, port)) {
      const found = known.get(name);
      if (found !== undefined) return found;
    }
    return byDefault ?? nobody;
  };
}

const standardPort = 443;

function* namesOf(host: string, port: number): Generator<string> {
  const asked = port === standardPort ? [`${host}:${port}`, host] : [`${host}:${port}`];
  for (const name of asked) {
    yield name;
    const steps = name.split('.');
    for (let at = 1; at < steps.length; at += 1) yield `*.${steps.slice(at).join('.')}`;
  }
  yield '*';
}

function credentialsOf(
  kubeconfig: Kubeconfig,
  name: string,
  user: JsonObject,
  file: string,
): CallerCredentials {
  for (const field of ['exec', 'auth-provider']) {
    if (user[field] !== undefined)
      throw new Error(`${file}: users: ${name}: ${field}: not supported`);
  }
  try {
    const { authorization, clientCertificate, clientKey } = kubeconfig.access({}, user);
    if ((clientCertificate === undefined) !== (clientKey === undefined)) {
      throw new Error('client-certificate and client-key: give both or neither');
    }
    const certificate =
      clientCertificate === undefined || clientKey === undefined
        ? undefined
        : { cert: clientCertificate, key: clientKey };
    return { name, authorization, certificate };
  } catch (error) {
    throw new Error(`${file}: users: ${name}: ${messageOf(error)}`, { cause: error });
  }
}
