/**
 * Composes the companions of writes: quotas and the addresses of services.
 *
 * Elsewhere: the companions (src/admission/companions) and the store's rules, which the store is
 * opened with (open-storage.ts).
 */
import { serviceAddresses } from '../../admission/addresses/service-addresses.ts';
import { serviceCompanions } from '../../admission/addresses/service-claims.ts';
import { createCompanions } from '../../admission/companions/companions.ts';
import type { CompanionsPort } from '../../admission/companions/companions.ts';
import { createCompanionRefusal } from '../../admission/companions/companion-refusal.ts';
import { companionRules } from '../../admission/companions/companion-rules.ts';
import type { CompanionCodec } from '../../admission/companions/companion-rules.ts';
import { followQuotas, quotasResource } from '../../admission/quota/known-quotas.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import { requestedAddressRules } from '../../apis/core/services/address-rules.ts';
import { withAllocated } from '../../apis/core/services/strategy.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createCountOnDemand, createQuotaCounter } from '../../controllers/quota-counter.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import type { CompanionRefusal } from '../../registry/execute-with-companions.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { createAddressRepair } from '../../controllers/service-address-repair.ts';
import { assert } from '../../stdx/assert.ts';
import type { Committer } from '../../storage/committer.ts';
import { shortWorkMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { CompletedConfig } from '../config/options.ts';
import { allocationSeries } from '../metrics/allocation-series.ts';
import { configuredLimits } from './admission-configuration.ts';
import type { ConfiguredPlugins } from './admission-configuration.ts';
import type { Log } from './log.ts';
import type { UnreadableRecord } from './unreadable-records.ts';

export interface CompanionPartsDeps {
  readonly clock: Clock;
  readonly codec: CompanionCodec;
  readonly timers: Timers;
  readonly identity: Identity;
  readonly prng: Prng;
  readonly streams: Streams;
  readonly turns: Turns;
  readonly lost: (resource: GroupResource) => UnreadableRecord;
  readonly configured: ConfiguredPlugins;
}

export function companionParts(
  { admission, system }: Pick<CompletedConfig, 'admission' | 'system'>,
  { clock, codec, configured, identity, lost, prng, streams, timers, turns }: CompanionPartsDeps,
) {
  const limited = configuredLimits({ admission }, identity, configured);
  const addresses = serviceAddresses({
    identity,
    streams,
    prng,
    clock,
    timers,
    ranges: system.serviceRanges,
    nodePorts: system.nodePorts,
    problems: requestedAddressRules,
    withAllocated,
    pause: () => turns.pause(shortWorkMs),
  });
  const bounds = admission.plugins.has('ResourceQuota');
  // What is stored is announced at once, when there is nothing to forget yet.
  const told: { companions?: CompanionsPort } = {};
  const forget = (namespace: string): void => told.companions?.forgetEpoch(namespace);
  const lostQuota = lost(quotasResource);
  const quotas = bounds ? followQuotas(streams, turns, lostQuota, forget) : undefined;
  const companions = createCompanions({
    identity,
    clock,
    prng,
    quotas,
    limited,
    services: serviceCompanions({
      identity,
      prng,
      encodeRecord: codec.encodeRecord,
      rangeOf: (address) => addresses.rangeOf(address),
    }),
  });
  told.companions = companions;
  return {
    plugins: [addresses.plugin],
    series: allocationSeries(addresses.counts, system.nodePorts),
    ofActors: {
      companionsOf: companions.companionsOf,
      companionRules: companionRules(codec),
      isAccompanied: companions.isAccompanied,
    },
    refusal(registry: () => RegistryDeps): CompanionRefusal {
      const counted = createCountOnDemand(registry, timers);
      const quotasRead = async (): Promise<void> => quotas?.whenRead();
      return createCompanionRefusal({ streams, counted, lost: lostQuota, quotasRead });
    },
  };
}

export interface AllocationPorts {
  readonly codec: CompanionCodec;
  readonly log: Log;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly committer: Pick<Committer, 'submit'>;
}

/** Where controllers run: they put right what companions have not done. */
export function allocationControllers(
  { tokens }: CompletedConfig,
  registry: RegistryDeps,
  { codec, committer, log, queues, timers }: AllocationPorts,
): readonly Controller[] {
  const counter = createQuotaCounter({
    registry,
    timers,
    queues,
    onError: (quota, error) =>
      log.warn({ err: error, quota }, 'a quota could not be counted; it is tried again'),
  });
  const repair = createAddressRepair({
    registry,
    encodeRecord: codec.encodeRecord,
    timers,
    queues,
    write: async (mutation) => {
      const { expect } = mutation;
      assert(expect.kind !== 'after', 'a repair stands on nothing that is under way');
      const { kind } = await committer.submit({ ...mutation, expect }).outcome;
      return kind === 'applied';
    },
    onTwice: (what, service, owner) =>
      log.warn({ what, service, owner }, 'an address or port is in two services'),
    onError: (key, error) =>
      log.warn({ err: error, key }, 'an address was not put right; it is tried again'),
  });
  const { controllers } = tokens;
  return [
    ...(controllers.has('resourcequota') ? [counter] : []),
    ...(controllers.has('serviceaddresses') ? [repair] : []),
  ];
}
