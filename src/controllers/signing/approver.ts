/**
 * Approves signing requests of kubelets for themselves, if the requester has the right (spec 2,
 * section 5.2: client certificates).
 *
 *     a node's client certificate, asked for by that node     may `create` .../selfnodeclient?
 *                                  asked for by anybody else  may `create` .../nodeclient?
 *
 * Everything else is left to people, and to other controllers.
 *
 * Invariants: the requester is whom the server wrote into the request. Who has not got the right is
 * asked about again, for rights come later: with backoff, for as long as the request is there.
 */
import { readSigningRequest } from '../../pki/certificate-requests.ts';
import type { SigningRequest } from '../../pki/certificate-requests.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Controller } from '../controller.ts';
import { createKeyQueue, keysAtOnce } from '../key-queue.ts';
import type { QueueMeters } from '../queue-meters.ts';
import { nodeClientProblem } from './signer-rules.ts';
import { holds, record, requestNamed, requestsResource } from './signing-request.ts';
import type { RequestedCertificate } from './signing-request.ts';

const manager = 'csr-approver';

export interface ApproverDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly onError: (name: string, error: unknown) => void;
}

/** The requester may not have it, as yet. */
export class NotPermitted extends Error {
  override readonly name = 'NotPermitted';
}

export function createApprover({
  access,
  onError,
  queues,
  registry,
  timers,
}: ApproverDeps): Controller {
  return createKeyQueue({
    name: 'csr-approver',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    atOnceMax: keysAtOnce,
    sources: [{ resource: requestsResource(registry), keysOf: (_namespace, name) => [name] }],
    async work(name) {
      const found = requestNamed(registry, name);
      if (found === undefined || !isOpen(found)) return;
      if (found.signerName !== registry.identity.signers.kubeletClient) return;
      const read = readSigningRequest(found.requestPem);
      if (read.kind === 'invalid') return;
      if (nodeClientProblem(read.request, found.usages) !== undefined) return;
      const rights = rightsFor(found, read.request);
      for (const { message, subresource } of rights) {
        const decision = await access.check(attributesOf(registry, found, subresource));
        if (decision.kind !== 'allow') continue;
        const condition = { type: 'Approved', reason: 'AutoApproved', message };
        return record(registry, found, { subresource: 'approval', condition }, manager);
      }
      const tried = rights.map(({ subresource }) => subresource).join(' ');
      throw new NotPermitted(`recognized as [${tried}], and the requester may do none of it`);
    },
    onError,
  });
}

function isOpen(found: RequestedCertificate): boolean {
  if (found.certificatePem !== '') return false;
  return !holds(found, 'Approved') && !holds(found, 'Denied');
}

interface Right {
  readonly subresource: string;
  readonly message: string;
}

const selfRight: Right = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const nodeRight: Right = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

function rightsFor(
  { requester }: RequestedCertificate,
  { commonName }: SigningRequest,
): readonly Right[] {
  return requester.name === commonName ? [selfRight, nodeRight] : [nodeRight];
}

function attributesOf(
  registry: RegistryDeps,
  { requester }: RequestedCertificate,
  subresource: string,
): Parameters<AccessChecker['check']>[0] {
  const { group, resource } = requestsResource(registry);
  return {
    user: requester,
    verb: 'create',
    isResourceRequest: true,
    path: '',
    namespace: '',
    apiGroup: group,
    apiVersion: '*',
    resource,
    subresource,
    name: '',
  };
}
