/** Rules of nodes: taints, and what a node keeps once it has it. */
import { duplicate, forbidden, invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { checkCidr, each, form, formEach, noProblems, together, uniqueTexts } from './checks.ts';
import type { Problems } from './checks.ts';
import type { KindRules } from './kind-rules.ts';

const ranges = 'spec.podCIDRs';

export const nodeRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const given = texts(spec, 'podCIDRs');
    return together(
      // They stand here in the reference.
      taintsRules(objects(spec, 'taints'), 'metadata.taints'),
      given.length === 0 ? noProblems : rangesRules(given),
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const once = (name: string, what: string): Problems =>
      before[name] === undefined || before[name] === '' || deepEqual(spec[name], before[name])
        ? noProblems
        : [
            forbidden(
              `spec.${name}`,
              `node updates may not change ${what} except from "" to valid`,
            ),
          ];
    return together(once('podCIDRs', 'podCIDR'), once('providerID', 'providerID'));
  },
};

function rangesRules(given: readonly string[]): Problems {
  const families = new Set(given.map((range) => range.includes(':')));
  return together(
    formEach(ranges, given, checkCidr),
    families.size < given.length
      ? [invalid(ranges, given, 'may specify no more than one CIDR for each IP family')]
      : noProblems,
    uniqueTexts(ranges, given),
  );
}

function taintsRules(taints: readonly JsonObject[], field: string): Problems {
  const seen = new Set<string>();
  return each(taints, (taint, at) => {
    const path = `${field}[${at}]`;
    const id = `${text(taint, 'key')}:${text(taint, 'effect')}`;
    const repeated = seen.has(id);
    seen.add(id);
    const detail = 'taints must be unique by key and effect pair';
    return together(
      form(`${path}.key`, text(taint, 'key'), checkQualifiedName),
      form(`${path}.value`, text(taint, 'value'), checkLabelValue),
      repeated ? [{ ...duplicate(path, taint), detail }] : noProblems,
    );
  });
}
