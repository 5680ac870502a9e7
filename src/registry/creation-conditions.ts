/**
 * What must hold in the transaction that creates an object: its namespace is there and is not being
 * deleted, and so is the definition of its kind, where users define that (spec 1, section 4.6). And
 * which refusal its client gets when that does not hold.
 *
 * Elsewhere: who tests them: the store, inside the transaction (storage.ts, Condition).
 *
 * Invariant: equal conditions of creations that follow each other are one array, so that the store
 * finds their keys by identity. Bound: the last namespace, and one entry for each definition.
 */
import {
  newCorruptObject,
  newDefinitionEnding,
  newGenericNotFound,
  newNamespaceNotFound,
  newNamespaceTerminating,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { CustomKind, KindInfo } from '../apimachinery/scheme.ts';
import type { Condition, StoreKey } from '../storage/storage.ts';
import { damagedState } from '../storage/damage.ts';
import { objectKey, storeKey } from '../storage/keys.ts';
import { objectStates } from '../../actors/actors.ts';
import type { ObjectOutcome } from '../../actors/actors.ts';
import { namespacesResource } from './namespace-first.ts';
import type { ResourceTarget } from './registry.ts';

/** What must hold in the transaction that creates an object of the kind in this namespace: both the
 * namespace and the definition of the kind, if it has one, are there and are not being deleted. */
export function creationConditions({ custom }: KindInfo, namespace: string): readonly Condition[] {
  const ofNamespace = namespace === '' ? noConditions : namespaceCondition(namespace);
  return custom === undefined ? ofNamespace : definitionConditions(custom.definition, ofNamespace);
}

const noConditions: readonly Condition[] = [];
let lastNamespace = '';
let lastCondition: readonly Condition[] = noConditions;

/** Objects that are created one after the other lie mostly in one namespace: they share it, and its
 * key is found by itself where it is looked up. */
function namespaceCondition(namespace: string): readonly Condition[] {
  if (namespace !== lastNamespace) {
    lastCondition = [{ key: keyOfNamespace(namespace), state: objectStates.live }];
    lastNamespace = namespace;
  }
  return lastCondition;
}

interface DefinitionConditions {
  readonly own: Condition;
  readonly ofNamespace: readonly Condition[];
  readonly both: readonly Condition[];
}

const byDefinition = new WeakMap<CustomKind['definition'], DefinitionConditions>();

/** Likewise, with the condition of a definition, whose key is one text for all of its objects. */
function definitionConditions(
  definition: CustomKind['definition'],
  ofNamespace: readonly Condition[],
): readonly Condition[] {
  const known = byDefinition.get(definition);
  if (known?.ofNamespace === ofNamespace) return known.both;
  const own = known?.own ?? { key: keyOfDefinition(definition), state: objectStates.live };
  const both = [...ofNamespace, own];
  byDefinition.set(definition, { own, ofNamespace, both });
  return both;
}

/** Whether a condition of a write may name this record. */
export function isConditionKey(key: StoreKey): boolean {
  return key.startsWith(keyOfNamespace('')) || key.includes('/customresourcedefinitions//');
}

function keyOfDefinition({ group, name, resource }: CustomKind['definition']): StoreKey {
  return storeKey(objectKey({ group, resource }, '', name));
}

/** Why an object was not created: a condition of creationConditions did not hold. */
export function conditionRefusal(
  { kind, namespace }: ResourceTarget,
  name: string,
  { condition, found }: Extract<ObjectOutcome, { readonly kind: 'condition-failed' }>,
): StatusError {
  const { custom } = kind;
  if (custom === undefined || condition.key !== keyOfDefinition(custom.definition)) {
    return namespaceRefusal(kind, name, namespace, found);
  }
  return found === undefined ? newGenericNotFound() : newDefinitionEnding(kind);
}

function keyOfNamespace(name: string): StoreKey {
  return storeKey(objectKey(namespacesResource, '', name));
}

/** The refusal for a namespace that was not live, or not readable, when the object was to be
 * written. */
function namespaceRefusal(
  resource: GroupResource,
  name: string,
  namespace: string,
  found: string | undefined,
): StatusError {
  if (found === undefined) return newNamespaceNotFound(namespace);
  if (found !== damagedState) return newNamespaceTerminating(resource, name, namespace);
  const key = keyOfNamespace(namespace);
  const why = 'its state cannot be read';
  return newCorruptObject(namespacesResource, namespace, { key, why });
}
