/**
 * Names of types and endpoints: group, version, kind, resource (spec 1, sections 2.1 and 4.1).
 */
export interface GroupResource {
  /** Empty string for the core group. Always the concrete name, the identity's domain filled in. */
  readonly group: string;
  /** The plural name used in the URL. */
  readonly resource: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** `v1` for the core group, `apps/v1` for the others: the value of `apiVersion`. */
export function formatGroupVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Undefined when the text has more than one slash or an empty part. */
export function parseGroupVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/', 3);
  if (parts.length === 1 && parts[0] !== '') return { group: '', version: parts[0] as string };
  if (parts.length === 2 && parts[0] !== '' && parts[1] !== '') {
    return { group: parts[0] as string, version: parts[1] as string };
  }
  return undefined;
}

/** `pods`, `deployments.apps`: how error messages name a resource. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}
