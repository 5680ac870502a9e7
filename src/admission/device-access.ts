/**
 * Administrators' access to devices that are in use: only objects in namespaces with the label for
 * it may ask for it (ResourceClaims, their templates), and only there is it given (the status of a
 * claim). Part of every write: no flag names it.
 *
 * Invariants: what was asked for or given before stays allowed, whatever becomes of the label. A
 * namespace is as new as the write.
 */
import { forbidden } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part } from '../apimachinery/members.ts';
import { newInvalid } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { AdmissionObjects, AdmissionPlugin } from './admission.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;

export function deviceAccess(
  { fill }: Identity,
  known: Pick<AdmissionObjects, 'current' | 'get'>,
): AdmissionPlugin {
  const group = fill('resource.{domain}');
  // Under this name in the release that is served.
  const label = fill('resource.{domain}/admin-access');
  const detail =
    `admin access to devices requires the \`${label}: true\` label ` +
    'on the containing namespace';
  return {
    name: 'DeviceAccess',
    resources: ['resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'].map(
      (resource) => `${group}/${resource}`,
    ),
    concerns: (_user, { operations, resource, subresource }) =>
      resource.group === group && operations.includes(subresource === '' ? 'CREATE' : 'UPDATE'),
    current: () => known.current(),
    validate({ current, kind, name, namespace, next, subresource }) {
      if (next === undefined) return undefined;
      const field = subresource === 'status' ? given(next, current) : askedFor(next, current);
      if (field === undefined) return undefined;
      const { labels } = known.get(namespaces, '', namespace)?.metadata ?? {};
      if (labels?.[label] === 'true') return undefined;
      return newInvalid(kind, name, [forbidden(field, detail)]);
    },
  };
}

/** Where a new object asks for it first. A template's field is named as a claim's. */
function askedFor(next: ApiObject, current: ApiObject | undefined): string | undefined {
  if (current !== undefined) return undefined;
  const spec = part(next, 'spec');
  const claim = spec['spec'] === undefined ? spec : part(spec, 'spec');
  const at = objects(part(claim, 'devices'), 'requests').findIndex(
    (request) => isForAdmins(request) || isForAdmins(part(request, 'exactly')),
  );
  return at < 0 ? undefined : `spec.devices.requests[${at}].adminAccess`;
}

/** Where it is given first, unless it was before: then nothing new can be given. */
function given(next: ApiObject, current: ApiObject | undefined): string | undefined {
  if (current !== undefined && results(current).some(isForAdmins)) return undefined;
  const at = results(next).findIndex(isForAdmins);
  return at < 0 ? undefined : `status.allocation.devices.results[${at}].adminAccess`;
}

function results(claim: ApiObject): readonly JsonObject[] {
  return objects(part(part(part(claim, 'status'), 'allocation'), 'devices'), 'results');
}

function isForAdmins(holder: JsonObject): boolean {
  return holder['adminAccess'] === true;
}
