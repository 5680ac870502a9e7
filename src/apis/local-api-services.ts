/**
 * One APIService for each group and version that this server serves itself: clients that ask who
 * answers for what find them there.
 *
 * What it is not: writing them (src/controllers/local-api-services.ts). The version of APIServices
 * itself has none, as in the reference: whoever keeps them answers for it.
 *
 * Rules: a group with a higher priority comes first in lists of groups, and a version with a higher
 * one first in its group. The numbers are the reference's.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Scheme } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { assert } from '../stdx/assert.ts';

/** `<group template, '-' is core> <priority of the group> <version>=<its priority> ...` */
const priorityRows = `
- 18000 v1=1
extensions 17900 v1beta1=1
apps 17800 v1=15 v1beta2=9 v1beta1=1
events.{domain} 17750 v1=15 v1beta1=5
authentication.{domain} 17700 v1=15 v1beta1=9 v1alpha1=1
authorization.{domain} 17600 v1=15 v1beta1=9
autoscaling 17500 v2=30 v1=15 v2beta1=9 v2beta2=1
batch 17400 v1=15 v1beta1=9
certificates.{domain} 17300 v1=15 v1beta1=9 v1alpha1=1
networking.{domain} 17200 v1=15 v1beta1=9 v1alpha1=1
policy 17100 v1=15 v1beta1=9
rbac.authorization.{domain} 17000 v1=15 v1beta1=12 v1alpha1=9
storage.{domain} 16800 v1=15 v1beta1=9 v1alpha1=1
admissionregistration.{domain} 16700 v1=15 v1beta1=12 v1alpha1=9
apiextensions.{domain} 16700 v1=15 v1beta1=9
scheduling.{domain} 16600 v1=15 v1beta1=12 v1alpha1=9
coordination.{domain} 16500 v1=15 v1beta1=13 v1alpha2=12
node.{domain} 16300 v1=15 v1beta1=9 v1alpha1=1
discovery.{domain} 16200 v1=15 v1beta1=12
resource.{domain} 16200 v1beta2=15 v1beta1=9 v1alpha3=1
flowcontrol.{domain} 16100 v1=21 v1beta3=18 v1beta2=15 v1beta1=12
internal.apiserver.{domain} 16000 v1alpha1=9
storagemigration.{domain} 15800 v1alpha1=9
`;

interface Priorities {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** `<group template>/<version>` -> where it stands. */
export const priorities: ReadonlyMap<string, Priorities> = new Map(
  priorityRows
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [group = '', priority, ...versions] = line.split(' ');
      return versions.map((each): [string, Priorities] => {
        const [version = '', versionPriority] = each.split('=');
        return [
          `${group === '-' ? '' : group}/${version}`,
          { groupPriorityMinimum: Number(priority), versionPriority: Number(versionPriority) },
        ];
      });
    }),
);

/** The group of APIServices, and where they lie. */
export const apiServicesGroup = 'apiregistration.{domain}';

export function localApiServices(scheme: Scheme, identity: Identity): readonly ApiObject[] {
  const own = identity.fill(apiServicesGroup);
  const filled = new Map(
    [...priorities].map(([name, each]): [string, Priorities] => {
      const slash = name.lastIndexOf('/');
      return [`${identity.fill(name.slice(0, slash))}${name.slice(slash)}`, each];
    }),
  );
  const served = scheme.groups.filter(({ group }) => group !== own);
  return served.flatMap(({ group, versions }) =>
    versions.map(({ version }) => {
      const place = filled.get(`${group}/${version}`);
      assert(place !== undefined, `${group}/${version} has a priority`);
      return {
        apiVersion: `${own}/v1`,
        kind: 'APIService',
        metadata: {
          name: `${version}.${group}`,
          labels: { [identity.labels.automanaged]: automanagedOnStart },
        },
        spec: { ...(group === '' ? {} : { group }), version, ...place },
      };
    }),
  );
}

/** The value of the label: put right at each start, and not in between. */
const automanagedOnStart = 'onstart';
