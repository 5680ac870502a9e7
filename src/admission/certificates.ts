/**
 * Plugins for the rights to approve, sign and attest for a signer, which are needed in addition to
 * the right to write the object (spec 2, section 5.2: client certificates).
 *
 *     CertificateApproval             .../approval     may `approve` for the signer
 *     CertificateSigning              .../status       may `sign` for the signer
 *     CertificateSubjectRestriction   a new request    none for the group system:masters
 *     ClusterTrustBundleAttest        a trust bundle   may `attest` for the signer
 *
 * The right is one on `signers`, by the signer's name or for its whole domain: `example.com/*`.
 *
 * Invariants: the signer is that of the stored object, which no write can change.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { part, text } from '../apimachinery/members.ts';
import { changesOwnersAlone } from '../apimachinery/owner-changes.ts';
import { quote } from '../apimachinery/quote.ts';
import type { ApiObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import { readSigningRequest } from '../pki/certificate-requests.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { AdmissionPlugin, Ask, Refusal, Review } from './admission.ts';
import { unanswered } from './admission.ts';
import { question } from './chain.ts';

export function certificatePlugins({ fill, signers }: Identity): readonly AdmissionPlugin[] {
  const group = fill('certificates.{domain}');
  const always = (): boolean => true;
  const requests = `${group}/certificatesigningrequests`;
  const may = (verb: string, user: UserInfo, signer: string, ask: Ask, why: string): Refusal => {
    const domain = signer.slice(0, signer.indexOf('/'));
    for (const name of [signer, `${domain}/*`]) {
      const allowed = ask(question(user, { verb, apiGroup: group, resource: 'signers', name }));
      if (allowed !== false) return allowed ? undefined : unanswered;
    }
    return `user not permitted to ${why} signerName ${quote(signer)}`;
  };
  return [
    {
      name: 'CertificateApproval',
      resources: [`${requests}/approval`],
      concerns: always,
      validate: ({ current, next, user }, { ask }) =>
        current === undefined || next === undefined
          ? undefined
          : may('approve', user, signerOf(current), ask, 'approve requests with'),
    },
    {
      name: 'CertificateSigning',
      resources: [`${requests}/status`],
      concerns: always,
      validate: ({ current, next, user }, { ask }) =>
        current === undefined || next === undefined || sameOutcome(next, current)
          ? undefined
          : may('sign', user, signerOf(current), ask, 'sign requests with'),
    },
    {
      name: 'CertificateSubjectRestriction',
      resources: [requests],
      concerns: always,
      validate: (review) => subjectRefusal(review, signers.client),
    },
    {
      name: 'ClusterTrustBundleAttest',
      resources: [`${group}/clustertrustbundles`],
      concerns: always,
      validate({ current, next, user }, { ask }) {
        if (next === undefined) return undefined;
        if (current !== undefined && changesOwnersAlone(next, current)) return undefined;
        const own = [signerOf(next), ...(current === undefined ? [] : [signerOf(current)])];
        for (const signer of new Set(own)) {
          const why = signer === '' ? undefined : may('attest', user, signer, ask, 'attest for');
          if (why !== undefined) return why;
        }
        return undefined;
      },
    },
  ];
}

function signerOf(request: ApiObject): string {
  return text(part(request, 'spec'), 'signerName');
}

function sameOutcome(next: ApiObject, current: ApiObject): boolean {
  const of = (request: ApiObject, name: string): JsonValue => part(request, 'status')[name] ?? null;
  return ['certificate', 'conditions'].every((name) =>
    deepEqual(of(next, name), of(current, name)),
  );
}

/** Whoever holds such a certificate could do everything, and nobody could take it back. */
function subjectRefusal({ current, next }: Review, clientSigner: string): Refusal {
  if (next === undefined || current !== undefined) return undefined;
  if (signerOf(next) !== clientSigner) return undefined;
  const request = text(part(next, 'spec'), 'request');
  const pem = Buffer.from(request, 'base64').toString('latin1');
  const read = readSigningRequest(pem);
  if (read.kind === 'invalid') return `failed to parse CSR: ${read.problem}`;
  if (!read.request.organizations.includes(wellKnownGroups.masters)) return undefined;
  return `use of ${clientSigner} signer with ${wellKnownGroups.masters} group is not allowed`;
}
