/**
 * Serves custom types: follows their definitions in the log, like any other object, so all servers
 * over one store, and all workers, serve the same.
 *
 *     definitions ─▶ follow ─▶ scheme ─▶ watches of what is another kind now end
 *
 * Elsewhere: the life of definitions (src/controllers/definitions), which one server looks after.
 */
import { compileCustomVersion } from '../../apiextensions/custom-version.ts';
import { definitionReader } from '../../apiextensions/serving/definition-reader.ts';
import { createServedDefinitions } from '../../apiextensions/serving/served-definitions.ts';
import { mergeTypeOf } from '../../apimachinery/fieldmanager/schema/from-type-schema.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { ServedScheme } from '../../apimachinery/served-scheme.ts';
import { metaTypes } from '../../apimachinery/typed/meta-types.ts';
import type { KindSet } from '../../apis/kind-set.ts';
import { customScale } from '../../apis/custom-scale.ts';
import type { Language } from '../../cel/language.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { approvalState } from '../../apis/apiextensions/protected-groups.ts';
import { cleanupFinalizer } from '../../apis/apiextensions/strategy.ts';
import { apiServicesGroup } from '../../apis/local-api-services.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createDefinedApiServices } from '../../controllers/definitions/defined-api-services.ts';
import { createDefinitionLifecycle } from '../../controllers/definitions/definition-lifecycle.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { KindStrategy, StrategyOf } from '../../registry/strategy.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import type { Timers } from '../../stdx/clock.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { ResolveService } from '../../webhooks/service-resolver.ts';
import { conversionWebhooks } from './conversion-webhooks.ts';
import type { Log } from './log.ts';
import type { Streams } from '../../../streams/streams.ts';

export interface CustomResourcesDeps {
  readonly scheme: ServedScheme;
  readonly streams: Streams;
  readonly turns: Turns;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly identity: Identity;
  readonly kinds: KindSet;
  readonly language: Language;
  readonly resolveService: ResolveService;
  /** Minor release of 1. */
  readonly release: number;
}

export interface ControllerPorts {
  readonly log: Log;
  readonly timers: Timers;
  readonly queues: QueueMeters;
}

export interface CustomResources {
  /** Undefined: nobody has defined the kind. */
  strategyOf(kind: KindInfo): KindStrategy | undefined;
  /** Where controllers run. */
  controllers(registry: RegistryDeps, ports: ControllerPorts): Controller;
}

/** What is defined is served when this returns, and from then on as definitions change. */
export function serveCustomResources(deps: CustomResourcesDeps): CustomResources | undefined {
  const { identity, kinds, language, release, scheme, streams, turns } = deps;
  const definitions = {
    group: identity.fill('apiextensions.{domain}'),
    resource: 'customresourcedefinitions',
  };
  const kind = scheme.findStorage(definitions);
  if (kind === undefined) return undefined;
  const reader = definitionReader(kind);
  const served = createServedDefinitions({
    scheme,
    definitions,
    scale: customScale(identity, kinds),
    compile: compileCustomVersion,
    compileDeps: {
      language,
      metadataType: mergeTypeOf(metaTypes.object('meta/v1.ObjectMeta')),
      release,
    },
    reader,
    callWebhook: conversionWebhooks(deps.resolveService, deps.timers, turns),
    turns,
    uuid: () => deps.prng.uuid(),
  });
  function* refreshed(storage: KindInfo['storage']): Steps<void> {
    const isEmpty = streams.snapshot(storage).count(undefined) === 0;
    const preparing = isEmpty ? undefined : scheme.findStorage(storage)?.custom?.prepare();
    if (preparing !== undefined) yield* preparing;
    yield* streams.refresh(storage);
  }
  scheme.onChange(({ added, removed }) => {
    for (const { storage } of removed) streams.endWatches(storage);
    for (const { storage } of added) {
      const isOver = (): boolean => scheme.findStorage(storage) === undefined;
      const refresh = (): void => void runStepwise(turns, refreshed(storage), isOver);
      // A large definition has just been read: what is stored of its kind waits for another turn.
      if (scheme.findStorage(storage)?.custom?.prepare() === undefined) refresh();
      else void turns.pause(wholeTurnMs).then(refresh);
    }
  });
  const events = streams.resourceEvents(definitions);
  streams.followers.follow('custom-resources', events, (event) => {
    if (event.type === 'RESET') return served.reset(event.snapshot.entries(undefined));
    if (event.type !== 'DELETED') return served.set(event.entry);
    served.remove(event.entry.name);
    return undefined;
  });
  return {
    strategyOf: (each) => served.strategyOf(each),
    controllers: (registry, { log, queues, timers }) =>
      controllerManager([
        createDefinitionLifecycle({
          registry,
          timers,
          queues,
          kind,
          reader,
          finalizer: cleanupFinalizer(identity),
          approvalOf: (definition) => approvalState(definition, identity),
          isBuiltIn: (resource) => scheme.isBuiltIn(resource),
          onError: (definition, error) => {
            log.error({ err: error, definition }, 'a definition was not kept; it is tried again');
          },
        }),
        ...apiServicesOf(deps, registry, { log, queues, timers }),
      ]),
  };
}

function apiServicesOf(
  { identity, scheme }: CustomResourcesDeps,
  registry: RegistryDeps,
  { log, queues, timers }: ControllerPorts,
): readonly Controller[] {
  const group = identity.fill(apiServicesGroup);
  const kind = scheme.findStorage({ group, resource: 'apiservices' });
  if (kind === undefined) return [];
  const onError = (service: string, error: unknown): void =>
    log.warn({ err: error, service }, 'an APIService was not kept; it is tried again');
  return [createDefinedApiServices({ registry, timers, queues, kind, onError })];
}

/** Of all kinds: those that users define have strategies of their own. */
export function withCustomStrategies(
  builtIn: StrategyOf,
  served: CustomResources | undefined,
): StrategyOf {
  if (served === undefined) return builtIn;
  return (kind) =>
    (kind.custom === undefined ? undefined : served.strategyOf(kind)) ?? builtIn(kind);
}
