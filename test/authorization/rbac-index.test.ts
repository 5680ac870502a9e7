import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRbacIndex } from '../../src/authorization/rbac/rbac-index.ts';
import type { RbacIndex } from '../../src/authorization/rbac/rbac-index.ts';
import type { Binding } from '../../src/authorization/rbac/rbac-objects.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import { userNamed } from '../support/data/access-attributes.ts';

const namespace = 'ns';

function bindingOf(name: string, role: string, users: readonly string[]): Binding {
  const subjects = users.map((user) => ({ kind: 'User', name: user, namespace: '' }));
  return { namespace, name, roleRef: { kind: 'ClusterRole', name: role }, subjects };
}

function usersNamed(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, at) => `u${from + at}`);
}

function grantsOf(index: RbacIndex, user: string): readonly string[] {
  return [...index.grants(userNamed(user), namespace)].map(
    ({ binding: { name, subjects }, role, subject }) =>
      `${name} of ${subjects.length} ${role} ${subject.name}`,
  );
}

/** How many steps it takes; `between` is called after each but the last. */
function stepsOf(work: Steps<void>, between: () => void = () => undefined): number {
  for (let steps = 1; ; steps += 1) {
    if (work.next().done === true) return steps;
    between();
  }
}

describe('a binding of many subjects', () => {
  it('is set, changed and removed in steps', () => {
    const index = createRbacIndex();
    const users = usersNamed(0, 6_000);
    assert.ok(stepsOf(index.settingBinding(bindingOf('b', 'r', users))) > 40);
    assert.equal(grantsOf(index, 'u5999').length, 1);
    const others = usersNamed(6_000, 12_000);
    assert.ok(stepsOf(index.settingBinding(bindingOf('b', 'r', others))) > 80);
    assert.deepEqual(
      ['u0', 'u5999', 'u6000'].map((user) => grantsOf(index, user).length),
      [0, 0, 1],
    );
    assert.ok(stepsOf(index.removingBinding(namespace, 'b')) > 40);
    assert.deepEqual(grantsOf(index, 'u6000'), []);
    assert.equal(index.bindingsCount, 0);
  });

  it('takes from nobody what they keep, not for a step', () => {
    const index = createRbacIndex();
    const users = usersNamed(0, 1_000);
    index.setBinding(bindingOf('a', 's', ['u7']));
    index.setBinding(bindingOf('b', 'r', users));
    let looks = 0;
    const look = (): void => {
      looks += 1;
      for (const user of users) {
        assert.ok(
          grantsOf(index, user).some((grant) => grant.includes(' /r ')),
          user,
        );
      }
    };
    stepsOf(index.settingBinding(bindingOf('b', 'r', [...users].reverse().slice(1))), () => {
      looks += 1;
      assert.equal(grantsOf(index, 'u7').length, 2);
    });
    assert.deepEqual(grantsOf(index, 'u999'), []);
    stepsOf(index.settingBinding(bindingOf('b', 'r', users)));
    stepsOf(index.settingBinding(bindingOf('b', 'r', [...users].reverse())), look);
    assert.ok(looks > 10);
  });

  it('that began to change leaves nothing behind when all is cleared', () => {
    const index = createRbacIndex();
    index.setBinding(bindingOf('b', 'r', usersNamed(0, 1_000)));
    index.settingBinding(bindingOf('b', 'r', usersNamed(500, 2_000))).next();
    index.clearBindings(false);
    assert.equal(index.bindingsCount, 0);
    for (const user of usersNamed(0, 2_000)) assert.deepEqual(grantsOf(index, user), []);
  });
});

describe('bindings that are set again', () => {
  it('grant what they grant where nothing was before', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const role = fc.constantFrom('r', 's');
    const users = fc.array(fc.constantFrom('u', 'v', 'w', 'x'), { maxLength: 5 });
    const change = fc.record({ name, role, users, isRemoved: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const index = createRbacIndex();
        const last = new Map<string, Binding>();
        for (const each of changes) {
          const binding = bindingOf(each.name, each.role, each.users);
          if (each.isRemoved) index.removeBinding(namespace, each.name);
          else index.setBinding(binding);
          if (each.isRemoved) last.delete(each.name);
          else last.set(each.name, binding);
          const anew = createRbacIndex();
          for (const binding of last.values()) anew.setBinding(binding);
          for (const user of ['u', 'v', 'w', 'x']) {
            assert.deepEqual(grantsOf(index, user), grantsOf(anew, user));
          }
        }
      }),
    );
  });
});
