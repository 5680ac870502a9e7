/** Names of drivers, and the parameters that classes of storage hand to them. */
import { invalid, required, tooLong } from '../../apimachinery/field-error.ts';
import { textMap } from '../../apimachinery/members.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { form, noProblems, allErrors } from './checks.ts';
import type { Problems } from './checks.ts';
import { checkDriverName, driverNameBytesMax } from './names-in-domains.ts';

const parametersMax = 512;
const parametersBytesMax = 256 * 1024;

/** Of a name that is given: that it must be is said elsewhere. */
export function driverNameRules(field: string, name: string): Problems {
  return allErrors(
    Buffer.byteLength(name, 'utf8') > driverNameBytesMax
      ? [tooLong(field, driverNameBytesMax)]
      : noProblems,
    form(field, name, checkDriverName),
  );
}

/** Of who provides volumes: a name of any domain, in any case. */
export function provisionerRules(field: string, name: string): Problems {
  return form(field, name, (value) => checkQualifiedName(value.toLowerCase()));
}

export function parameterRules(object: JsonObject, mayBeEmpty: boolean): Problems {
  const field = 'parameters';
  const parameters = Object.entries(textMap(object, field));
  if (parameters.length === 0) {
    return mayBeEmpty ? noProblems : [required(field, 'must contain at least one key/value pair')];
  }
  if (parameters.length > parametersMax) return [tooLong(field, parametersMax)];
  let bytes = 0;
  for (const [name, value] of parameters) {
    bytes += Buffer.byteLength(name, 'utf8') + Buffer.byteLength(value, 'utf8');
  }
  return allErrors(
    parameters.some(([name]) => name === '')
      ? [invalid(field, '', 'field can not be empty.')]
      : noProblems,
    bytes > parametersBytesMax ? [tooLong(field, parametersBytesMax)] : noProblems,
  );
}
