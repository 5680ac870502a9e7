/** Flags of admission: which plugins run, and their configuration. */
import {
  admissionPluginNames,
  isAlwaysOn,
  pluginsByDefault,
} from '../../admission/plugin-names.ts';
import type { AdmissionPluginName } from '../../admission/plugin-names.ts';
import type { TolerationSeconds } from '../../admission/pods/default-tolerations.ts';
import { boolean, fail, integer, list, optional, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface AdmissionConfig {
  readonly plugins: ReadonlySet<AdmissionPluginName>;
  /** An AdmissionConfiguration; undefined: no plugin is configured. */
  readonly configFile: string | undefined;
  readonly tolerationSeconds: TolerationSeconds;
  /** Calls at once to the server of one webhook. */
  readonly webhookCallsMax: number;
  /** A webhook's service is called at one of its endpoints, not at its address. */
  readonly toEndpoints: boolean;
}

const secondsMax = 2 ** 31 - 1;

export const admissionOptionTable = [
  {
    flag: 'enable-admission-plugins',
    value: 'NAME,...',
    default: '',
    help: 'Admission plugins to run beside the default ones.',
    several: true,
  },
  {
    flag: 'disable-admission-plugins',
    value: 'NAME,...',
    default: '',
    help: 'Admission plugins to leave out.',
    several: true,
  },
  {
    flag: 'admission-control-config-file',
    value: 'FILE',
    default: '',
    help: 'Configurations of plugins: an AdmissionConfiguration.',
  },
  {
    flag: 'admission-webhook-max-calls',
    value: 'COUNT',
    default: '100',
    help: 'Calls at once to the server of one admission webhook; more wait in line.',
  },
  {
    flag: 'enable-aggregator-routing',
    value: 'true|false',
    default: 'false',
    help: 'Webhooks and APIServices are called at endpoints of services, not at cluster IPs.',
  },
  {
    flag: 'default-not-ready-toleration-seconds',
    value: 'SECONDS',
    default: '300',
    help: 'Default time that pods tolerate a node that is not ready.',
  },
  {
    flag: 'default-unreachable-toleration-seconds',
    value: 'SECONDS',
    default: '300',
    help: 'Default time that pods tolerate a node that cannot be reached.',
  },
] as const satisfies readonly OptionSpec[];

type AdmissionFlag = (typeof admissionOptionTable)[number]['flag'];
type Raw = RawValues<AdmissionFlag>;

/** @throws OptionsError. */
export function completeAdmission(raw: Raw): AdmissionConfig {
  const wanted = namesOf(raw, 'enable-admission-plugins');
  const unwanted = namesOf(raw, 'disable-admission-plugins');
  const both = unwanted.filter((name) => wanted.includes(name));
  if (both.length > 0) {
    const flags = '--enable-admission-plugins, --disable-admission-plugins';
    throw new OptionsError(`${flags}: ${both.join(', ')} cannot be in both`);
  }
  const always = unwanted.filter(isAlwaysOn);
  if (always.length > 0) {
    const why = 'is a part of every write and cannot be switched off';
    throw new OptionsError(`--disable-admission-plugins: ${always.join(', ')} ${why}`);
  }
  const on = new Set([...pluginsByDefault, ...wanted]);
  for (const name of unwanted) on.delete(name);
  return {
    plugins: on,
    configFile: optional(raw, 'admission-control-config-file'),
    webhookCallsMax: integer(raw, 'admission-webhook-max-calls', 1, 10_000),
    toEndpoints: boolean(raw, 'enable-aggregator-routing'),
    tolerationSeconds: {
      notReady: integer(raw, 'default-not-ready-toleration-seconds', 0, secondsMax),
      unreachable: integer(raw, 'default-unreachable-toleration-seconds', 0, secondsMax),
    },
  };
}

function namesOf(
  raw: Raw,
  flag: 'enable-admission-plugins' | 'disable-admission-plugins',
): readonly AdmissionPluginName[] {
  return list(raw, flag).map((name) => {
    const known = admissionPluginNames.find((each) => each === name);
    return known ?? fail(flag, name, `one of ${admissionPluginNames.join(', ')}`);
  });
}
