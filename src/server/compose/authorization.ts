/**
 * Authorization as a part of the server: its options' errors, its log lines, its figures, and what
 * follows from it for controllers and health.
 *
 * Elsewhere: the decisions (src/authorization).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import {
  AuthorizationOptionsError,
  createAuthorization,
} from '../../authorization/authorization.ts';
import type { Authorization, AuthorizationOptions } from '../../authorization/authorization.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createRbacDefaults } from '../../controllers/rbac-defaults.ts';
import { createRoleAggregation } from '../../controllers/role-aggregation.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { Language } from '../../cel/language.ts';
import type { ControllerShortName } from './controller-choice.ts';
import type { Log } from './log.ts';
import { OptionsError } from '../config/option-values.ts';

export interface AuthorizationPartDeps {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly identity: Identity;
  readonly language: Language;
  readonly log: Log;
}

/** @throws OptionsError. */
export function startAuthorization(
  options: AuthorizationOptions,
  { log, ...deps }: AuthorizationPartDeps,
): Authorization {
  try {
    return createAuthorization(options, {
      ...deps,
      onProblem: (text, error) => log.error({ err: error }, text),
      onReload: (names) => log.info({ names }, 'the authorization configuration was read again'),
    });
  } catch (error) {
    if (!(error instanceof AuthorizationOptionsError)) throw error;
    throw new OptionsError(`--${error.flag}: ${error.message}`);
  }
}

export interface RbacControllerOptions {
  readonly timers: Timers;
  readonly log: Log;
  /** Whether the default roles are still to be made. */
  readonly defaults: boolean;
  readonly chosen: ReadonlySet<ControllerShortName>;
}

export function createRbacControllers(
  registry: RegistryDeps,
  { timers, log, defaults, chosen }: RbacControllerOptions,
): Controller {
  const running: Controller[] = [];
  if (defaults) {
    const making = createRbacDefaults({
      registry,
      timers,
      onError: (error) =>
        log.error({ err: error }, 'default roles could not be made; it is tried again'),
    });
    running.push(making);
  }
  if (chosen.has('clusterrole-aggregation')) {
    const aggregation = createRoleAggregation({
      registry,
      timers,
      onError: (role, error) =>
        log.error({ err: error, role }, 'rules could not be aggregated; it is tried again'),
    });
    running.push(aggregation);
  }
  return controllerManager(running);
}

/** Whether the default roles are there: before, most users can do nothing. Stays true. */
export function rbacDefaultsSeen(registry: RegistryDeps): () => boolean {
  const resource = { group: registry.identity.groups.rbac, resource: 'clusterroles' };
  let seen = registry.scheme.findStorage(resource) === undefined;
  return () => {
    seen ||= registry.streams.snapshot(resource).get('', 'cluster-admin') !== undefined;
    return seen;
  };
}
