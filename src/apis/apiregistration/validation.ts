/**
 * Rules of APIServices: the name says group and version, priorities are in their range, and only
 * what another server answers has a way to reach it.
 *
 * Group and version cannot change because the name cannot.
 */
import { invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { allErrors, each, form, needed, noProblems, portNumber } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';

const groupPriorityMax = 20_000;

const versionPriorityMax = 1000;

const conditionStatuses = ['True', 'False', 'Unknown'];

export const apiServiceRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return allErrors(
      ownNameRules(object, spec),
      groupRules(spec),
      versionRules(text(spec, 'version')),
      priorityRules(spec, 'groupPriorityMinimum', groupPriorityMax),
      priorityRules(spec, 'versionPriority', versionPriorityMax),
      spec['service'] === undefined ? localRules(spec) : serviceRules(spec),
    );
  },
  validateStatusUpdate: (next) =>
    each(objects(part(next, 'status'), 'conditions'), ({ status = '' }, at) =>
      conditionStatuses.includes(String(status))
        ? noProblems
        : [notSupported(`status.conditions[${at}].status`, status, conditionStatuses)],
    ),
};

function ownNameRules({ metadata }: ApiObject, spec: JsonObject): Problems {
  const { name = '' } = metadata;
  const wanted = `${text(spec, 'version')}.${text(spec, 'group')}`;
  if (name === '' || name === wanted) return noProblems;
  const why = `must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`;
  return [invalid('metadata.name', name, why)];
}

/** The core group alone has no name, and one version. */
function groupRules(spec: JsonObject): Problems {
  const group = text(spec, 'group');
  if (group !== '') return form('spec.group', group, checkDns1123Subdomain);
  if (text(spec, 'version') === 'v1') return noProblems;
  return [required('spec.group', 'only v1 may have an empty group')];
}

function versionRules(version: string): Problems {
  return checkDns1035Label(version).map((problem) => invalid('spec.version', version, problem));
}

function priorityRules(spec: JsonObject, name: string, max: number): Problems {
  const priority = spec[name];
  if (typeof priority === 'number' && priority > 0 && priority <= max) return noProblems;
  return [invalid(`spec.${name}`, priority ?? 0, `must be positive and at most ${max}`)];
}

function localRules(spec: JsonObject): Problems {
  const bundle = bundleBytes(spec);
  const why = (name: string): string => `local APIServices may not have ${name}`;
  return allErrors(
    bundle > 0 ? [invalid('spec.caBundle', `${bundle} bytes`, why('a caBundle'))] : noProblems,
    spec['insecureSkipTLSVerify'] === true
      ? [invalid('spec.insecureSkipTLSVerify', true, why('insecureSkipTLSVerify'))]
      : noProblems,
  );
}

function serviceRules(spec: JsonObject): Problems {
  const service = part(spec, 'service');
  const unsafe = spec['insecureSkipTLSVerify'] === true && bundleBytes(spec) > 0;
  const why = 'may not be true if caBundle is present';
  return allErrors(
    needed(service, 'spec.service', 'namespace'),
    needed(service, 'spec.service', 'name'),
    service['port'] === undefined ? noProblems : portNumber('spec.service.port', service['port']),
    unsafe ? [invalid('spec.insecureSkipTLSVerify', true, why)] : noProblems,
  );
}

function bundleBytes(spec: JsonObject): number {
  return Buffer.byteLength(text(spec, 'caBundle'), 'base64');
}
