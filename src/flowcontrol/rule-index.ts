/**
 * Finds the first flow schema that matches a request, out of thousands, in a few microseconds
 * (exact details of extensions, section 7).
 *
 *     unit       one resource rule, or rule of paths, of one rule of a schema; in matching order
 *     index      for every subject, verb, group, resource, namespace and path that rules name: the
 *                units that name it; and those that take every one
 *     request    what its subjects have, and its verb, and ... : the lowest unit left is the answer
 *
 * Answers are kept by what they depend on: the subjects of a caller that rules name (its class),
 * and of the request the verb, group, resource and namespace, each 0 if no rule names it. So
 * callers and namespaces of which no rule speaks share an answer.
 *
 * Invariants: an index never changes; the answer is that of going through the schemas one by one.
 * A miss looks at as many words as there are units, divided by 32, five times.
 * Bounds: `indexLimits`; who makes an index bounds the terms that go into it, so that the numbers
 * of four parts fit into one of 53 bits.
 */
import type { Attributes } from '../authorization/authorizer.ts';
import { accountUsers, accountUsersOf } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { segmentsIn } from './flow-objects.ts';
import type { SchemaRule, Subject } from './flow-objects.ts';
import { PathTree } from './path-tree.ts';
import { addTo, keepCommon, lowestIn, unitSet, wordsFor } from './unit-set.ts';
import type { UnitSet } from './unit-set.ts';

const indexLimits = {
  /** Callers whose class is remembered, classes, and answers of all classes. Policy: all of them
   * are forgotten. */
  callersMax: 4_096,
  classesMax: 1_024,
  answersMax: 16_384,
  /** Characters of a path with which an answer is kept, and of the name and groups of a caller who
   * is remembered. Policy: it is looked up anew. */
  pathMax: 256,
  nameMax: 256,
  groupsMax: 64,
} as const;

/** What a part of rules names. */
class Part {
  readonly #units = new Map<string, number[]>();
  readonly #named = new Map<string, { readonly id: number; readonly set: UnitSet }>();

  add(value: string, unit: number): void {
    const known = this.#units.get(value);
    if (known === undefined) this.#units.set(value, [unit]);
    else if (known[known.length - 1] !== unit) known.push(unit);
  }

  *sealing(words: number): Steps<void> {
    let count = 0;
    for (const [value, units] of this.#units) {
      this.#named.set(value, { id: this.#named.size + 1, set: unitSet(units, words) });
      count += units.length + words / 32;
      if (count > stepTerms) {
        count = 0;
        yield;
      }
    }
    this.#units.clear();
  }

  get size(): number {
    return this.#named.size + 1;
  }

  /** 0: no rule names it. */
  idOf(value: string): number {
    return this.#named.get(value)?.id ?? 0;
  }

  setOf(value: string): UnitSet | undefined {
    return this.#named.get(value)?.set;
  }
}

/** Terms that are put into the index between two steps. */
const stepTerms = 2_048;

const every = '*';
/** What stands for the cluster's scope among namespaces. */
const clusterScope = '';

/** All callers who have the same of the subjects that rules name. */
interface CallerClass {
  readonly resourceUnits: Uint32Array;
  readonly pathUnits: Uint32Array;
  readonly answers: Map<number, number>;
  readonly pathAnswers: Map<string, number>;
}

interface KnownCaller {
  readonly groups: readonly string[];
  readonly own: CallerClass;
}

/** Of resource rules or of rules of paths: whom they are for. */
class Subjects {
  readonly users = new Part();
  readonly groups = new Part();
  /** By what the names of all accounts of a namespace begin with. */
  readonly accounts = new Part();

  add({ kind, name, namespace }: Subject, unit: number): void {
    if (kind === 'Group') this.groups.add(name, unit);
    else if (kind === 'User') this.users.add(name, unit);
    else if (name === every) this.accounts.add(`${accountUsers}${namespace}:`, unit);
    else this.users.add(`${accountUsers}${namespace}:${name}`, unit);
  }

  *sealing(words: number): Steps<void> {
    yield* this.users.sealing(words);
    yield* this.groups.sealing(words);
    yield* this.accounts.sealing(words);
  }

  /** What rules name of the caller, as numbers. */
  idsOf({ groups, name }: UserInfo): readonly number[] {
    const accounts = accountUsersOf(name);
    return [
      this.users.idOf(name),
      accounts === undefined ? 0 : this.accounts.idOf(accounts),
      ...new Set(groups.map((group) => this.groups.idOf(group)).sort((a, b) => a - b)),
    ];
  }

  unitsOf({ groups, name }: UserInfo, words: number): Uint32Array {
    const units = new Uint32Array(words);
    addTo(units, this.users.setOf(every));
    addTo(units, this.groups.setOf(every));
    addTo(units, this.users.setOf(name));
    const accounts = accountUsersOf(name);
    if (accounts !== undefined) addTo(units, this.accounts.setOf(accounts));
    for (const group of new Set(groups)) addTo(units, this.groups.setOf(group));
    return units;
  }
}

export class RuleIndex {
  readonly #resourceSubjects = new Subjects();
  readonly #pathSubjects = new Subjects();
  readonly #verbs = new Part();
  readonly #apiGroups = new Part();
  readonly #resources = new Part();
  readonly #namespaces = new Part();
  readonly #pathVerbs = new Part();
  readonly #paths = new PathTree();
  readonly #everyPath = new Part();
  /** Which schema a unit is of. */
  readonly #resourceOwners: number[] = [];
  readonly #pathOwners: number[] = [];
  #resourceWords = 0;
  #pathWords = 0;
  #left = new Uint32Array(0);
  #named = new Uint32Array(0);
  readonly #callers = new Map<string, KnownCaller>();
  readonly #classes = new Map<string, CallerClass>();
  #answersCount = 0;

  /** The position of the first schema that matches; -1: none does. */
  find(attributes: Attributes): number {
    const own = this.#classOf(attributes.user);
    return attributes.isResourceRequest
      ? this.#ofResource(attributes, own)
      : this.#ofPath(attributes, own);
  }

  /** Those of schema `owner`, which comes behind all before. */
  *adding(rules: readonly SchemaRule[], owner: number): Steps<void> {
    let count = 0;
    for (const rule of rules) {
      for (const terms of rule.resources) {
        const unit = this.#resourceOwners.push(owner) - 1;
        for (const subject of rule.subjects) this.#resourceSubjects.add(subject, unit);
        for (const verb of terms.verbs) this.#verbs.add(verb, unit);
        for (const group of terms.apiGroups) this.#apiGroups.add(group, unit);
        for (const resource of terms.resources) this.#resources.add(resource, unit);
        for (const namespace of terms.namespaces) this.#namespaces.add(namespace, unit);
        if (terms.clusterScope) this.#namespaces.add(clusterScope, unit);
        count += rule.subjects.length + terms.namespaces.length + terms.resources.length;
        if (count > stepTerms) yield;
        if (count > stepTerms) count = 0;
      }
      for (const terms of rule.paths) {
        const unit = this.#pathOwners.push(owner) - 1;
        for (const subject of rule.subjects) this.#pathSubjects.add(subject, unit);
        for (const verb of terms.verbs) this.#pathVerbs.add(verb, unit);
        count += rule.subjects.length;
        for (const path of terms.paths) {
          this.#addPath(path, unit);
          count += segmentsIn(path);
          if (count > stepTerms) yield;
          if (count > stepTerms) count = 0;
        }
      }
    }
  }

  /** After the last of them; before the first look. */
  *sealing(): Steps<void> {
    this.#resourceWords = wordsFor(this.#resourceOwners.length);
    this.#pathWords = wordsFor(this.#pathOwners.length);
    const words = this.#resourceWords;
    yield* this.#resourceSubjects.sealing(words);
    for (const part of [this.#verbs, this.#apiGroups, this.#resources, this.#namespaces]) {
      yield* part.sealing(words);
    }
    yield* this.#pathSubjects.sealing(this.#pathWords);
    yield* this.#pathVerbs.sealing(this.#pathWords);
    yield* this.#everyPath.sealing(this.#pathWords);
    yield* this.#paths.sealing((units) => unitSet(units, this.#pathWords));
    const most = Math.max(words, this.#pathWords);
    this.#left = new Uint32Array(most);
    this.#named = new Uint32Array(most);
  }

  #addPath(path: string, unit: number): void {
    if (path === every) this.#everyPath.add(every, unit);
    else this.#paths.add(path, unit);
  }

  #ofResource(attributes: Attributes, own: CallerClass): number {
    const { apiGroup, namespace, subresource, verb } = attributes;
    const { resource: plain } = attributes;
    const resource = subresource === '' ? plain : `${plain}/${subresource}`;
    const ids = this.#verbs.idOf(verb) * this.#apiGroups.size + this.#apiGroups.idOf(apiGroup);
    const withResource = ids * this.#resources.size + this.#resources.idOf(resource);
    // The scope of the cluster differs from a namespace of which no rule speaks.
    const where = namespace === clusterScope ? 0 : this.#namespaces.idOf(namespace) + 1;
    const key = withResource * (this.#namespaces.size + 1) + where;
    const known = own.answers.get(key);
    if (known !== undefined) return known;
    const left = this.#left.subarray(0, this.#resourceWords);
    left.set(own.resourceUnits);
    this.#keepNamed(left, this.#verbs, verb);
    this.#keepNamed(left, this.#apiGroups, apiGroup);
    this.#keepNamed(left, this.#resources, resource);
    this.#keepNamed(left, this.#namespaces, namespace, namespace === clusterScope);
    const found = this.#resourceOwners[lowestIn(left)] ?? -1;
    this.#countAnswer();
    own.answers.set(key, found);
    return found;
  }

  #ofPath({ path, verb }: Attributes, own: CallerClass): number {
    const key = path.length > indexLimits.pathMax ? undefined : `${verb} ${path}`;
    const known = key === undefined ? undefined : own.pathAnswers.get(key);
    if (known !== undefined) return known;
    const left = this.#left.subarray(0, this.#pathWords);
    left.set(own.pathUnits);
    this.#keepNamed(left, this.#pathVerbs, verb);
    const named = this.#named.subarray(0, left.length).fill(0);
    addTo(named, this.#everyPath.setOf(every));
    this.#paths.addMatches(path, named);
    keepCommon(left, named);
    const found = this.#pathOwners[lowestIn(left)] ?? -1;
    if (key === undefined) return found;
    this.#countAnswer();
    own.pathAnswers.set(key, found);
    return found;
  }

  #keepNamed(left: Uint32Array, part: Part, value: string, alone = false): void {
    const named = this.#named.subarray(0, left.length).fill(0);
    addTo(named, part.setOf(value));
    if (!alone) addTo(named, part.setOf(every));
    keepCommon(left, named);
  }

  #countAnswer(): void {
    this.#answersCount += 1;
    if (this.#answersCount <= indexLimits.answersMax) return;
    this.#answersCount = 1;
    for (const { answers, pathAnswers } of this.#classes.values()) {
      answers.clear();
      pathAnswers.clear();
    }
  }

  #classOf(user: UserInfo): CallerClass {
    const known = this.#callers.get(user.name);
    if (known !== undefined && areSame(known.groups, user.groups)) return known.own;
    const resourceIds = this.#resourceSubjects.idsOf(user).join();
    const key = `${resourceIds} ${this.#pathSubjects.idsOf(user).join()}`;
    let own = this.#classes.get(key);
    if (own === undefined) {
      if (this.#classes.size >= indexLimits.classesMax) this.#forgetCallers();
      own = {
        resourceUnits: this.#resourceSubjects.unitsOf(user, this.#resourceWords),
        pathUnits: this.#pathSubjects.unitsOf(user, this.#pathWords),
        answers: new Map(),
        pathAnswers: new Map(),
      };
      this.#classes.set(key, own);
    }
    const { callersMax, groupsMax, nameMax } = indexLimits;
    if (user.name.length > nameMax || user.groups.length > groupsMax) return own;
    if (this.#callers.size >= callersMax) this.#callers.clear();
    this.#callers.set(user.name, { groups: user.groups, own });
    return own;
  }

  #forgetCallers(): void {
    this.#classes.clear();
    this.#callers.clear();
    this.#answersCount = 0;
  }
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}
