/**
 * The configuration of a webhook plugin in `--admission-control-config-file`: the credentials for
 * its calls.
 */
import path from 'node:path';
import { unknownFields } from '../../apimachinery/configuration-document.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { text } from '../../apimachinery/members.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { noCredentials, readCallerCredentials } from '../../webhooks/caller-credentials.ts';
import type { CredentialsFor } from '../../webhooks/caller-credentials.ts';
import type { PluginConfiguration } from '../configuration.ts';

const kind = 'WebhookAdmissionConfiguration';

/** Undefined: it is told nothing, and calls as nobody. */
export function readWebhookSettings(
  configuration: PluginConfiguration | undefined,
  { domain, groups: { apiserverConfig } }: Pick<Identity, 'domain' | 'groups'>,
  problems: string[],
): CredentialsFor {
  if (configuration === undefined) return noCredentials;
  const { document, folder, source } = configuration;
  const own: string[] = [];
  const versions = [`${apiserverConfig}/v1`, `apiserver.config.${domain}/v1alpha1`];
  if (!versions.includes(text(document, 'apiVersion')) || document['kind'] !== kind) {
    own.push(`a ${kind} of ${versions[0]} expected`);
  }
  unknownFields(document, ['apiVersion', 'kind', 'kubeConfigFile'], '', own);
  const file = text(document, 'kubeConfigFile');
  let credentials = noCredentials;
  if (file !== '' && own.length === 0) {
    try {
      credentials = readCallerCredentials(path.resolve(folder, file));
    } catch (error) {
      own.push(`kubeConfigFile: ${messageOf(error)}`);
    }
  }
  problems.push(...own.map((problem) => `${source}: ${problem}`));
  return credentials;
}
