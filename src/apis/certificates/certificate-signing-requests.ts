/** CertificateSigningRequests: requests to have a certificate signed. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import { humanDuration } from '../../apimachinery/projection/human-duration.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { certificateProblems } from './certificate-chains.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { countAt, objectsAt, printedAt, valueAt } from '../tables/fields.ts';
import { numberOf, uniqueTexts } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { ratchetingRules } from '../validation/ratcheting-rules.ts';
import { signerNameRules } from '../validation/signer-names.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { approvalRules, readRequest, signingRequestStrategy } from './signing-request-strategy.ts';
import { objectParts } from '../subresources.ts';

function requestState(request: JsonObject): string {
  const types = new Set(objectsAt(request, 'status', 'conditions').map((each) => each['type']));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const issued = printedAt(request, 'status', 'certificate') !== '';
  return `${decided}${types.has('Failed') ? ',Failed' : ''}${issued ? ',Issued' : ''}`;
}

const signingRequestTable = table([
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

const signingRequestDefaults: DefaultTable = {
  fields: {
    'certificates/v1beta1.CertificateSigningRequestSpec': {
      signerName: (_spec, { identity }) => identity.signers.legacyUnknown,
      usages: ['digital signature', 'key encipherment'],
    },
    // Conditions were granted before they had a status.
    'certificates/v1beta1.CertificateSigningRequestCondition': { status: 'True' },
  },
};

const leastSigningSeconds = 600;

const signingRequestRules: KindRules = {
  prepareValidation: (next, current) => (current === undefined ? readRequest(next) : undefined),
  validate: (object) => {
    const spec = part(object, 'spec');
    const usages = texts(spec, 'usages');
    const seconds = numberOf(spec['expirationSeconds']) ?? leastSigningSeconds;
    const least =
      `may not specify a duration less than ${leastSigningSeconds} seconds ` + '(10 minutes)';
    return [
      ...(usages.length === 0 ? [required('spec.usages')] : []),
      ...signerNameRules('spec.signerName', text(spec, 'signerName')),
      ...(seconds < leastSigningSeconds ? [invalid('spec.expirationSeconds', seconds, least)] : []),
    ];
  },
};

/** Requests to the signer of everything cannot be made any more. */
function stableRequestRules(identity: Identity): KindRules {
  const legacy = identity.signers.legacyUnknown;
  const { validateCreate, validateUpdate } = ratchetingRules((request) => {
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

export const certificateSigningRequests: KindDefinition = {
  resource: 'certificates.{domain}/certificatesigningrequests',
  names: 'path-segment',
  selectableFields: 'spec.signerName',
  ownerlessParts: ['spec'],
  defaults: signingRequestDefaults,
  validation: signingRequestRules,
  strategy: signingRequestStrategy,
  table: signingRequestTable,
  subresources: {
    approval: {
      rules: approvalRules,
      verbs: objectParts,
      writes: [['f:metadata'], ['f:status', 'f:conditions']],
    },
  },
  versions: { v1: { validation: stableRequestRules } },
};
