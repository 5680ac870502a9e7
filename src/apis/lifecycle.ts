/**
 * Life cycle beyond the facts (spec 2, sections 9.1 and 9.3), and what is not served as a resource
 * at all, with the reason.
 *
 * What it is not: the rules that follow from it (served-versions.ts).
 */

/** Releases that the facts leave out, of alpha versions: `<introduced> <removed>`, '-' is never.
 * A removed version without any release is known to none. */
const alphaRows = `
14 23 node.{domain} v1alpha1
6 23 rbac.authorization.{domain} v1alpha1
9 23 scheduling.{domain} v1alpha1
20 - internal.apiserver.{domain} v1alpha1
`;

interface Lifecycle {
  readonly introduced: number;
  readonly removed: number | undefined;
}

/** `<group template>/<version>` -> what the facts do not carry. */
export const lifecycles: ReadonlyMap<string, Lifecycle> = new Map(
  alphaRows
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, Lifecycle] => {
      const [since, gone, group, version] = line.split(' ');
      const removed = gone === '-' ? undefined : Number(gone);
      return [`${group}/${version}`, { introduced: Number(since), removed }];
    }),
);

/** `<group template>/<version>` -> the release that had it, where the facts know some of its kinds
 * only since they changed last (spec 2, section 9.3). */
export const earlierIntroductions: ReadonlyMap<string, number> = new Map([
  ['authorization.{domain}/v1', 6],
]);

/** `<group template>/<version>/<kind>` -> the release that deprecated it, of stable kinds whose end
 * was never announced. */
export const endlessDeprecations: ReadonlyMap<string, number> = new Map([
  ['/v1/ComponentStatus', 19],
  ['/v1/Endpoints', 33],
]);

/** Minor releases from introduction to deprecation, and from there to removal, of a version that
 * is not stable, unless its row says otherwise (spec 2, section 9.1, rule 4a). */
export const prereleaseWindow = 3;

/** `<group template>/<version>/<kind>` -> what the facts do not name as its replacement: a version
 * of the same kind, or `<group template>/<version>/<kind>`. */
export const laterReplacements: ReadonlyMap<string, string> = new Map([
  ['/v1/Endpoints', 'discovery.{domain}/v1/EndpointSlice'],
  ['storage.{domain}/v1alpha1/VolumeAttributesClass', 'v1'],
  ['storage.{domain}/v1beta1/VolumeAttributesClass', 'v1'],
]);

/** Resources whose objects nobody stores: each request works them out, so they are only read. */
export const computedResources: ReadonlySet<string> = new Set(['/componentstatuses']);

/** Resources of the catalogue that hold no objects, and why they have no verbs. */
export const virtualResources: ReadonlyMap<string, string> = new Map([
  ['imagepolicy.{domain}/imagereviews', 'sent to webhooks only; no server serves it'],
  ['policy/evictions', 'a body of the pods/eviction subresource, not a resource'],
]);

/** Questions that are answered and never stored: their only verb is create. */
export const reviewResources: ReadonlySet<string> = new Set([
  'authentication.{domain}/selfsubjectreviews',
  'authentication.{domain}/tokenreviews',
  'authorization.{domain}/localsubjectaccessreviews',
  'authorization.{domain}/selfsubjectaccessreviews',
  'authorization.{domain}/selfsubjectrulesreviews',
  'authorization.{domain}/subjectaccessreviews',
]);

/** `<group>/<resource>` -> the feature gates it needs, all of them. */
export const gatedResources: ReadonlyMap<string, readonly string[]> = new Map([
  ['resource.{domain}/deviceclasses', ['DynamicResourceAllocation']],
  ['resource.{domain}/devicetaintrules', ['DynamicResourceAllocation', 'DRADeviceTaints']],
  ['resource.{domain}/resourceclaims', ['DynamicResourceAllocation']],
  ['resource.{domain}/resourceclaimtemplates', ['DynamicResourceAllocation']],
  ['resource.{domain}/resourceslices', ['DynamicResourceAllocation']],
]);
