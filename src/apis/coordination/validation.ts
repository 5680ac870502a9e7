/** Rules of Leases and LeaseCandidates. */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { Problems } from '../validation/checks.ts';
import {
  allErrors,
  form,
  noProblems,
  nonNegative,
  numberOf,
  oneOf,
  unchanged,
} from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { checkSemanticVersion } from '../validation/names-in-domains.ts';

const oldestEmulation = 'OldestEmulationVersion';

/** The reference repeats the name of the field. */
const strategyField = 'spec.strategy.strategy';

/** The service's own strategies have no domain. */
function strategyRules(strategy: string): Problems {
  if (!strategy.includes('/')) return oneOf(strategyField, strategy, [oldestEmulation]);
  return form(strategyField, strategy, checkQualifiedName);
}

export const leaseRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const duration = numberOf(spec['leaseDurationSeconds']) ?? 1;
    const strategy = text(spec, 'strategy');
    return allErrors(
      duration <= 0
        ? [invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
        : noProblems,
      nonNegative(spec, 'spec', ['leaseTransitions']),
      strategyRules(strategy),
      spec['strategy'] === '' ? [notSupported(strategyField, '', [oldestEmulation])] : noProblems,
      text(spec, 'preferredHolder') !== '' && strategy === ''
        ? [forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined')]
        : noProblems,
    );
  },
};

export const leaseCandidateRules: KindRules = {
  validate: (object) => candidateRules(part(object, 'spec')),
  validateUpdate: (next, current) =>
    unchanged(
      'spec.leaseName',
      part(next, 'spec')['leaseName'],
      part(current, 'spec')['leaseName'],
    ),
};

function candidateRules(spec: JsonObject): Problems {
  const [binary, emulated] = [text(spec, 'binaryVersion'), text(spec, 'emulationVersion')];
  const strategy = text(spec, 'strategy');
  const check = (value: string): readonly string[] =>
    checkSemanticVersion(value).length === 0 ? [] : ['must be a valid semantic version'];
  const wrong = allErrors(
    form('spec.emulationVersion', emulated, check),
    form('spec.binaryVersion', binary, check),
  );
  const older = binary !== '' && emulated !== '' && isOlder(binary, emulated);
  const needed = "must be specified when `strategy` is 'OldestEmulationVersion'";
  return allErrors(
    wrong,
    wrong.length === 0 && older
      ? [
          invalid(
            'spec.binaryVersion',
            binary,
            'must be greater than or equal to `emulationVersion`',
          ),
        ]
      : noProblems,
    strategy === oldestEmulation && emulated === ''
      ? [required('spec.emulationVersion', needed)]
      : noProblems,
    strategyRules(strategy),
  );
}

/** By the numbers; both are valid. */
function isOlder(a: string, b: string): boolean {
  const numbers = (version: string): readonly number[] =>
    (version.split(/[-+]/)[0] ?? '').split('.').map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, i) => number !== right[i]);
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
}
