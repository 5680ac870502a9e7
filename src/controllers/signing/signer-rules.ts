/**
 * What each of the server's own signers signs (spec 2, section 5.2: client certificates).
 *
 *     kube-apiserver-client           clients: usages of a client, any names
 *     kube-apiserver-client-kubelet   agents of nodes: system:node:NAME of system:nodes, no names
 *     kubelet-serving                 what those serve with: the same subject, hosts or addresses
 *     legacy-unknown                  anything; nothing in the cluster trusts it by this name
 *
 * The approver of a request has checked its requester.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { SigningRequest } from '../../pki/certificate-requests.ts';

/** Why it is not signed; undefined: it is. */
export type SignerRule = (request: SigningRequest, usages: readonly string[]) => string | undefined;

export function signerRules({ signers }: Identity): ReadonlyMap<string, SignerRule> {
  return new Map<string, SignerRule>([
    [signers.client, (_request, usages) => clientUsageProblem(usages)],
    [signers.kubeletClient, nodeClientProblem],
    [signers.kubeletServing, nodeServingProblem],
    [signers.legacyUnknown, () => undefined],
  ]);
}

const nodePrefix = 'system:node:';
const clientUsages = ['client auth', 'digital signature', 'key encipherment'];
const servingUsages = ['digital signature', 'key encipherment', 'server auth'];

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const strange = usages.find((usage) => !clientUsages.includes(usage));
  if (strange !== undefined) return `invalid usage for client certificate: ${strange}`;
  if (usages.includes('client auth')) return undefined;
  return 'missing required usage for client certificate: client auth';
}

/** What the approver of the agents' own certificates goes by, too. */
export function nodeClientProblem(
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  const { addresses, dnsNames, emails, uris } = request;
  return (
    organizationProblem(request) ??
    forbiddenNames('DNS', dnsNames) ??
    forbiddenNames('Email', emails) ??
    forbiddenNames('IP', addresses) ??
    forbiddenNames('URI', uris) ??
    commonNameProblem(request) ??
    usageProblem(usages, clientUsages)
  );
}

function nodeServingProblem(
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  const { addresses, dnsNames, emails, uris } = request;
  const named = dnsNames.length > 0 || addresses.length > 0;
  return (
    organizationProblem(request) ??
    (named ? undefined : 'DNS or IP subjectAltName is required') ??
    forbiddenNames('Email', emails) ??
    forbiddenNames('URI', uris) ??
    usageProblem(usages, servingUsages) ??
    commonNameProblem(request)
  );
}

function organizationProblem({ organizations }: SigningRequest): string | undefined {
  const [only, ...more] = organizations;
  const fits = only === wellKnownGroups.nodes && more.length === 0;
  return fits ? undefined : 'subject organization is not system:nodes';
}

function commonNameProblem({ commonName }: SigningRequest): string | undefined {
  if (commonName.startsWith(nodePrefix)) return undefined;
  return `subject common name does not begin with ${nodePrefix}`;
}

function forbiddenNames(what: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${what} subjectAltNames are not allowed`;
}

/** All of these; a key that is not for encryption goes without that usage. */
function usageProblem(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const given = new Set(usages);
  const least = wanted.filter((usage) => usage !== 'key encipherment');
  const fits =
    least.every((usage) => given.has(usage)) && usages.every((usage) => wanted.includes(usage));
  return fits ? undefined : `usages did not match [${wanted.join(' ')}]`;
}
