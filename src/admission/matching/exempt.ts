/**
 * Requests that are exempt from webhooks and policies: those about the admission configurations
 * themselves, so that one that refuses everything can be removed; and, for policies, reviews of
 * access and of tokens.
 */
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Identity } from '../../apimachinery/identity.ts';

const configurations: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

const reviews: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ['authentication.{domain}', ['tokenreviews', 'selfsubjectreviews']],
  [
    'authorization.{domain}',
    [
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ],
  ],
];

export interface Exempt {
  readonly fromWebhooks: (resource: GroupResource) => boolean;
  readonly fromPolicies: (resource: GroupResource) => boolean;
}

export function exemptUnder(identity: Pick<Identity, 'fill'>): Exempt {
  const group = identity.fill('admissionregistration.{domain}');
  const asked = new Map(reviews.map(([name, list]) => [identity.fill(name), new Set(list)]));
  const isConfiguration = (resource: GroupResource): boolean =>
    resource.group === group && configurations.has(resource.resource);
  return {
    fromWebhooks: isConfiguration,
    fromPolicies: (resource) =>
      isConfiguration(resource) || asked.get(resource.group)?.has(resource.resource) === true,
  };
}
