/** Flags of admission: which plugins review. */
import { admissionPluginNames } from '../../admission/plugins.ts';
import type { AdmissionPluginName } from '../../admission/plugins.ts';
import { fail, list, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface AdmissionConfig {
  readonly plugins: ReadonlySet<AdmissionPluginName>;
}

export const admissionOptionTable = [
  {
    flag: 'enable-admission-plugins',
    value: 'NAME,...',
    default: '',
    help: 'Admission plugins to have; all that there are review by default.',
    several: true,
  },
  {
    flag: 'disable-admission-plugins',
    value: 'NAME,...',
    default: '',
    help: 'Admission plugins to leave out.',
    several: true,
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
  return { plugins: new Set(admissionPluginNames.filter((name) => !unwanted.includes(name))) };
}

function namesOf(raw: Raw, flag: AdmissionFlag): readonly AdmissionPluginName[] {
  return list(raw, flag).map((name) => {
    const known = admissionPluginNames.find((each) => each === name);
    return known ?? fail(flag, name, `one of ${admissionPluginNames.join(', ')}`);
  });
}
