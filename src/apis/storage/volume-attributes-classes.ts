/** VolumeAttributesClasses: what of a volume can be changed while it is used. */
import { forbidden } from '../../apimachinery/field-error.ts';
import { text } from '../../apimachinery/members.ts';
import type { TablePrinter } from '../../apimachinery/projection/printer.ts';
import { nameWithDefault } from './default-class.ts';
import type { FillName } from '../tables/columns.ts';
import { ageColumn, column, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import { allErrors, each, noProblems } from '../validation/checks.ts';
import { parameterRules, provisionerRules } from '../validation/driver-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { KindDefinition } from '../kind-definition.ts';

const defaultAttributesAnnotation = 'volumeattributesclass.alpha.{labelDomain}/is-default-class';

const volumeAttributesClassTable = (fill: FillName): TablePrinter =>
  table([
    nameWithDefault([defaultAttributesAnnotation], fill),
    column('DriverName', 'Driver that knows the attributes.', (object) =>
      printedAt(object, 'driverName'),
    ),
    ageColumn,
  ]);

const volumeAttributesClassRules: KindRules = {
  validate: (object) =>
    allErrors(
      provisionerRules('driverName', text(object, 'driverName')),
      parameterRules(object, false),
    ),
  validateUpdate: (next, current) =>
    each(['driverName', 'parameters'], (name) =>
      deepEqual(next[name], current[name])
        ? noProblems
        : [forbidden(name, `updates to ${name} are forbidden.`)],
    ),
};

export const volumeAttributesClasses: KindDefinition = {
  resource: 'storage.{domain}/volumeattributesclasses',
  returnsDeletedObject: true,
  validation: volumeAttributesClassRules,
  table: ({ fill }) => volumeAttributesClassTable(fill),
  versions: { v1alpha1: { replacement: 'v1' }, v1beta1: { replacement: 'v1' } },
};
