/**
 * Flags of authorization: modes with what they need, or a configuration file (spec 2, section 5.5).
 *
 * The files that they name are read at start, and a mistake in one fails there.
 *
 * Invariant: a configuration file stands alone; a flag of a mode that is not chosen is an error.
 */
import type { AuthorizationMode, AuthorizationOptions } from '../../authorization/authorization.ts';
import { webhookTtlDefaults } from '../../authorization/authorization-config.ts';
import { accessReviewVersions } from '../../authorization/webhook/access-review.ts';
import { duration, fail, list, oneOf, optional, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

const modes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'RBAC', 'Node', 'Webhook'] as const;

export const authorizationOptionTable = [
  {
    flag: 'authorization-mode',
    value: 'MODE,...',
    default: '',
    help: `In this order: ${modes.join(', ')}. Empty: RBAC, or what --authorization-config says.`,
  },
  {
    flag: 'authorization-policy-file',
    value: 'FILE',
    default: '',
    help: 'For mode ABAC: one JSON object a line.',
  },
  {
    flag: 'authorization-webhook-config-file',
    value: 'FILE',
    default: '',
    help: 'For mode Webhook: where it is, in the form of a kubeconfig.',
  },
  {
    flag: 'authorization-webhook-version',
    value: accessReviewVersions.join('|'),
    default: 'v1beta1',
    help: 'Version of the reviews that are sent.',
  },
  {
    flag: 'authorization-webhook-cache-authorized-ttl',
    value: 'DURATION',
    default: webhookTtlDefaults.authorized,
    help: 'How long decisions that allow are cached.',
  },
  {
    flag: 'authorization-webhook-cache-unauthorized-ttl',
    value: 'DURATION',
    default: webhookTtlDefaults.unauthorized,
    help: 'How long other decisions are cached.',
  },
  {
    flag: 'authorization-config',
    value: 'FILE',
    default: '',
    help: 'An AuthorizationConfiguration; none of the flags above may be given with it.',
  },
] as const satisfies readonly OptionSpec[];

type AuthorizationFlag = (typeof authorizationOptionTable)[number]['flag'];
type Raw = RawValues<AuthorizationFlag>;

/** @throws OptionsError. */
export function completeAuthorization(raw: Raw): AuthorizationOptions {
  const configFile = optional(raw, 'authorization-config');
  if (configFile !== undefined) checkAlone(raw);
  const options: AuthorizationOptions = {
    modes: configFile === undefined ? modesOf(raw) : [],
    policyFile: optional(raw, 'authorization-policy-file'),
    webhook: {
      configFile: optional(raw, 'authorization-webhook-config-file'),
      version: oneOf(raw, 'authorization-webhook-version', accessReviewVersions),
      authorizedTtlMs: duration(raw, 'authorization-webhook-cache-authorized-ttl', 0),
      unauthorizedTtlMs: duration(raw, 'authorization-webhook-cache-unauthorized-ttl', 0),
    },
    configFile,
  };
  if (configFile === undefined) checkFiles(options);
  return options;
}

function checkAlone(raw: Raw): void {
  for (const { flag, default: byDefault } of authorizationOptionTable) {
    if (flag === 'authorization-config' || flag === 'authorization-policy-file') continue;
    if (raw[flag] === byDefault) continue;
    throw new OptionsError(`--authorization-config, --${flag}: they cannot be given together`);
  }
  if (raw['authorization-policy-file'] !== '') noMode('authorization-policy-file', 'ABAC');
}

function checkFiles({ modes: chosen, policyFile, webhook }: AuthorizationOptions): void {
  const rows = [
    ['ABAC', 'authorization-policy-file', policyFile],
    ['Webhook', 'authorization-webhook-config-file', webhook.configFile],
  ] as const;
  for (const [mode, flag, file] of rows) {
    const isChosen = chosen.includes(mode);
    if (isChosen && file === undefined) {
      throw new OptionsError(`--authorization-mode: ${mode} needs --${flag}`);
    }
    if (!isChosen && file !== undefined) noMode(flag, mode);
  }
}

function noMode(flag: string, mode: string): never {
  throw new OptionsError(`--${flag}: makes sense with --authorization-mode=${mode} only`);
}

function modesOf(raw: Raw): readonly AuthorizationMode[] {
  const flag = 'authorization-mode';
  if (raw[flag] === '') return ['RBAC'];
  const chosen = list(raw, flag).map((name) => {
    const found = modes.find((mode) => mode === name);
    return found ?? fail(flag, name, `one of ${modes.join(', ')}`);
  });
  if (chosen.length === 0) fail(flag, raw[flag], 'a list of modes');
  if (new Set(chosen).size !== chosen.length) fail(flag, raw[flag], 'a list without repetitions');
  return chosen;
}
