/** Who may do what, and who is who: roles, certificates, leases. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { humanDuration } from '../../apimachinery/projection/human-duration.ts';
import { ageColumn, column, createdAtColumn, nameColumn, table, wide } from './columns.ts';
import { countAt, objectsAt, printedAt, valueAt } from './fields.ts';

export const roles = table([nameColumn, createdAtColumn]);

function subjects(binding: JsonObject, kind: string): string {
  return objectsAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) => {
      const name = printedAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${printedAt(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}

export const bindings = table([
  nameColumn,
  column('Role', 'The role that is given.', (object) => {
    const role = valueAt(object, 'roleRef');
    return `${printedAt(role, 'kind')}/${printedAt(role, 'name')}`;
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
  const types = new Set(objectsAt(request, 'status', 'conditions').map((each) => each['type']));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const issued = printedAt(request, 'status', 'certificate') !== '';
  return `${decided}${types.has('Failed') ? ',Failed' : ''}${issued ? ',Issued' : ''}`;
}

export const certificateSigningRequests = table([
  nameColumn,
  ageColumn,
  column(
    'SignerName',
    'Who is asked to sign.',
    (object) => printedAt(object, 'spec', 'signerName') || '<none>',
  ),
  column('Requestor', 'Who asks.', (object) => printedAt(object, 'spec', 'username')),
  column('RequestedDuration', 'How long it shall be valid.', (object) => {
    if (valueAt(object, 'spec', 'expirationSeconds') === undefined) return '<none>';
    return humanDuration(countAt(object, 'spec', 'expirationSeconds') * 1000);
  }),
  column('Condition', 'What has been decided and done.', requestState),
]);

export const clusterTrustBundles = table([
  nameColumn,
  column(
    'SignerName',
    'Whose certificates are trusted.',
    (object) => printedAt(object, 'spec', 'signerName') || '<none>',
  ),
]);

export const leases = table([
  nameColumn,
  column('Holder', 'Who holds it.', (object) => printedAt(object, 'spec', 'holderIdentity')),
  ageColumn,
]);

export const leaseCandidates = table([
  nameColumn,
  column('LeaseName', 'The lease it stands for.', (object) =>
    printedAt(object, 'spec', 'leaseName'),
  ),
  column('BinaryVersion', 'Version of the program.', (object) =>
    printedAt(object, 'spec', 'binaryVersion'),
  ),
  column('EmulationVersion', 'Version it behaves as.', (object) =>
    printedAt(object, 'spec', 'emulationVersion'),
  ),
  ageColumn,
]);
