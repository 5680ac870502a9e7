/** CSIDrivers: what a storage driver can do. */
import { duplicate, invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, boolean, column, nameColumn, table } from '../tables/columns.ts';
import { isTrue, objectsAt, printedAt, textsAt, valueAt } from '../tables/fields.ts';
import { allErrors, among, each, noProblems, numberOf, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { tokenSecondsRules } from '../validation/token-seconds.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

const csiDriverTable = table([
  nameColumn,
  boolean(
    'AttachRequired',
    'Whether volumes are attached first.',
    (object) => valueAt(object, 'spec', 'attachRequired') !== false,
  ),
  boolean('PodInfoOnMount', 'Whether the driver is told of the pod.', (object) =>
    isTrue(object, 'spec', 'podInfoOnMount'),
  ),
  boolean('StorageCapacity', 'Whether pods are placed by free capacity.', (object) =>
    isTrue(object, 'spec', 'storageCapacity'),
  ),
  column(
    'TokenRequests',
    'For whom tokens are made for the driver.',
    (object) =>
      objectsAt(object, 'spec', 'tokenRequests')
        .map((each) => printedAt(each, 'audience'))
        .join(',') || '<unset>',
  ),
  boolean('RequiresRepublish', 'Whether the driver is called again and again.', (object) =>
    isTrue(object, 'spec', 'requiresRepublish'),
  ),
  column(
    'Modes',
    'Life cycles of volumes that the driver knows.',
    (object) => textsAt(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>',
  ),
  ageColumn,
]);

const csiDriver: TypeDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ['Persistent'],
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
};

const csiDriverDefaults: DefaultTable = {
  fields: { 'storage/v1.CSIDriverSpec': csiDriver, 'storage/v1beta1.CSIDriverSpec': csiDriver },
};

const lifeCycleModes: readonly string[] = ['Ephemeral', 'Persistent'];

const leastUpdateSeconds = 10;

const csiDriverRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const field = 'spec.nodeAllocatableUpdatePeriodSeconds';
    const period = numberOf(spec['nodeAllocatableUpdatePeriodSeconds']) ?? leastUpdateSeconds;
    const lifeCycles = texts(spec, 'volumeLifecycleModes');
    return allErrors(
      each(lifeCycles, (mode) => among('spec.volumeLifecycleModes', mode, lifeCycleModes)),
      tokenRequestRules(objects(spec, 'tokenRequests'), 'spec.tokenRequests'),
      period < leastUpdateSeconds
        ? [invalid(field, period, 'must be greater than or equal to 10 seconds')]
        : noProblems,
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    return allErrors(
      // The reference names this field in its own way.
      unchanged('spec.attachedRequired', spec['attachRequired'], before['attachRequired']),
      unchanged(
        'spec.volumeLifecycleModes',
        spec['volumeLifecycleModes'],
        before['volumeLifecycleModes'],
      ),
    );
  },
};

/** One token for each audience; that of the server is the empty one. */
function tokenRequestRules(requests: readonly JsonObject[], path: string): Problems {
  const audiences = new Set<string>();
  return each(requests, (request, at) => {
    const audience = text(request, 'audience');
    if (audiences.has(audience)) return [duplicate(`${path}[${at}].audience`, audience)];
    audiences.add(audience);
    return tokenSecondsRules(`${path}[${at}].expirationSeconds`, request['expirationSeconds']);
  });
}

export const csiDrivers: KindDefinition = {
  resource: 'storage.{domain}/csidrivers',
  conditionalUpdateOnly: true,
  returnsDeletedObject: true,
  tracksGeneration: 'changes',
  defaults: csiDriverDefaults,
  validation: csiDriverRules,
  schemaExemptions: {
    optional: 'storage.TokenRequest.audience',
    // Reported of the list.
    openValues: 'storage.CSIDriverSpec.volumeLifecycleModes',
  },
  table: csiDriverTable,
};
