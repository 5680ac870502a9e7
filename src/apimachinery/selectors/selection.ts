/**
 * A label selector and a field selector together: what a list, a watch or a deletecollection asks
 * for (spec 1, section 4.2).
 *
 * Invariants: equal ids mean equal selections; the id of "everything" is ''. Matching reads only
 * what is stored beside the object, never its bytes.
 */
import { ownMember } from '../../stdx/lookup.ts';
import type { FieldSelector } from './field-selector.ts';
import type { LabelSelector } from './label-selector.ts';

/** What a selection looks at. */
export interface Selectable {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Selectable fields beside metadata.name and metadata.namespace, by fieldKey. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface Selection {
  readonly id: string;
  readonly isEmpty: boolean;
  /** Fields that are pinned to one value. */
  readonly pins: ReadonlyMap<string, string>;
  /** Labels that have to be there with one value. */
  readonly labelPins: ReadonlyMap<string, string>;
  matches(item: Selectable): boolean;
}

export function newSelection(labels: LabelSelector, fields: FieldSelector): Selection {
  const isEmpty = labels.isEmpty && fields.isEmpty;
  return {
    // The parts cannot run into each other: JSON marks where each one ends.
    id: isEmpty ? '' : JSON.stringify([labels.text, fields.text, labels.requirements.length]),
    isEmpty,
    pins: fields.pins,
    labelPins: labels.pins,
    matches: isEmpty ? () => true : matcherOf(labels, fields),
  };
}

function matcherOf(labels: LabelSelector, fields: FieldSelector): (item: Selectable) => boolean {
  const matchesLabels = (item: Selectable): boolean => labels.matches(item.labels);
  if (fields.isEmpty) return matchesLabels;
  const matchesFields = (item: Selectable): boolean =>
    fields.matches((field) => selectableValue(item, field));
  if (labels.isEmpty) return matchesFields;
  return (item) => matchesFields(item) && matchesLabels(item);
}

function selectableValue(item: Selectable, field: string): string {
  if (field === 'metadata.name') return item.name;
  if (field === 'metadata.namespace') return item.namespace;
  return ownMember(item.fields, fieldKey(field)) ?? '';
}

/**
 * What a selectable field is called in `fields`. Only `__proto__`, which a custom type may have as
 * a property, has another name there: the libraries that read records and frames refuse that key.
 * No path has an empty part, so no field is called like this.
 */
export function fieldKey(label: string): string {
  return label === '__proto__' ? '.__proto__' : label;
}
