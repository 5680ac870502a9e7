/**
 * Limits pods to the secrets that their service account lists, for accounts with the annotation
 * `<labelDomain>/enforce-mountable-secrets: "true"`.
 *
 * Invariants: every reference to a secret counts: volumes, variables and whole environments of
 * containers, image pull secrets.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';

export function isLimiting(account: ApiObject, labelDomain: string): boolean {
  const value = account.metadata.annotations?.[`${labelDomain}/enforce-mountable-secrets`] ?? '';
  return /^(?:1|t|T|true|TRUE|True)$/.test(value);
}

/** Why a pod of this spec may not run as the account. */
export function secretsRefusal(spec: JsonObject, account: ApiObject): string | undefined {
  const { name = '' } = account.metadata;
  const mountable = namesIn(account, 'secrets');
  const unlisted = `because service account ${name} does not reference that secret`;
  for (const volume of objects(spec, 'volumes')) {
    const secret = text(part(volume, 'secret'), 'secretName');
    if (volume['secret'] !== undefined && !mountable.has(secret)) {
      return `volume with secret.secretName=${quote(secret)} is not allowed ${unlisted}`;
    }
  }
  const refusal =
    containersRefusal(spec, 'initContainers', 'init container', mountable, unlisted) ??
    containersRefusal(spec, 'containers', 'container', mountable, unlisted);
  if (refusal !== undefined) return refusal;
  const pullable = namesIn(account, 'imagePullSecrets');
  for (const [at, secret] of objects(spec, 'imagePullSecrets').entries()) {
    const wanted = text(secret, 'name');
    if (pullable.has(wanted)) continue;
    const why = `because service account ${name} does not reference that imagePullSecret`;
    return `imagePullSecrets[${at}].name=${quote(wanted)} is not allowed ${why}`;
  }
  return undefined;
}

/** Of containers that are added to a pod that runs. */
export function addedSecretsRefusal(spec: JsonObject, account: ApiObject): string | undefined {
  const { name = '' } = account.metadata;
  const unlisted = `because service account ${name} does not reference that secret`;
  const mountable = namesIn(account, 'secrets');
  return containersRefusal(spec, 'ephemeralContainers', 'ephemeral container', mountable, unlisted);
}

function namesIn(account: ApiObject, list: string): ReadonlySet<string> {
  return new Set(objects(account, list).map((secret) => text(secret, 'name')));
}

function containersRefusal(
  spec: JsonObject,
  list: string,
  noun: string,
  mountable: ReadonlySet<string>,
  unlisted: string,
): string | undefined {
  for (const container of objects(spec, list)) {
    const who = `${noun} ${text(container, 'name')}`;
    for (const variable of objects(container, 'env')) {
      const secret = part(variable, 'valueFrom')['secretKeyRef'];
      const wanted = text(part(part(variable, 'valueFrom'), 'secretKeyRef'), 'name');
      if (secret === undefined || mountable.has(wanted)) continue;
      const by = `envVar ${text(variable, 'name')}`;
      const what = `${by} referencing secret.secretName=${quote(wanted)}`;
      return `${who} with ${what} is not allowed ${unlisted}`;
    }
    for (const source of objects(container, 'envFrom')) {
      const wanted = text(part(source, 'secretRef'), 'name');
      if (source['secretRef'] === undefined || mountable.has(wanted)) continue;
      const what = `envFrom referencing secret.secretName=${quote(wanted)}`;
      return `${who} with ${what} is not allowed ${unlisted}`;
    }
  }
  return undefined;
}
