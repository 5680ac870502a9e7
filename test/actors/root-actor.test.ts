/** Children of the root actor: made in a way that costs less, and yet what XState would make. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createActor } from 'xstate';
import type { Actor, ActorLogic, AnyActorRef, Snapshot } from 'xstate';
import { createChild, createRoot, noteInspection } from '../../actors/root-actor.ts';

type Counted = Snapshot<undefined> & { readonly count: number };
interface CountEvent {
  readonly type: 'more' | 'fail';
}
type CountLogic = ActorLogic<Counted, CountEvent, undefined, AnyActorRef['system'], CountEvent>;

const none: Counted = { status: 'active', output: undefined, error: undefined, count: 0 };

const logic: CountLogic = {
  transition(snapshot, { type }, scope) {
    if (type === ('xstate.stop' as string)) return { ...snapshot, status: 'stopped' } as Counted;
    if (type === 'fail') throw new Error('it fails');
    scope.emit({ type });
    return { ...snapshot, count: snapshot.count + 1 };
  },
  getInitialSnapshot: () => none,
  getPersistedSnapshot: (snapshot) => snapshot,
};

const five = { ...none, count: 5 };

/** Fields of an actor, those that differ from one to the next left out. */
function shown(actor: object): Record<string, unknown> {
  const own = new Set(['sessionId', 'system', 'send', 'mailbox', 'ref', 'options', '_actorScope']);
  return Object.fromEntries(Object.entries(actor).filter(([name]) => !own.has(name)));
}

describe('a child of the root', () => {
  it('is what XState makes of an actor with that parent', () => {
    const root = createRoot();
    const made = createChild(root, logic, 'made', five);
    const theirs = createActor(logic, { parent: root, id: 'made', snapshot: five });
    assert.deepEqual(shown(made), shown(theirs));
    assert.equal(made._parent, root);
    const [system, known] = [made.system, theirs.system] as unknown as Record<string, unknown>[];
    assert.ok(system !== undefined && known !== undefined);
    assert.deepEqual(Object.keys(system), Object.keys(known));
    const differs = Object.keys(known).filter((name) => system[name] !== known[name]);
    assert.deepEqual(differs, ['_register', '_unregister']);
  });

  it('takes events, emits, and is stopped through its parent alone', () => {
    const root = createRoot();
    const actor = createChild(root, logic, 'a', five);
    const heard: string[] = [];
    actor.on('more', ({ type }) => heard.push(type));
    actor.start();
    actor.send({ type: 'more' });
    assert.equal(actor.getSnapshot().count, 6);
    assert.deepEqual(heard, ['more']);
    assert.throws(() => actor.stop(), /non-root/);
    root.send({ type: 'passivate', child: actor });
    assert.equal(actor.getSnapshot().status, 'stopped');
    actor.send({ type: 'more' });
    assert.equal(actor.getSnapshot().count, 6, 'it hears nothing any more');
  });

  it('that throws is stopped and reported by its id, and no other notices', () => {
    const root = createRoot();
    const failures: string[] = [];
    root.on('child.failed', ({ id }) => failures.push(id));
    const [a, b] = ['a', 'b'].map((id) => createChild(root, logic, id, none).start()) as [
      Actor<CountLogic>,
      Actor<CountLogic>,
    ];
    a.send({ type: 'fail' });
    b.send({ type: 'more' });
    assert.deepEqual(failures, ['a']);
    assert.equal(a.getSnapshot().status, 'error');
    assert.equal(b.getSnapshot().count, 1);
  });

  it('says who it is when it is made, where somebody inspects', () => {
    const root = createRoot();
    noteInspection(root);
    const seen: string[] = [];
    root.system.inspect((event) => {
      if (event.type === '@xstate.actor') seen.push((event.actorRef as AnyActorRef).id);
    });
    const actor = createChild(root, logic, 'watched', five);
    assert.deepEqual(seen, ['watched']);
    assert.equal(actor.getSnapshot().count, 5);
    assert.equal(actor._parent, root);
  });
});
