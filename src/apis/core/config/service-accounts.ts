/** ServiceAccounts, and the subresource that issues their tokens. */
import type { Identity } from '../../../apimachinery/identity.ts';
import { objects } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { objectsAt } from '../../tables/fields.ts';
import type { KindWarnings, Warnings } from '../../warnings/kind-warnings.ts';
import { noWarnings } from '../../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { writtenKind } from '../../subresources.ts';

const serviceAccountTable = table([
  nameColumn,
  column(
    'Secrets',
    'Number of secrets it refers to.',
    (object) => objectsAt(object, 'secrets').length,
  ),
  ageColumn,
]);

function serviceAccountWarnings({ fill }: Identity): KindWarnings {
  const annotation = fill('{labelDomain}/enforce-mountable-secrets');
  const message =
    `metadata.annotations[${annotation}]: deprecated in v1.32+; prefer separate namespaces to ` +
    'isolate access to mounted secrets';
  const found = (annotations: Readonly<Record<string, string>> = {}): Warnings =>
    annotations[annotation] === undefined ? noWarnings : [message];
  return {
    onCreate: ({ metadata }) => found(metadata.annotations),
    onUpdate: (next, current) =>
      found(current.metadata.annotations).length > 0
        ? noWarnings
        : found(next.metadata.annotations),
  };
}

const serviceAccountDefaults: DefaultTable = {
  fields: { 'authentication/v1.TokenRequestSpec': { expirationSeconds: 3600 } },
};

/** Its secrets are those of its namespace: of what refers to them only the name is kept. */
function withSecretNames(account: ApiObject): ApiObject {
  const secrets = objects(account, 'secrets');
  const isBare = (secret: JsonObject): boolean =>
    Object.keys(secret).every((member) => member === 'name');
  if (secrets.every(isBare)) return account;
  const named = secrets.map(({ name }): JsonObject => (name === undefined ? {} : { name }));
  return { ...account, secrets: named };
}

export const serviceAccounts: KindDefinition = {
  resource: '/serviceaccounts',
  returnsDeletedObject: true,
  strategy: () => ({ prepareForCreate: withSecretNames, prepareForUpdate: withSecretNames }),
  defaults: serviceAccountDefaults,
  warnings: serviceAccountWarnings,
  table: serviceAccountTable,
  subresources: {
    token: {
      verbs: ['create'],
      kinds: () => [writtenKind('authentication.{domain}', 'v1', 'TokenRequest', 'authentication')],
    },
  },
};
