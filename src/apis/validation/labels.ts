/** Rules of label selectors, and of the metadata of templates. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, textMap, texts } from '../../apimachinery/members.ts';
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { validateAnnotations, validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { ExemptFields } from '../kind-definition.ts';
import { allErrors, each, formEach, givenForm } from './checks.ts';
import type { Problems } from './checks.ts';

const operators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

export function labelSelectorRules(selector: JsonObject, path: string): Problems {
  return allErrors(
    validateLabels(`${path}.matchLabels`, textMap(selector, 'matchLabels')),
    each(objects(selector, 'matchExpressions'), (requirement, at) =>
      requirementRules(requirement, `${path}.matchExpressions[${at}]`),
    ),
  );
}

/** What a requirement lacks or names wrongly is an invalid value, as these rules say themselves. */
export const selectorExemptions: ExemptFields = {
  optional: 'meta.LabelSelectorRequirement.key meta.LabelSelectorRequirement.operator',
  openValues: 'meta.LabelSelectorRequirement.operator',
};

function requirementRules(requirement: JsonObject, path: string): Problems {
  const values = texts(requirement, 'values');
  const [key, operator] = [text(requirement, 'key'), text(requirement, 'operator')];
  return [
    ...countRules(operator, values.length, path),
    ...givenForm(`${path}.key`, key, checkQualifiedName),
    ...formEach(`${path}.values`, values, checkLabelValue),
  ];
}

/** Some operators need values, some have none. */
function countRules(operator: string, count: number, path: string): Problems {
  const field = `${path}.values`;
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [forbidden(field, detail)];
  }
  if (operators.has(operator)) return [];
  return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
}

/** A selector that selects everything: present, but with nothing in it. */
export function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(part(selector, 'matchLabels')).length === 0 &&
    objects(selector, 'matchExpressions').length === 0
  );
}

export function selects(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const all = Object.entries(textMap(selector, 'matchLabels'));
  return (
    all.every(([key, value]) => ownMember(labels, key) === value) &&
    objects(selector, 'matchExpressions').every((requirement) => meets(requirement, labels))
  );
}

function meets(requirement: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const found = ownMember(labels, text(requirement, 'key'));
  const values = texts(requirement, 'values');
  switch (text(requirement, 'operator')) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    default:
      // The operator itself is the mistake, and has been reported.
      return true;
  }
}

export function templateMetadataRules(metadata: JsonObject, path: string): Problems {
  return allErrors(
    validateAnnotations(`${path}.annotations`, textMap(metadata, 'annotations')),
    validateLabels(`${path}.labels`, textMap(metadata, 'labels')),
  );
}
