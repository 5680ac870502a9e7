/** One scope, and the changes that wait for scopes, without the rest of the streams around them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Subscription } from 'rxjs';
import type { Revision } from '../../src/storage/storage.ts';
import type { StagedWrite } from '../../src/storage/write-stages.ts';
import type { Delivery } from '../../streams/delivery.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import { Outstanding } from '../../streams/outstanding.ts';
import type { ResourceChange } from '../../streams/resource-change.ts';
import { Scope } from '../../streams/scope.ts';
import type { OutstandingChange } from '../../streams/scope.ts';
import { everything, fieldIs, labelIs } from './harness.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

type Fields = Readonly<Record<string, string>>;

const size = 10;

function change(seq: number, name = 'p', fields: Fields = {}, before?: Fields): ResourceChange {
  const of = (theirs: Fields) => ({ name, fields: theirs, labels: {}, bytes: Buffer.alloc(size) });
  const previous = before === undefined ? undefined : of(before);
  const revision = BigInt(seq * 10) as Revision;
  return { seq, revision, type: 'MODIFIED', entry: of(fields), previous } as never;
}

function labelled(seq: number, labels: Fields, before?: Fields): ResourceChange {
  const of = (theirs: Fields) => ({ name: 'p', fields: {}, labels: theirs });
  const previous = before === undefined ? undefined : of(before);
  return { seq, revision: BigInt(seq), type: 'MODIFIED', entry: of(labels), previous } as never;
}

/** A group of a scope, which writes down what it is handed. */
function join(
  scope: Scope,
  predicate = everything,
  onEach: () => void = () => undefined,
): Subscription & { readonly seen: string[] } {
  const seen: string[] = [];
  const subscription = scope.changes({ namespace: undefined, predicate }).subscribe((item) => {
    seen.push(item.type === 'GAP' ? `gap ${item.seq}` : `${item.seq}`);
    onEach();
  });
  return Object.assign(subscription, { seen });
}

const outstandingOf = (of: ResourceChange): OutstandingChange =>
  ({ change: of, scopesLeft: 1, groupsCount: 0 }) as unknown as OutstandingChange;

function wait(scope: Scope, of: ResourceChange): OutstandingChange {
  const outstanding = outstandingOf(of);
  const walk = scope.walk(of);
  assert.ok(walk !== undefined);
  scope.backlog.push({ outstanding, seq: of.seq, revision: of.revision, walk });
  return outstanding;
}

const never = (): boolean => false;

describe('a scope', () => {
  it('says when the last of its groups has left, and not before', () => {
    let unused = 0;
    const scope = new Scope(() => (unused += 1));
    const groups = [join(scope), join(scope, fieldIs('spec.nodeName', 'n'))];
    assert.equal(scope.groupsCount, 2);
    groups[0]?.unsubscribe();
    assert.deepEqual([unused, scope.isUsed, scope.groupsCount], [0, true, 1]);
    groups[1]?.unsubscribe();
    assert.deepEqual([unused, scope.isUsed, scope.groupsCount], [1, false, 0]);
    assert.equal(scope.walk(change(1)), undefined);
  });

  it('hands a change to whom it can matter, each once', () => {
    const scope = new Scope();
    const on = (node: string) => join(scope, fieldIs('spec.nodeName', node));
    const [all, named, other] = [
      join(scope),
      join(scope, fieldIs('metadata.name', 'p')),
      join(scope, fieldIs('metadata.name', 'q')),
    ];
    const [a, b, none, c] = [on('a'), on('b'), on(''), on('c')];
    const namespaced = join(scope, fieldIs('metadata.namespace', 'ns'));
    scope.walk(change(1, 'p', { 'spec.nodeName': 'a' }, { 'spec.nodeName': 'b' }))?.run(never);
    scope.walk(change(2, 'q', { 'spec.nodeName': 'a' }, { 'spec.nodeName': 'a' }))?.run(never);
    scope.walk(change(3, 'r'))?.run(never);
    const seen = [all, named, other, a, b, none, c, namespaced].map((group) => group.seen.join());
    assert.deepEqual(seen, ['1,2,3', '1', '2', '1,2', '1', '3', '', '1,2,3']);
  });

  it('hands a change to whom its labels can matter, now or before, each once', () => {
    const scope = new Scope();
    const on = (label: string, value: string) => join(scope, labelIs(label, value));
    const groups = [on('app', 'a'), on('app', 'b'), on('app', ''), on('tier', 'a')];
    groups.push(on('constructor', 'a'), on('__proto__', 'a'), join(scope));
    const own = JSON.parse('{"__proto__":"a","constructor":"a"}') as Fields;
    const changes = [
      labelled(1, { app: 'a', tier: 'a' }, { app: 'a' }),
      labelled(2, { app: 'b' }, { app: 'a', tier: 'a' }),
      labelled(3, {}, { app: 'b' }),
      labelled(4, { app: '' }),
      labelled(5, own, {}),
    ];
    for (const each of changes) scope.walk(each)?.run(never);
    const seen = groups.map((group) => group.seen.join());
    assert.deepEqual(seen, ['1,2', '2,3', '4', '1,2', '5', '5', '1,2,3,4,5']);
  });

  it('hands a change to few, where each of many pins a value beside one that all pin', () => {
    const pins = (values: Fields) => new Map(Object.entries(values));
    const scope = new Scope();
    for (let at = 0; at < 1_000; at += 1) {
      const own = { instance: `i${at}` };
      const labels = pins(at % 2 === 0 ? { app: 'web', ...own } : { app: 'web', tier: 'front' });
      const fields = pins(at % 2 === 0 ? {} : { 'spec.nodeName': `n${at}` });
      join(scope, { ...everything, pins: fields, labelPins: labels });
    }
    const groupsOf = (of: ResourceChange) => scope.walk(of)?.groupsCount ?? 0;
    const all = { app: 'web', tier: 'front' };
    assert.ok(groupsOf(labelled(1, all)) <= 2, 'the first ones lie on what all pin');
    assert.ok(groupsOf(labelled(2, { ...all, instance: 'i8' })) <= 3);
    assert.ok(groupsOf(change(3, 'p', { 'spec.nodeName': 'n9' })) === 1);
    const name = { 'metadata.name': 'q', 'spec.nodeName': 'new' };
    join(scope, { ...everything, pins: pins(name), labelPins: pins({ app: 'new' }) });
    assert.equal(groupsOf(change(4, 'q', { 'spec.nodeName': 'none' })), 1, 'the name comes first');
  });

  it('hands it to those that pin something first', () => {
    const scope = new Scope();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    join(scope, everything, note('all'));
    join(scope, labelIs('app', 'a'), note('label'));
    join(scope, fieldIs('spec.nodeName', ''), note('field'));
    join(scope, fieldIs('metadata.name', 'p'), note('name'));
    scope.walk(labelled(1, { app: 'a' }))?.run(never);
    assert.deepEqual(order, ['name', 'field', 'label', 'all']);
  });

  it('looks at the labels of the object, however many are pinned, and keeps none that is not', () => {
    const prepare = (count: number) => {
      const scope = new Scope();
      const groups = Array.from({ length: count }, (_, at) => join(scope, labelIs(`l${at}`, 'a')));
      return () => {
        for (let seq = 0; seq < count; seq += 1)
          scope.walk(labelled(seq, { l1: 'a' }, { l2: 'a' }));
        for (const group of groups) group.unsubscribe();
        assert.equal(scope.routesCount, 0);
      };
    };
    assertLinear({ name: 'labels of their own', prepare }, 2_000);
  });

  it('has no walk for what matters to nobody, and looks at no field that nobody pins any more', () => {
    const scope = new Scope();
    join(scope, fieldIs('metadata.name', 'q'));
    const pinned = join(scope, fieldIs('spec.nodeName', 'a'));
    const looked: string[] = [];
    const fields = new Proxy<Fields>(
      {},
      { getOwnPropertyDescriptor: (_, field) => void looked.push(String(field)) },
    );
    assert.equal(scope.walk(change(1, 'p', fields)), undefined);
    assert.deepEqual(looked, ['spec.nodeName']);
    pinned.unsubscribe();
    assert.equal(scope.walk(change(1, 'p', fields)), undefined);
    assert.deepEqual(looked, ['spec.nodeName']);
    assert.equal(scope.routesCount, 1);
  });

  it('has routed what is before its backlog', () => {
    const scope = new Scope();
    join(scope);
    assert.deepEqual([scope.routed(90n as Revision), scope.routedSeq(9)], [90n, 9]);
    wait(scope, change(4));
    wait(scope, change(5));
    assert.deepEqual([scope.routed(90n as Revision), scope.routedSeq(9)], [39n, 3]);
  });

  it('leaves its backlog out, and tells each group once up to where, also again', () => {
    const scope = new Scope();
    const groups = [join(scope), join(scope, fieldIs('metadata.name', 'p'))];
    assert.throws(() => (wait(scope, change(3)), scope.leaveOut()), /several/);
    const first = scope.backlog.shift().outstanding;
    const changes = [change(4), change(5, 'q'), change(6)].map((of) => wait(scope, of));
    const later = join(scope);
    const left = () => scope.leaveOut().map((handout) => handout.outstanding);
    assert.deepEqual(left(), changes);
    assert.equal(first?.change.seq, 3);
    assert.equal(scope.backlog.length, 1);
    const more = wait(scope, change(7));
    assert.deepEqual(left(), [more], 'the gap is no change');
    const { outstanding, revision, seq, walk } = scope.backlog.at(0);
    assert.deepEqual([outstanding, revision, seq], [undefined, 40n, 4]);
    assert.ok(walk.run(never));
    assert.deepEqual(
      [...groups, later].map(({ seen }) => seen.join()),
      Array(3).fill('gap 7'),
    );
  });
});

/** `tick`: what handing a change to one group takes. */
function world(some: Partial<StreamLimits> = {}, tick = 0) {
  const time = manualTime(0);
  const told: string[] = [];
  const delivery = {
    attributeFramesTo: (of?: OutstandingChange) => void told.push(`of ${of?.change.seq}`),
    allFramesMade: ({ change: { seq } }: OutstandingChange) => void told.push(`all ${seq}`),
  };
  const limits = { ...defaultStreamLimits, scopeTurnMs: 2, ...some };
  const outstanding = new Outstanding(limits, time.clock, delivery as unknown as Delivery);
  const write: StagedWrite = { seq: 0, groupsLeft: 0 };
  const group = (scope: Scope, predicate = everything) =>
    join(scope, predicate, () => time.advance(tick));
  const add = (of: ResourceChange, scopes: readonly Scope[], isOver = true): void => {
    const walks = scopes.flatMap((scope) => {
      const walk = scope.walk(of);
      return walk === undefined ? [] : [{ scope, walk }];
    });
    outstanding.add(of, write, walks, () => isOver);
  };
  const scopeOf = (groups: number) => {
    const scope = new Scope();
    return { scope, groups: Array.from({ length: groups }, () => group(scope)) };
  };
  const seen = ({ groups }: ReturnType<typeof scopeOf>): string =>
    groups.map((each) => each.seen.join('')).join(' ');
  return { time, told, outstanding, write, add, scopeOf, seen };
}

const waitingIn = ({ scope }: { readonly scope: Scope }): number => scope.backlog.length;

describe('outstanding changes', () => {
  it('are with all groups at once where nothing is outstanding and there is time', () => {
    const { add, outstanding, scopeOf, seen, told, write } = world({ outstandingMax: 1 });
    const [wide, narrow] = [scopeOf(2), scopeOf(2)];
    add(change(1), [], false);
    add(change(2), [wide.scope, narrow.scope], false);
    assert.deepEqual(told, ['all 1', 'of 2', 'of 2', 'all 2']);
    assert.equal(write.groupsLeft, 2, 'each is held until all of its frames are made');
    assert.deepEqual([seen(wide), seen(narrow)], ['2 2', '2 2']);
    assert.equal(outstanding.isEmpty, true);
    assert.deepEqual([wide.scope.backlogGroups, wide.scope.isWaiting], [0, false]);
  });

  it('wait in order, each scope once in the line, until both scopes have them', () => {
    const { add, outstanding, scopeOf, seen, told } = world();
    const [wide, narrow] = [scopeOf(2), scopeOf(1)];
    add(change(1), [wide.scope, narrow.scope]);
    assert.deepEqual([seen(wide), seen(narrow)], ['1 ', '1']);
    add(change(2), [wide.scope, narrow.scope], false);
    assert.deepEqual([seen(wide), seen(narrow)], ['1 ', '12'], 'behind the one before');
    assert.deepEqual(told, ['of 1', 'of 1', 'of 2']);
    assert.deepEqual([wide.scope.backlogGroups, narrow.scope.backlogGroups], [4, 0]);
    outstanding.handOut(1_000);
    assert.deepEqual(seen(wide), '12 12');
    assert.deepEqual(told.slice(3), ['of 1', 'all 1', 'of 2', 'all 2']);
    assert.deepEqual([outstanding.isEmpty, wide.scope.isWaiting], [true, false]);
    assert.equal(wide.scope.backlogGroups, 0);
    outstanding.handOut(1_000);
  });

  it('wait up to their count, or to the bytes that they and their lists hold, and no more', () => {
    const listed = 2 * 8;
    const bounds = [{ outstandingMax: 3 }, { outstandingBytesMax: 3 * (2 * size + listed) }];
    for (const bound of bounds) {
      const { add, outstanding, scopeOf, seen } = world(bound);
      const { groups, scope } = scopeOf(2);
      for (let round = 0; round < 2; round += 1) {
        for (const seq of [1, 2, 3]) add(change(seq, 'p', {}, {}), [scope]);
        assert.equal(scope.backlog.length, 3);
        outstanding.handOut(1_000);
      }
      assert.equal(seen({ groups, scope }), '123123 123123');
      for (const seq of [4, 5, 6, 7]) add(change(seq, 'p', {}, {}), [scope]);
      assert.equal(scope.backlog.length, 1, 'also where sharing them would be cheaper');
      outstanding.handOut(1_000);
      assert.equal(seen({ groups, scope }), '1231234gap 7 123123gap 7');
      assert.deepEqual([scope.backlogGroups, scope.backlogBytes], [0, 0]);
    }
  });

  it('are handed out by scopes in turn, each for its time, until the time is over', () => {
    const { add, outstanding, scopeOf, seen, time } = world({ scopeTurnMs: 2 }, 1);
    const [one, two] = [scopeOf(5), scopeOf(5)];
    for (const { scope } of [one, two]) for (const seq of [1, 2]) add(change(seq), [scope]);
    assert.deepEqual([seen(one), seen(two)], Array(2).fill('1    '));
    outstanding.handOut(time.clock.monotonicMs() + 7);
    assert.deepEqual([seen(one), seen(two)], ['1 1 1 1 1', '1 1 1 1 ']);
    outstanding.handOut(time.clock.monotonicMs() + 1);
    assert.deepEqual([seen(one), seen(two)], ['12 1 1 1 1', '1 1 1 1 ']);
    outstanding.handOut(time.clock.monotonicMs() + 100);
    assert.deepEqual([seen(one), seen(two)], Array(2).fill('12 12 12 12 12'));
  });

  it('stay where live watchers of their scope are behind, and go on in the others', () => {
    const { add, outstanding, scopeOf, seen } = world({}, 1);
    const [held, other, free] = [scopeOf(1), scopeOf(1), scopeOf(9)];
    for (const { scope } of [held, other]) scope.turnsHeld = 0;
    for (const { scope } of [held, other, free]) add(change(1), [scope], scope !== free.scope);
    assert.deepEqual([seen(held), seen(free)], ['', Array(9).fill('1').join(' ')]);
    add(change(2), [free.scope]);
    assert.equal(outstanding.isHeld, false);
    outstanding.handOut(1_000);
    assert.deepEqual([seen(held), seen(other)], ['', '']);
    assert.equal(seen(free), Array(9).fill('12').join(' '), 'in several turns');
    assert.deepEqual([outstanding.isHeld, outstanding.isEmpty], [true, false]);
    held.scope.turnsHeld = other.scope.turnsHeld = -1;
    outstanding.handOut(1_000);
    assert.deepEqual([seen(held), seen(other), outstanding.isEmpty], ['1', '1', true]);
  });

  it('stay when a scope comes to be held by one of them', () => {
    const { add, outstanding, scopeOf, seen } = world();
    const { groups, scope } = scopeOf(2);
    for (const seq of [1, 2]) add(change(seq), [scope]);
    join(scope, everything, () => (scope.turnsHeld = 0));
    add(change(3), [scope]);
    add(change(4), [scope]);
    outstanding.handOut(1_000);
    assert.equal(seen({ groups, scope }), '123 123');
    assert.equal(scope.backlog.length, 1);
  });

  const cheap = { leaveOutGroupsMin: 2, leaveOutWatchersMax: 3, leaveOutChangesMin: 4 };

  it('are left out above so many of a scope, and the gap is handed out in their place', () => {
    const { add, outstanding, scopeOf, seen, told } = world({ ...cheap, outstandingMax: 5 });
    const [wide, narrow] = [scopeOf(2), scopeOf(2)];
    add(change(1), [wide.scope, narrow.scope]);
    for (const seq of [2, 3, 4]) add(change(seq), [narrow.scope]);
    assert.equal(narrow.scope.backlog.length, 4);
    add(change(5), [narrow.scope]);
    assert.equal(narrow.scope.backlog.length, 1);
    assert.deepEqual(told, ['of 1', 'of 1', 'all 2', 'all 3', 'all 4', 'all 5']);
    outstanding.handOut(1_000);
    assert.deepEqual([seen(wide), seen(narrow)], ['1 1', '1gap 5 gap 5']);
    assert.deepEqual(told.slice(6), ['of 1', 'all 1', 'of undefined']);
    assert.equal(narrow.scope.backlogGroups, 0);
    // The gap is no change: it counts for nothing when it has been handed out.
    for (const seq of [6, 7, 8]) add(change(seq), [narrow.scope]);
    for (const seq of [9, 10]) add(change(seq), [wide.scope]);
    assert.deepEqual([narrow.scope.backlog.length, wide.scope.backlog.length], [3, 2]);
    add(change(11), [wide.scope]);
    assert.deepEqual([narrow.scope.backlog.length, wide.scope.backlog.length], [1, 3]);
  });

  it('are outstanding as long as a gap is that stands for them', () => {
    const { add, outstanding, scopeOf, seen } = world({ ...cheap, leaveOutChangesMin: 1 });
    const left = scopeOf(2);
    for (const seq of [1, 2]) add(change(seq), [left.scope]);
    assert.deepEqual([left.scope.backlog.length, outstanding.isEmpty], [1, false]);
    outstanding.handOut(1_000);
    assert.deepEqual([seen(left), outstanding.isEmpty], ['1gap 2 gap 2', true]);
  });

  it('are left out, above their count, in the scope that has most of them', () => {
    const { add, scopeOf } = world({ outstandingMax: 7 });
    const [one, two, three] = [scopeOf(2), scopeOf(2), scopeOf(2)];
    for (const seq of [1, 2]) add(change(seq), [one.scope]);
    for (const seq of [3, 4, 5]) add(change(seq), [two.scope]);
    for (const seq of [6, 7]) add(change(seq), [three.scope]);
    assert.deepEqual([one, two, three].map(waitingIn), [2, 3, 2]);
    add(change(8), [two.scope]);
    assert.deepEqual([one, two, three].map(waitingIn), [2, 1, 2]);
  });

  it('are left out, above their bytes, in the scope that has most of those', () => {
    const { add, scopeOf } = world({ outstandingBytesMax: 350 });
    const [one, two, three] = [scopeOf(2), scopeOf(2), scopeOf(2)];
    for (const seq of [1, 2]) {
      const { entry, ...rest } = change(seq);
      const bytes = Buffer.alloc(100);
      add({ ...rest, entry: { ...entry, bytes } } as never, [one.scope]);
    }
    for (const seq of [3, 4, 5]) add(change(seq), [two.scope]);
    add(change(6), [three.scope]);
    assert.deepEqual([one, two, three].map(waitingIn), [2, 3, 1]);
    add(change(7), [two.scope]);
    assert.deepEqual([one, two, three].map(waitingIn), [1, 4, 1]);
  });

  it('wait, also above the bound, where nobody has several', () => {
    const { add, outstanding, scopeOf, seen } = world({ outstandingMax: 1 });
    const scopes = [scopeOf(1), scopeOf(1), scopeOf(1)];
    for (const { scope } of scopes) scope.turnsHeld = 0;
    add(
      change(1),
      scopes.map(({ scope }) => scope),
    );
    for (const { scope } of scopes) scope.turnsHeld = -1;
    outstanding.handOut(1_000);
    assert.deepEqual(scopes.map(seen), ['1', '1', '1']);
  });

  it('are not left out below the bound where they go to few groups each', () => {
    const { add, scopeOf } = world({ ...cheap, leaveOutChangesMin: 1 });
    const { scope } = scopeOf(1);
    join(scope, fieldIs('metadata.name', 'q'));
    scope.turnsHeld = 0;
    for (const seq of [1, 2, 3]) add(change(seq), [scope]);
    assert.equal(scope.backlog.length, 3);
    for (const seq of [4, 5, 6]) add(change(seq, 'q'), [scope]);
    assert.equal(scope.backlog.length, 6);
  });

  it('are not left out below the bound where many share each group', () => {
    const { add, scopeOf } = world({ ...cheap, leaveOutChangesMin: 2 });
    const { scope } = scopeOf(2);
    for (let watch = 0; watch < 7; watch += 1) scope.countWatch(undefined, 1);
    for (const seq of [1, 2, 3]) add(change(seq), [scope]);
    assert.equal(scope.backlog.length, 3);
    scope.countWatch(undefined, -1);
    add(change(4), [scope]);
    assert.equal(scope.backlog.length, 1);
  });
});
