/**
 * What connections to kubelets, pods and services are made with: agents whose connections are read
 * in turns, the certificate that kubelets are shown, and places.
 *
 * Invariants: kubelets are shown a certificate, pods and services none. Whose certificate a kubelet
 * shows is judged where the operator has said by which CA; that of a pod is not, for nobody could.
 * Bounds: `idleLimits.perServer` connections are kept for each server and `ofAll` in all, for `ms`:
 * one pod may be thousands of servers, one at each of its ports.
 */
import type https from 'node:https';
import type { Identity } from '../../apimachinery/identity.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import { isPair } from '../../pki/certificate-authority.ts';
import { createPlaces } from '../../proxy/places.ts';
import type { Agents, ConnectionDeps } from '../../proxy/connections.ts';
import type { Timers } from '../../stdx/clock.ts';
import { reachableLookup } from '../../proxy/reachable-lookup.ts';
import { keepAtMost } from '../../webhooks/kept-connections.ts';
import { agentInTurns, lookupOfProcess } from '../../webhooks/read-turns.ts';
import { trusting } from '../../webhooks/trust.ts';
import type { KubeletConfig } from '../config/kubelet-options.ts';
import { readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import { rootsOf } from './trusted-cas.ts';

const idleLimits = { perServer: 4, ofAll: 256, ms: 90_000 } as const;
const keepAliveMs = 30_000;

/** For where callers lead this server. */
const lookup = reachableLookup(lookupOfProcess);

/** `own` is shown to kubelets where the operator has named nothing else. @throws OptionsError. */
export function connectionDeps(
  config: KubeletConfig,
  own: KeyPair,
  { domain }: Pick<Identity, 'domain'>,
  timers: Timers,
): ConnectionDeps {
  const { addressTypes, connectionsMax, dialTimeoutMs } = config;
  const { certificatePem: cert, keyPem: key } = clientOf(config, own);
  const ca = caOf(config);
  const anyCertificate = { rejectUnauthorized: false };
  const judged = ca === undefined ? anyCertificate : trusting(ca);
  return {
    timers,
    domain,
    places: createPlaces(connectionsMax),
    kubelets: {
      judged: agentsOf(true, { cert, key, ...judged }),
      insecure: agentsOf(true, { cert, key, ...anyCertificate }),
      proxied: agentsOf(true, { cert, key, ...judged, lookup }),
      addressTypes,
      dialTimeoutMs,
    },
    network: {
      plain: agentsOf(false, { lookup }),
      secure: agentsOf(true, { ...anyCertificate, lookup }),
    },
  };
}

function agentsOf(secure: boolean, options: https.AgentOptions): Agents {
  const agent = agentInTurns(secure, {
    keepAlive: true,
    keepAliveMsecs: keepAliveMs,
    maxFreeSockets: idleLimits.perServer,
    timeout: idleLimits.ms,
    ...options,
  });
  keepAtMost(agent, idleLimits.ofAll);
  return { agent, fresh: agentInTurns(secure, { keepAlive: false, ...options }) };
}

function clientOf({ client }: KubeletConfig, own: KeyPair): KeyPair {
  if (client === undefined) return own;
  const pair = {
    certificatePem: readOptionText('kubelet-client-certificate', client.certFile),
    keyPem: readOptionText('kubelet-client-key', client.keyFile),
  };
  if (isPair(pair)) return pair;
  throw new OptionsError('--kubelet-client-certificate, --kubelet-client-key: they are no pair');
}

function caOf({ caFile }: KubeletConfig): string | undefined {
  if (caFile === undefined) return undefined;
  const text = readOptionText('kubelet-certificate-authority', caFile);
  rootsOf('kubelet-certificate-authority', text);
  return text;
}
