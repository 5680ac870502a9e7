/** Single paths and sets of fields: what tests build sets from, and look up in them. */
import {
  emptySet,
  isMember,
  nodeAt,
} from '../../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import type { FieldSet } from '../../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = nodeAt(node, element);
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

export function setOfPath(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), emptySet);
}
