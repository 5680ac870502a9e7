/**
 * Signs the public client configuration with every token that may (spec 2, sections 2.1 and 5.2):
 * `cluster-info` in the public namespace gets `jws-kubeconfig-<id>` for each.
 *
 *   cluster-info or a token changes ─▶ what the signatures should be ─▶ write, if they differ
 *
 * Others write the configuration; without the key `kubeconfig` nothing is done. Invariants:
 * signatures of tokens that are gone, expired, not for signing or of another configuration do not
 * stay; what it writes depends on what is there only, so it may run at any time and writes nothing
 * the second time; what others keep in the object stays. A write is bound to the revision it was
 * made for; who comes second looks again.
 *
 * Bounds: a signature is made once for a configuration and a token. A look goes over all tokens,
 * and one is asked for with each that changes: between two of them it rests for `restFactor` times
 * as long as the last one took, so that many changes share one.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { isBootstrapSecretName, readBootstrapToken } from '../authentication/bootstrap-token.ts';
import type { BootstrapToken } from '../authentication/bootstrap-token.ts';
import { secretsResource } from '../authentication/object-reader.ts';
import { tokenStates } from '../../actors/actors.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Timers } from '../stdx/clock.ts';
import { paced } from '../stdx/paced.ts';
import { createRest } from '../stdx/rest.ts';
import type { Controller } from './controller.ts';
import { createKeptSignatures } from './kept-signatures.ts';
import type { KeptSignatures } from './kept-signatures.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';

const configMaps: GroupResource = { group: '', resource: 'configmaps' };
const configMapName = 'cluster-info';
const contentKey = 'kubeconfig';
const signaturePrefix = 'jws-kubeconfig-';

const signerTimes = { restFactor: 9, restMaxMs: 2000 } as const;

export interface BootstrapSignerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly onError: (name: string, error: unknown) => void;
}

export function createBootstrapSigner(deps: BootstrapSignerDeps): Controller {
  const { queues, registry, timers } = deps;
  const { namespaces } = registry.identity;
  const all = [configMapName];
  const signatures = createKeptSignatures(registry);
  const rest = createRest(registry.clock, signerTimes.restFactor, signerTimes.restMaxMs);
  let stopped = false;
  let wake: (() => void) | undefined;
  const rested = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = timers.after(rest.leftMs(), resolve);
      wake = () => {
        timer.cancel();
        resolve();
      };
    });
  const work = async (): Promise<void> => {
    if (rest.leftMs() > 0) await rested();
    if (stopped) return;
    const ended = rest.began();
    try {
      await sign(registry, signatures);
    } finally {
      ended();
    }
  };
  const queue = createKeyQueue({
    name: 'bootstrap-signer',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [
      {
        resource: configMaps,
        keysOf: (namespace, name) =>
          namespace === namespaces.public && name === configMapName ? all : [],
      },
      {
        resource: secretsResource,
        keysOf: (namespace, name) =>
          namespace === namespaces.system && isBootstrapSecretName(name) ? all : [],
      },
    ],
    work,
    onError: deps.onError,
  });
  return {
    start: () => queue.start(),
    stop() {
      stopped = true;
      wake?.();
      return queue.stop();
    },
  };
}

async function sign(registry: RegistryDeps, signatures: KeptSignatures): Promise<void> {
  const { identity, scheme, streams } = registry;
  const kind = scheme.findStorage(configMaps);
  const entry = streams.snapshot(configMaps).get(identity.namespaces.public, configMapName);
  if (kind === undefined || entry === undefined) return;
  // Signatures of tokens that cannot be read yet stay; it is looked again when they can.
  if (streams.isWaiting(secretsResource)) return;
  const object = decodeObject(entry.bytes);
  const data = part(object, 'data');
  const content = data[contentKey];
  if (typeof content !== 'string') return;
  const signed = await withSignatures(registry, signatures, data, content);
  if (deepEqual(signed, data)) return;
  const target = { kind, namespace: identity.namespaces.public, name: configMapName };
  // With the resourceVersion it was read at: what came in between is looked at again.
  const next: ApiObject = { ...object, data: signed };
  const options = { dryRun: false, manager: 'bootstrap-signer' };
  const result = await updateObject(registry, target, next, undefined, options);
  if (result.kind === 'ok' || passedOver.has(result.error.reason)) return;
  throw result.error;
}

/** It was changed, which comes back as a change, or it is gone. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.conflict, StatusReason.notFound]);

async function withSignatures(
  registry: RegistryDeps,
  signatures: KeptSignatures,
  data: JsonObject,
  content: string,
): Promise<JsonObject> {
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const tokens = await signingTokens(registry);
  const made = (await signatures.of(content, tokens)).map(
    ([id, signature]) => [`${signaturePrefix}${id}`, signature] as const,
  );
  return Object.fromEntries([...kept, ...made]);
}

async function signingTokens(registry: RegistryDeps): Promise<readonly BootstrapToken[]> {
  const { clock, identity, streams } = registry;
  const nowMs = clock.nowMs();
  const tokens: BootstrapToken[] = [];
  const all = streams.snapshot(secretsResource).entries(identity.namespaces.system);
  for await (const entry of paced(registry.turns, all)) {
    if (entry.fields['type'] !== identity.secretTypes.bootstrapToken) continue;
    if (entry.timer?.state === tokenStates.expired) continue;
    const secret = decodeObject(entry.bytes);
    const token = readBootstrapToken(identity, secret);
    if (token === undefined || secret.metadata.deletionTimestamp !== undefined) continue;
    const open = token.expiresMs === undefined || token.expiresMs > nowMs;
    if (open && token.usages.includes('signing')) tokens.push(token);
  }
  return tokens;
}
