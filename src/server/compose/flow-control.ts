/**
 * Priority and fairness as a part of the server: the objects that it follows, those that are there
 * in any case, its log lines.
 *
 * Elsewhere: the work (src/flowcontrol), the default objects (src/apis/flowcontrol), and who keeps
 * them (system-objects.ts).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import {
  defaultFlowSchemas,
  defaultPriorityLevels,
} from '../../apis/flowcontrol/default-configuration.ts';
import { createConfiguration } from '../../flowcontrol/configuration.ts';
import type { Configuration } from '../../flowcontrol/configuration.ts';
import { createFlowControl } from '../../flowcontrol/flow-control.ts';
import type { FlowControl, FlowTicket } from '../../flowcontrol/flow-control.ts';
import { levelOf, schemaOf } from '../../flowcontrol/flow-objects.ts';
import { createLevels } from '../../flowcontrol/levels.ts';
import type { Levels } from '../../flowcontrol/levels.ts';
import { createWaitingRoom } from '../../flowcontrol/waiting-room.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { CompletedConfig } from '../config/options.ts';
import type { Log } from './log.ts';
import type { ServerParts } from './server-parts.ts';

export interface FlowPartDeps {
  readonly parts: Pick<ServerParts, 'registry'>;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Undefined: an option says so, or its objects are not served. */
export async function startFlowControl(
  config: CompletedConfig,
  deps: FlowPartDeps,
): Promise<FlowControl | undefined> {
  const { clock, identity, timers } = deps;
  const { prng, scheme, streams } = deps.parts.registry;
  const resourceOf = (resource: string) => ({ group: identity.groups.flowcontrol, resource });
  const schemas = scheme.findStorage(resourceOf('flowschemas'))?.storage;
  const levelObjects = scheme.findStorage(resourceOf('prioritylevelconfigurations'))?.storage;
  if (!config.load.priorityAndFairness || schemas === undefined || levelObjects === undefined) {
    return undefined;
  }
  const { mutatingMax, readOnlyMax } = config.load.inFlight;
  const room = createWaitingRoom({
    clock,
    timers,
    leaveQueue(ticket, why) {
      const { inForce } = ticket as FlowTicket;
      inForce?.use.level.cancel(ticket, why, clock.monotonicMs());
    },
  });
  const levels = createLevels({
    clock,
    timers,
    secret: prng.uuid(),
    room: { waiting: 0 },
    onServed: (ticket) => room.served(ticket),
    seats: readOnlyMax + mutatingMax,
  });
  const flow = createFlowControl({
    clock,
    levels,
    configuration: configurationOf(deps, levels, { schemas, levelObjects }),
    room,
    countOf({ apiGroup, apiVersion, resource }) {
      const kind = scheme.findResource(apiGroup, apiVersion, resource);
      return kind === undefined ? undefined : streams.snapshot(kind.storage).count(undefined);
    },
    requestTimeoutMs: config.requestTimeoutMs,
  });
  await flow.start();
  return flow;
}

function configurationOf(
  { clock, identity, log, parts, timers }: FlowPartDeps,
  levels: Levels,
  resources: Pick<Parameters<typeof createConfiguration>[0], 'schemas' | 'levelObjects'>,
): Configuration {
  const { streams, turns } = parts.registry;
  const mandatory = ({ mandatory }: { readonly mandatory: boolean }): boolean => mandatory;
  return createConfiguration({
    ...resources,
    streams,
    clock,
    timers,
    turns,
    levels,
    mandatorySchemas: defaultFlowSchemas(identity)
      .filter(mandatory)
      .map(({ object }) => schemaOf(object)),
    mandatoryLevels: defaultPriorityLevels(identity)
      .filter(mandatory)
      .flatMap(({ object }) => levelOf(object) ?? []),
    onLeftOut: (count) =>
      log.warn({ count }, 'there are more flow schemas, or rules of them, than are used'),
    onError: (error) =>
      log.error({ err: error }, 'flow schemas could not be read; it is tried again'),
  });
}
