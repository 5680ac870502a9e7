/** Rules of node selectors, which select nodes by their labels and fields. */
import { forbidden, invalid, required } from '../../../apimachinery/field-error.ts';
import { items, objects, text, texts } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../../apimachinery/validation/names.ts';
import type { Problems } from '../../validation/checks.ts';
import { allErrors, each, formEach, noProblems, givenForm } from '../../validation/checks.ts';

const operatorMessage = 'not a valid selector operator';

/** A term that is empty matches nothing, and is allowed. `strict`: see below. */
export function nodeSelectorRules(selector: JsonObject, path: string, strict = true): Problems {
  const terms = objects(selector, 'nodeSelectorTerms');
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return each(terms, (term, at) => nodeSelectorTermRules(term, `${field}[${at}]`, strict));
}

/** `strict`: values must be such as labels can have. What is only preferred may be anything. */
export function nodeSelectorTermRules(term: JsonObject, path: string, strict: boolean): Problems {
  return allErrors(
    each(objects(term, 'matchExpressions'), (requirement, at) =>
      labelRequirementRules(requirement, `${path}.matchExpressions[${at}]`, strict),
    ),
    each(objects(term, 'matchFields'), (requirement, at) =>
      fieldRequirementRules(requirement, `${path}.matchFields[${at}]`),
    ),
  );
}

function labelRequirementRules(requirement: JsonObject, path: string, strict: boolean): Problems {
  return allErrors(
    valuesRules(requirement, path),
    givenForm(`${path}.key`, text(requirement, 'key'), checkQualifiedName),
    strict ? formEach(`${path}.values`, texts(requirement, 'values'), checkLabelValue) : noProblems,
  );
}

function valuesRules(requirement: JsonObject, path: string): Problems {
  const operator = text(requirement, 'operator');
  const count = items(requirement, 'values').length;
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      return count === 0 ? [required(field, detail)] : [];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count > 0 ? [forbidden(field, detail)] : [];
    }
    case 'Gt':
    case 'Lt': {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      return count === 1 ? [] : [required(field, detail)];
    }
    default:
      return [invalid(`${path}.operator`, operator, operatorMessage)];
  }
}

function fieldRequirementRules(requirement: JsonObject, path: string): Problems {
  const operator = text(requirement, 'operator');
  const values = texts(requirement, 'values');
  const key = text(requirement, 'key');
  const known = operator === 'In' || operator === 'NotIn';
  const single =
    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(known ? [] : [invalid(`${path}.operator`, operator, operatorMessage)]),
    ...(known && values.length !== 1 ? [required(`${path}.values`, single)] : []),
    ...(key === 'metadata.name'
      ? values.flatMap((value, at) =>
          givenForm(`${path}.values[${at}]`, value, checkDns1123Subdomain),
        )
      : [invalid(`${path}.key`, key, 'not a valid field selector key')]),
  ];
}
