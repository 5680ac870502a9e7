/**
 * The claims of a service account's token as data, in both forms.
 *
 *   bound    {"<domain>": {namespace, serviceaccount, pod?, node?, secret?, warnafter?},
 *            exp, aud, jti}
 *   legacy   {"<domain>/serviceaccount/namespace": ..., "<domain>/serviceaccount/secret.name": ...}
 *            in a token secret: neither an end nor an audience, good while its secret is there
 *
 * Claims are read after the signature has been verified.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { text } from '../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { accountUserName } from './service-account-names.ts';

export interface ObjectRef {
  readonly name: string;
  readonly uid: string;
}

export interface AccountClaims {
  readonly namespace: string;
  readonly account: ObjectRef;
  readonly pod: ObjectRef | undefined;
  readonly node: ObjectRef | undefined;
  readonly secret: ObjectRef | undefined;
  /** Seconds since the epoch: used after it, the token is older than its owner asked for. */
  readonly warnAfter: number | undefined;
  /** '' when there is none. */
  readonly tokenId: string;
  readonly legacy: boolean;
}

/** The issuer that legacy tokens name, whatever the server's own issuer is. */
export function legacyIssuer({ name }: Identity): string {
  return `${name}/serviceaccount`;
}

export interface BoundTo {
  readonly pod?: ObjectRef | undefined;
  readonly node?: ObjectRef | undefined;
  readonly secret?: ObjectRef | undefined;
  readonly warnAfter?: number | undefined;
}

/** The claims of a bound token, beside those that every token has. */
export function boundClaims(
  { labelDomain }: Identity,
  namespace: string,
  account: ObjectRef,
  { pod, node, secret, warnAfter }: BoundTo,
): JsonObject {
  return {
    [labelDomain]: {
      namespace,
      ...(node === undefined ? {} : { node: named(node) }),
      ...(pod === undefined ? {} : { pod: named(pod) }),
      ...(secret === undefined ? {} : { secret: named(secret) }),
      serviceaccount: named(account),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
  };
}

function named({ name, uid }: ObjectRef): JsonObject {
  return { name, uid };
}

export function legacyClaims(
  identity: Identity,
  namespace: string,
  account: ObjectRef,
  secretName: string,
): JsonObject {
  const key = (name: string): string => `${identity.labelDomain}/serviceaccount/${name}`;
  return {
    iss: legacyIssuer(identity),
    [key('namespace')]: namespace,
    [key('secret.name')]: secretName,
    [key('service-account.name')]: account.name,
    [key('service-account.uid')]: account.uid,
    sub: accountUserName({ namespace, name: account.name }),
  };
}

/** Undefined: they are not those of a service account's token. */
export function readAccountClaims(
  identity: Identity,
  claims: JsonObject,
): AccountClaims | undefined {
  const own = claims.iss === legacyIssuer(identity) ? legacy(identity, claims) : undefined;
  const found = own ?? bound(identity, claims);
  if (found === undefined || found.namespace === '' || found.account.name === '') return undefined;
  const userName = accountUserName({ namespace: found.namespace, name: found.account.name });
  return claims['sub'] === userName ? found : undefined;
}

function bound({ labelDomain }: Identity, claims: JsonObject): AccountClaims | undefined {
  const own = claims[labelDomain];
  if (!isJsonObject(own)) return undefined;
  const account = refOf(own['serviceaccount']);
  if (account === undefined || account.uid === '') return undefined;
  const { warnafter } = own;
  return {
    namespace: text(own, 'namespace'),
    account,
    pod: refOf(own['pod']),
    node: refOf(own['node']),
    secret: refOf(own['secret']),
    warnAfter: typeof warnafter === 'number' ? warnafter : undefined,
    tokenId: text(claims, 'jti'),
    legacy: false,
  };
}

function legacy({ labelDomain }: Identity, claims: JsonObject): AccountClaims | undefined {
  const part = (name: string): string => text(claims, `${labelDomain}/serviceaccount/${name}`);
  const secret = part('secret.name');
  if (secret === '') return undefined;
  return {
    namespace: part('namespace'),
    account: { name: part('service-account.name'), uid: part('service-account.uid') },
    pod: undefined,
    node: undefined,
    secret: { name: secret, uid: '' },
    warnAfter: undefined,
    tokenId: '',
    legacy: true,
  };
}

function refOf(value: JsonValue | undefined): ObjectRef | undefined {
  if (!isJsonObject(value)) return undefined;
  return { name: text(value, 'name'), uid: text(value, 'uid') };
}
