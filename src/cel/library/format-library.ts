/**
 * Named formats (release 1.31): `format.dns1123Label().validate(text)` gives what is wrong with a
 * text, or none; `format.named(name)` finds a format by its name.
 */
import { scaleRange } from '../cost.ts';
import type { OverloadCost } from '../cost.ts';
import type { FunctionDeclaration, Library } from '../declaration.ts';
import { noSuchOverload } from '../evaluation-error.ts';
import { listType, opaqueType, optionalType, stringType } from '../type.ts';
import { none, OpaqueValue, OptionalValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import { namedFormats } from './named-formats.ts';
import type { NamedFormat } from './named-formats.ts';
import { operandSize, patternFactor, sizeOfArgument, walkFactor } from './prices.ts';

export const formatType = opaqueType('kubernetes.NamedFormat');

/** What estimates take every pattern to be as long as. */
const patternLengthMax = 128;

class FormatValue extends OpaqueValue {
  readonly format: NamedFormat;
  constructor(format: NamedFormat) {
    super();
    this.format = format;
  }
  override get type(): typeof formatType {
    return formatType;
  }
  override equalTo(other: Value): boolean {
    return other instanceof FormatValue && other.format.name === this.format.name;
  }
}

function formatOf(value: Value | undefined): NamedFormat {
  if (value instanceof FormatValue) return value.format;
  throw noSuchOverload();
}

const values = new Map([...namedFormats].map(([name, format]) => [name, new FormatValue(format)]));

const validateCost: OverloadCost = {
  before: (args) => {
    const text = Math.ceil((1 + sizeOfArgument(args, 1)) * walkFactor);
    return text * Math.ceil(formatOf(args[0]).patternLength * patternFactor);
  },
  estimate: (context, target, args) => {
    const text = scaleRange(operandSize(context, target, args, 1), walkFactor);
    return { cost: scaleRange(text, patternLengthMax * patternFactor) };
  },
};

function validate(format: Value, text: Value): Value {
  const problems = formatOf(format).problems(text as string);
  return problems.length === 0 ? none : new OptionalValue(problems);
}

function findFormat(name: Value): Value {
  const value = values.get(name as string);
  return value === undefined ? none : new OptionalValue(value);
}

const constants: readonly FunctionDeclaration[] = [...values].map(([name, value]) => ({
  name: `format.${name}`,
  overloads: [overload(`format.${name}`, [], formatType, () => value)],
}));

export const formatLibrary: Library = {
  name: 'kubernetes.format',
  types: [formatType],
  functions: [
    ...constants,
    ...functions({
      'format.named': [
        overload('format-named', [stringType], optionalType(formatType), findFormat),
      ],
      validate: [
        method(
          'format-validate',
          [formatType, stringType],
          optionalType(listType(stringType)),
          validate,
          validateCost,
        ),
      ],
    }),
  ],
};
