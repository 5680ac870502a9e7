/**
 * Bootstrap tokens as they lie in secrets (spec 2, section 2.1): reading one, and nothing else.
 *
 *     kube-system/bootstrap-token-abcdef, type bootstrap.<domain>/token
 *     data: token-id, token-secret, expiration, usage-bootstrap-*, auth-extra-groups
 *
 * A secret that is not quite a token is none: it is written like any other secret, and is good for
 * nothing.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { part, text } from '../apimachinery/members.ts';
import { parseRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';

const idPattern = /^[a-z0-9]{6}$/;
const secretPattern = /^[a-z0-9]{16}$/;
const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const namePrefix = 'bootstrap-token-';

const bootstrapUsages = ['authentication', 'signing'] as const;
type BootstrapUsage = (typeof bootstrapUsages)[number];

export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

/** Undefined when the text is not `<id>.<secret>`. */
export function parseBootstrapToken(text: string): TokenParts | undefined {
  const match = tokenPattern.exec(text);
  return match === null ? undefined : { id: match[1] as string, secret: match[2] as string };
}

export function formatBootstrapToken({ id, secret }: TokenParts): string {
  return `${id}.${secret}`;
}

export function bootstrapSecretName(id: string): string {
  return `${namePrefix}${id}`;
}

export function isBootstrapSecretName(name: string): boolean {
  return name.startsWith(namePrefix);
}

/** What is wrong with the name of a group that a token may give; undefined: nothing. */
export function bootstrapGroupProblem(name: string): string | undefined {
  if (groupPattern.test(name)) return undefined;
  return `group names of bootstrap tokens look like ${wellKnownGroups.bootstrappers}:name`;
}

export interface BootstrapToken extends TokenParts {
  readonly usages: readonly BootstrapUsage[];
  /** As written, beside the group that every token has; wrong ones included. */
  readonly extraGroups: readonly string[];
  /** Milliseconds since the epoch; undefined: never. Unreadable: 0, so it is over. */
  readonly expiresMs: number | undefined;
}

/** Undefined: the secret is no bootstrap token, or its parts do not fit together. */
export function readBootstrapToken(
  identity: Identity,
  secret: ApiObject,
): BootstrapToken | undefined {
  const data = part(secret, 'data');
  const id = decoded(data, 'token-id');
  const value = decoded(data, 'token-secret');
  const named = secret.metadata.name === bootstrapSecretName(id);
  const typed = secret['type'] === identity.secretTypes.bootstrapToken;
  if (!typed || !named || !idPattern.test(id) || !secretPattern.test(value)) return undefined;
  const groups = decoded(data, 'auth-extra-groups');
  return {
    id,
    secret: value,
    usages: bootstrapUsages.filter((usage) => decoded(data, `usage-bootstrap-${usage}`) === 'true'),
    extraGroups: groups === '' ? [] : [...new Set(groups.split(','))],
    expiresMs: expiresMs(data),
  };
}

/** When the token in a secret ends; undefined: this is no token's secret, whatever is in it. */
export function bootstrapExpiry(
  { namespaces, secretTypes }: Identity,
  secret: ApiObject,
): { readonly dueMs: number | undefined } | undefined {
  const { name = '', namespace } = secret.metadata;
  const typed = secret['type'] === secretTypes.bootstrapToken;
  if (!typed || namespace !== namespaces.system || !isBootstrapSecretName(name)) return undefined;
  return { dueMs: expiresMs(part(secret, 'data')) };
}

function expiresMs(data: JsonObject): number | undefined {
  const expiration = decoded(data, 'expiration');
  return expiration === '' ? undefined : (parseRfc3339(expiration) ?? 0);
}

function decoded(data: JsonObject, key: string): string {
  return Buffer.from(text(data, key), 'base64').toString('utf8');
}
