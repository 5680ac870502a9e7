/** Who may do what, and who is who: roles, certificates, leases. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { humanDuration } from './duration.ts';
import { ageColumn, column, createdAtColumn, nameColumn, table, wide } from './columns.ts';
import { count, objects, text, valueAt } from './fields.ts';

export const roles = table([nameColumn, createdAtColumn]);

function subjects(binding: JsonObject, kind: string): string {
  return objects(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) => {
      const name = text(subject, 'name');
      return kind === 'ServiceAccount' ? `${text(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}

export const bindings = table([
  nameColumn,
  column('Role', 'The role that is given.', (object) => {
    const role = valueAt(object, 'roleRef');
    return `${text(role, 'kind')}/${text(role, 'name')}`;
  }),
  ageColumn,
  wide(column('Users', 'Users it is given to.', (object) => subjects(object, 'User'))),
  wide(column('Groups', 'Groups it is given to.', (object) => subjects(object, 'Group'))),
  wide(
    column('ServiceAccounts', 'Service accounts it is given to.', (object) =>
      subjects(object, 'ServiceAccount'),
    ),
  ),
]);

function requestState(request: JsonObject): string {
  const types = new Set(objects(request, 'status', 'conditions').map((each) => each['type']));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const issued = text(request, 'status', 'certificate') !== '';
  return `${decided}${types.has('Failed') ? ',Failed' : ''}${issued ? ',Issued' : ''}`;
}

export const certificateSigningRequests = table([
  nameColumn,
  ageColumn,
  column(
    'SignerName',
    'Who is asked to sign.',
    (object) => text(object, 'spec', 'signerName') || '<none>',
  ),
  column('Requestor', 'Who asks.', (object) => text(object, 'spec', 'username')),
  column('RequestedDuration', 'How long it shall be valid.', (object) => {
    if (valueAt(object, 'spec', 'expirationSeconds') === undefined) return '<none>';
    return humanDuration(count(object, 'spec', 'expirationSeconds') * 1000);
  }),
  column('Condition', 'What has been decided and done.', requestState),
]);

export const clusterTrustBundles = table([
  nameColumn,
  column(
    'SignerName',
    'Whose certificates are trusted.',
    (object) => text(object, 'spec', 'signerName') || '<none>',
  ),
]);

export const leases = table([
  nameColumn,
  column('Holder', 'Who holds it.', (object) => text(object, 'spec', 'holderIdentity')),
  ageColumn,
]);

export const leaseCandidates = table([
  nameColumn,
  column('LeaseName', 'The lease it stands for.', (object) => text(object, 'spec', 'leaseName')),
  column('BinaryVersion', 'Version of the program.', (object) =>
    text(object, 'spec', 'binaryVersion'),
  ),
  column('EmulationVersion', 'Version it behaves as.', (object) =>
    text(object, 'spec', 'emulationVersion'),
  ),
  ageColumn,
]);
