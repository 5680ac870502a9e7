/**
 * What a version demands of writes that come through it, beside the rules of its resource: an older
 * version of the same resource takes more (spec 2, section 9.3).
 *
 *     'events.{domain}/v1/events'   `<group template>/<version>/<resource>` of the request
 *
 * What it is not: rules that hold in every version (src/apis/validation). Like those, these see
 * objects in the version that their resource is judged in (judged-version.ts), and are pure.
 *
 * Invariant: an update is not refused for what its object had been before: an older version may
 * have written it.
 */
import { invalid, notSupported } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part, text, texts } from '../apimachinery/members.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { certificateProblems } from './certificate-chains.ts';
import { eventDemands, stableEventDemands } from './event-demands.ts';
import { uniqueBy, uniqueTexts } from './validation/checks.ts';
import { schemaProblems, unknownFieldProblems } from './validation/definitions.ts';
import type { KindRules } from './validation/kind-rules.ts';
import { approvalProblems } from './validation/protected-groups.ts';

type Judge = (object: ApiObject) => readonly FieldError[];

/** On create, and on an update of an object that had kept to it. */
function sinceCreate(...judges: readonly Judge[]): KindRules {
  return {
    validateCreate: (object) => judges.flatMap((judge) => judge(object)),
    validateUpdate: (next, current) =>
      judges.flatMap((judge) => (judge(current).length > 0 ? [] : judge(next))),
  };
}

const quiet = ['None', 'NoneOnDryRun'];

const webhookDemands = sinceCreate(
  (object) =>
    objects(object, 'webhooks').flatMap((hook, at) => {
      const effects = text(hook, 'sideEffects');
      if (effects === '' || quiet.includes(effects)) return [];
      return [notSupported(`webhooks[${at}].sideEffects`, effects, quiet)];
    }),
  (object) => uniqueBy(objects(object, 'webhooks'), 'webhooks', 'name'),
);

/** Requests to the signer of everything cannot be made any more. */
function requestDemands(identity: Identity): KindRules {
  const legacy = identity.signers.legacyUnknown;
  const { validateCreate, validateUpdate } = sinceCreate((request) => {
    const usages = texts(part(request, 'spec'), 'usages');
    return uniqueTexts('spec.usages', usages);
  });
  return {
    validateUpdate,
    validateCreate(request) {
      const name = text(part(request, 'spec'), 'signerName');
      const why = 'the legacy signerName is not allowed via this API version';
      const signer = name === legacy ? [invalid('spec.signerName', name, why)] : [];
      return [...(validateCreate?.(request) ?? []), ...signer];
    },
    validateStatusUpdate(next, current) {
      const issued = text(part(next, 'status'), 'certificate');
      if (issued === text(part(current, 'status'), 'certificate')) return [];
      return certificateProblems('status.certificate', issued);
    },
  };
}

/** `<group>/<version>/<resource>` of a request -> what its version demands. */
export function versionDemandsOf(identity: Identity): ReadonlyMap<string, KindRules> {
  const admission = 'admissionregistration.{domain}/v1';
  const rows: readonly (readonly [string, KindRules])[] = [
    ['/v1/events', eventDemands('reportingComponent')],
    ['events.{domain}/v1beta1/events', eventDemands('reportingController')],
    ['events.{domain}/v1/events', stableEventDemands()],
    [`${admission}/mutatingwebhookconfigurations`, webhookDemands],
    [`${admission}/validatingwebhookconfigurations`, webhookDemands],
    [
      'apiextensions.{domain}/v1/customresourcedefinitions',
      sinceCreate(schemaProblems, unknownFieldProblems, approvalProblems(identity)),
    ],
    ['certificates.{domain}/v1/certificatesigningrequests', requestDemands(identity)],
  ];
  return new Map(rows.map(([key, demands]) => [identity.fill(key), demands]));
}
