/**
 * APIServices: which server answers for which group and version (spec 2, sections 3.3 and 9.3). The
 * facts leave them out: they were taken from the types of the built-in groups, and in the reference
 * this one belongs to the part in front of them that sends requests on. So its rows stand here.
 *
 * Names, numbers and life cycle are those that clients know. Number 6 of the spec was given up.
 */
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { conditionOf, printedAt, valueAt } from '../tables/fields.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { apiServiceRules } from './validation.ts';
import { apiServiceStrategy } from './strategy.ts';

const apiServiceTable = table([
  nameColumn,
  column('Service', 'The service that answers for it; Local is this server.', (object) => {
    const service = valueAt(object, 'spec', 'service');
    if (service === undefined) return 'Local';
    return `${printedAt(service, 'namespace')}/${printedAt(service, 'name')}`;
  }),
  column('Available', 'Whether anybody answers for it.', (object) => {
    const condition = conditionOf(object, 'Available');
    const [status, reason] = [printedAt(condition, 'status'), printedAt(condition, 'reason')];
    return status === 'True' || reason === '' ? status || 'Unknown' : `${status} (${reason})`;
  }),
  ageColumn,
]);

const versions = ['v1', 'v1beta1'] as const;

function typesOf(version: (typeof versions)[number]): string {
  return `
package apiregistration/${version}
APIService kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 APIServiceSpec
 status 3 APIServiceStatus
APIServiceCondition
 type 1 string !
 status 2 string !
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
APIServiceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []APIService !
APIServiceSpec
 service 1 ServiceReference ?
 group 2 string
 version 3 string
 insecureSkipTLSVerify 4 boolean
 caBundle 5 bytes list=atomic
 groupPriorityMinimum 7 int32 !
 versionPriority 8 int32 !
APIServiceStatus
 conditions 1 []APIServiceCondition list=map:type patch=merge:type
ServiceReference
 namespace 1 string
 name 2 string
 port 3 int32 ?
`;
}

const apiServiceDefaults: DefaultTable = {
  fields: {
    'apiregistration/v1.ServiceReference': { port: 443 },
    'apiregistration/v1beta1.ServiceReference': { port: 443 },
  },
};

const addedKinds = `
v1 APIService apiservices cluster since=10 sub=status in=api-extensions
v1beta1 APIService apiservices cluster since=7 old=19 gone=22 use=v1 sub=status in=api-extensions
`;

export const apiServices: KindDefinition = {
  resource: 'apiregistration.{domain}/apiservices',
  anyFinalizer: true,
  added: { kinds: addedKinds, types: versions.map(typesOf).join('') },
  names: 'path-segment',
  conditionalUpdateOnly: true,
  keptByStatus: 'all',
  defaults: apiServiceDefaults,
  validation: apiServiceRules,
  strategy: apiServiceStrategy,
  table: apiServiceTable,
};
