/**
 * ServiceAccount: every pod runs as an existing account of its namespace.
 *
 *     the pod names no account                  it runs as `default`
 *     it names no image pull secrets            it gets those of its account
 *     neither it nor its account declines       its containers get the account's token
 *     the account is missing                    403; for `default` the write waits, because it is
 *                                               created soon after the namespace
 *     the account limits secrets                403 for secrets that it does not list
 *     the pod is the image of a static pod      it may name neither accounts nor secrets
 *
 * The accounts are created by controllers/default-accounts.ts, their tokens elsewhere.
 *
 * Invariants: in a namespace that is missing or being deleted no pod is refused for its account, so
 * that the error is about the namespace. A new pod is checked again in the validate phase, because
 * plugins after this one may have changed it.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { newNamespaceNotFound, newUnknownError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { podReferences } from '../../authorization/node/pod-references.ts';
import type { Prng } from '../../stdx/prng.ts';
import type {
  AdmissionObjects,
  AdmissionPlugin,
  Proposed,
  Refusal,
  Review,
  WaitFor,
} from '../admission.ts';
import { addedSecretsRefusal, isLimiting, secretsRefusal } from './mountable-secrets.ts';
import { withTokenVolume } from './token-volume.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;
const accounts = { group: '', resource: 'serviceaccounts' } as const;
const defaultAccount = 'default';

export function serviceAccounts(
  identity: Identity,
  known: AdmissionObjects,
  prng: Prng,
): AdmissionPlugin {
  const mirrorAnnotation = `${identity.labelDomain}/config.mirror`;
  return {
    name: 'ServiceAccount',
    resources: ['/pods', '/pods/ephemeralcontainers'],
    concerns: (_user, { operations, subresource }) =>
      operations.includes(subresource === '' ? 'CREATE' : 'UPDATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit(review, { waitFor }) {
      const { next } = review;
      if (next.metadata.annotations?.[mirrorAnnotation] !== undefined) {
        return mirrorRefusal(next) ?? next;
      }
      return withAccount(identity, known, prng, review, waitFor);
    },
    validate(review) {
      const { namespace, next, operation, subresource } = review;
      if (next === undefined || operation !== (subresource === '' ? 'CREATE' : 'UPDATE')) {
        return undefined;
      }
      if (subresource !== '') return accountRefusal(identity, known, review, addedRefusal);
      // Others may have changed it since it was given its account.
      if (next.metadata.annotations?.[mirrorAnnotation] !== undefined) return mirrorRefusal(next);
      const found = known.get(namespaces, '', namespace);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
      return accountRefusal(identity, known, review, secretsRefusal);
    },
  };
}

/** As the reference answers: it is a refusal without a reason. */
function addedRefusal(spec: JsonObject, account: ApiObject): Refusal {
  const why = addedSecretsRefusal(spec, account);
  return why && newUnknownError(why);
}

/** Why the pod may not run as the account that it names. */
function accountRefusal(
  { labelDomain }: Identity,
  known: AdmissionObjects,
  { name: pod, namespace, next }: Review,
  refusalOf: (spec: JsonObject, account: ApiObject) => Refusal,
): Refusal {
  const spec = part(next, 'spec');
  const name = text(spec, 'serviceAccountName');
  // Made while nobody gave accounts to pods, or taken from it.
  if (name === '') return `no service account specified for pod ${namespace}/${pod}`;
  const account = known.get(accounts, namespace, name);
  if (account === undefined) return missingAccount(namespace, name);
  return isLimiting(account, labelDomain) ? refusalOf(spec, account) : undefined;
}

function missingAccount(namespace: string, name: string): string {
  const missing = `serviceaccount ${quote(name)} not found`;
  return `error looking up service account ${namespace}/${name}: ${missing}`;
}

function withAccount(
  identity: Identity,
  known: AdmissionObjects,
  prng: Prng,
  { namespace, next }: Proposed,
  waitFor: WaitFor,
): ApiObject | NonNullable<Refusal> {
  const found = known.get(namespaces, '', namespace);
  if (found === undefined) return newNamespaceNotFound(namespace);
  if (found.metadata.deletionTimestamp !== undefined) return next;
  const spec = part(next, 'spec');
  const name = text(spec, 'serviceAccountName') || defaultAccount;
  const account = known.get(accounts, namespace, name);
  if (account === undefined) {
    if (name === defaultAccount) {
      const comes = () => known.appearance(accounts, namespace, name);
      waitFor(`service account ${namespace}/${name}`, comes);
    }
    return missingAccount(namespace, name);
  }
  if (isLimiting(account, identity.labelDomain)) {
    const refusal = secretsRefusal(spec, account);
    if (refusal !== undefined) return refusal;
  }
  const field = 'automountServiceAccountToken';
  const wantsToken = spec[field] ?? account[field];
  const mounted = wantsToken === false ? spec : withTokenVolume(spec, identity, prng);
  const own = objects(spec, 'imagePullSecrets');
  const lent = objects(account, 'imagePullSecrets').map((secret) => ({
    name: text(secret, 'name'),
  }));
  const imagePullSecrets = own.length > 0 ? own : lent;
  return {
    ...next,
    spec: {
      ...mounted,
      serviceAccountName: name,
      // The name of the field in its first days, kept beside it.
      serviceAccount: name,
      ...(imagePullSecrets.length > 0 ? { imagePullSecrets } : {}),
    },
  };
}

/** What its node runs it has from a file: nobody gives it anything. */
function mirrorRefusal(pod: ApiObject): Refusal {
  const spec = part(pod, 'spec');
  if (text(spec, 'serviceAccountName') !== '') {
    return 'a mirror pod may not reference service accounts';
  }
  // As of any pod: without the annotation that makes it one that refers to nothing.
  for (const reference of podReferences(pod, '')) {
    if (reference.startsWith('secrets ')) return 'a mirror pod may not reference secrets';
  }
  const sources = objects(spec, 'volumes').flatMap((volume) =>
    objects(part(volume, 'projected'), 'sources'),
  );
  return sources.some((source) => source['serviceAccountToken'] !== undefined)
    ? 'a mirror pod may not use ServiceAccountToken volume projections'
    : undefined;
}
