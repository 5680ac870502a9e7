/**
 * What is accepted although nothing here acts on it, and the sentence that tells whoever writes it:
 * a Warning header at each create and each update. A row goes when its feature comes.
 *
 *     a kind                        every object of it
 *     a kind and a condition        those that have the label, the annotation or the field
 *
 * What it is not: kinds whose status can say it (definitions of custom types, APIServices, service
 * ranges, services), and what other programs do beside a reference server, too (controllers of
 * workloads, schedulers, nodes, networks): nobody expects that of an API server.
 *
 * Invariants: pure, and as cheap as looking at the labels; a sentence says what does not happen.
 * README, "What is not there yet", has the same.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { part } from '../apimachinery/members.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

/** One sentence; `{}` in it stands for what `when` has found. */
interface Row {
  /** `<group template>/<resource>`. */
  readonly resources: readonly string[];
  readonly says: string;
  /** What of the object it is about; undefined: not this one. Absent: all of it. */
  readonly when?: (object: ApiObject, identity: Identity) => string | undefined;
}

const rows: readonly Row[] = [
  {
    resources: [
      'admissionregistration.{domain}/validatingwebhookconfigurations',
      'admissionregistration.{domain}/mutatingwebhookconfigurations',
    ],
    says: 'this server does not call admission webhooks: nothing is sent to those named here',
  },
  {
    resources: [
      'admissionregistration.{domain}/validatingadmissionpolicies',
      'admissionregistration.{domain}/validatingadmissionpolicybindings',
    ],
    says:
      'this server does not evaluate admission policies: nothing is refused, warned about or ' +
      'audited because of this one',
  },
  {
    resources: [
      'admissionregistration.{domain}/mutatingadmissionpolicies',
      'admissionregistration.{domain}/mutatingadmissionpolicybindings',
    ],
    says: 'this server does not evaluate admission policies: nothing is changed by this one',
  },
  {
    resources: ['/resourcequotas'],
    says: 'this server does not count or enforce quotas: nothing is refused because of this one',
  },
  {
    resources: ['/limitranges'],
    says: 'this server does not apply limit ranges: nothing is defaulted or refused by this one',
  },
  {
    resources: ['/namespaces'],
    says: 'this server does not check pods against security standards: {} has no effect',
    when: podSecurityLabels,
  },
  {
    resources: ['policy/podsecuritypolicies'],
    says: 'this server does not apply pod security policies: no pod is refused because of this one',
  },
  {
    resources: ['flowcontrol.{domain}/flowschemas'],
    says: 'this server does not classify requests: none is treated differently because of this one',
  },
  {
    resources: ['flowcontrol.{domain}/prioritylevelconfigurations'],
    says: 'this server does not queue or limit requests by priority level: this one has no effect',
  },
  {
    resources: ['networking.{domain}/ipaddresses'],
    says: 'this server does not give out addresses of services: this one is reserved for nobody',
  },
  {
    resources: ['networking.{domain}/ingressclasses'],
    says: 'this server does not choose classes of ingresses: {} has no effect',
    when: (object, { labelDomain }) =>
      annotated(object, `ingressclass.${labelDomain}/is-default-class`),
  },
  {
    resources: ['storage.{domain}/storageclasses'],
    says: 'this server does not choose classes of volume claims: {} has no effect',
    when: (object, { labelDomain }) =>
      annotated(object, `storageclass.${labelDomain}/is-default-class`) ??
      annotated(object, `storageclass.beta.${labelDomain}/is-default-class`),
  },
  {
    resources: ['node.{domain}/runtimeclasses'],
    says: 'this server does not complete pods by their runtime class: {} has no effect',
    when: (object) => given(object, ['overhead', 'scheduling']),
  },
  {
    resources: ['storagemigration.{domain}/storageversionmigrations'],
    says: 'this server does not migrate what is stored: this migration does not run',
  },
  {
    resources: ['coordination.{domain}/leasecandidates'],
    says: 'this server does not elect leaders: this candidate does not get a lease',
  },
];

function podSecurityLabels({ metadata }: ApiObject, { labelDomain }: Identity): string | undefined {
  const prefix = `pod-security.${labelDomain}/`;
  const found = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return found.length === 0 ? undefined : found.sort().join(', ');
}

function annotated({ metadata }: ApiObject, name: string): string | undefined {
  return metadata.annotations?.[name] === 'true' ? name : undefined;
}

function given(object: ApiObject, fields: readonly string[]): string | undefined {
  const found = fields.filter((field) => Object.keys(part(object, field)).length > 0);
  return found.length === 0 ? undefined : found.join(', ');
}

type Warn = (object: ApiObject) => readonly string[];

/** By `<group>/<resource>`; of most kinds there is nothing to say. */
export function unservedWarnings(identity: Identity): ReadonlyMap<string, Warn> {
  const byResource = new Map<string, Row[]>();
  for (const row of rows) {
    for (const resource of row.resources) {
      const slash = resource.lastIndexOf('/');
      const key = `${identity.fill(resource.slice(0, slash))}${resource.slice(slash)}`;
      byResource.set(key, [...(byResource.get(key) ?? []), row]);
    }
  }
  const warnOf =
    (own: readonly Row[]): Warn =>
    (object) =>
      own.flatMap(({ says, when }) => {
        if (when === undefined) return [says];
        const found = when(object, identity);
        return found === undefined ? [] : [says.replace('{}', found)];
      });
  return new Map([...byResource].map(([key, own]) => [key, warnOf(own)]));
}
