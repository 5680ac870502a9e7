/** The form of a validation rule: what stands where, and in one line. */
import { invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { rulePath } from '../schema/rule-path.ts';
import { asSchema } from '../schema/structural-schema.ts';

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];
const lineBreaks = /[\r\n]/;

/** `schema`: of the node that the rule stands at. */
export function ruleFormErrors(
  rule: JsonObject,
  field: string,
  schema: JsonObject,
): readonly FieldError[] {
  return [
    ...messageErrors(rule, field),
    ...expressionErrors(rule, field),
    ...fieldPathErrors(rule, field, schema),
  ];
}

function messageErrors(rule: JsonObject, field: string): readonly FieldError[] {
  const message = text(rule, 'message');
  const source = text(rule, 'rule').trim();
  const wrong = (detail: string): readonly FieldError[] => [
    invalid(`${field}.message`, message, detail),
  ];
  if (source === '') return [required(`${field}.rule`, 'rule is not specified')];
  if (message !== '' && message.trim() === '') return wrong('must be non-empty if specified');
  if (lineBreaks.test(message.trim())) return wrong('must not contain line breaks');
  if (!lineBreaks.test(source) || message.trim() !== '') return [];
  const detail = 'message must be specified if rule contains line breaks';
  return [required(`${field}.message`, detail)];
}

function expressionErrors(rule: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const messageExpression = text(rule, 'messageExpression');
  const reason = text(rule, 'reason');
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(required(`${field}.messageExpression`, detail));
  }
  if (rule['reason'] !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${field}.reason`, reason, reasons));
  }
  return errors;
}

function fieldPathErrors(
  rule: JsonObject,
  field: string,
  schema: JsonObject,
): readonly FieldError[] {
  const fieldPath = text(rule, 'fieldPath');
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  const wrong = (detail: string): number =>
    errors.push(invalid(`${field}.fieldPath`, fieldPath, detail));
  if (fieldPath.trim() === '') wrong('must be non-empty if specified');
  if (lineBreaks.test(fieldPath)) wrong('must not contain line breaks');
  if (rulePath(fieldPath, asSchema(schema)).kind === 'invalid') wrong('must be a valid path');
  return errors;
}
