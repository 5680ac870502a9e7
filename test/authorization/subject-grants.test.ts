import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SubjectGrants } from '../../src/authorization/rbac/subject-grants.ts';
import type { Grant } from '../../src/authorization/rbac/subject-grants.ts';

function grantOf(role: string, name: string): Grant {
  const roleRef = { kind: 'ClusterRole', name: role };
  const subject = { kind: 'User', name: 'u', namespace: '' };
  return { binding: { namespace: '', name, roleRef, subjects: [subject] }, subject, role };
}

/** The first binding by name of each role, in order of those names. */
function expected(granted: ReadonlyMap<string, string>): readonly string[] {
  const roles = new Set<string>();
  const walked: string[] = [];
  for (const name of [...granted.keys()].sort()) {
    const role = granted.get(name) ?? '';
    if (!roles.has(role)) walked.push(`${name} ${role}`);
    roles.add(role);
  }
  return walked;
}

describe('the grants of a subject', () => {
  it('are walked as one for each role, that of the first binding, whatever comes and goes', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const role = fc.constantFrom('r', 's', 't');
    const step = fc.record({ name, role, isAdded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const grants = new SubjectGrants();
        const model = new Map<string, string>();
        for (const each of steps) {
          const before = model.get(each.name);
          if (before !== undefined) {
            grants.remove(before, each.name);
            model.delete(each.name);
          }
          if (each.isAdded) {
            grants.add(grantOf(each.role, each.name));
            model.set(each.name, each.role);
          }
          const walked = [...grants.walk()].map((grant) => `${grant.binding.name} ${grant.role}`);
          assert.deepEqual(walked, expected(model));
          assert.equal(grants.isEmpty, model.size === 0);
        }
      }),
    );
  });

  it('stay what they were while somebody walks', () => {
    const grants = new SubjectGrants();
    for (const name of ['a', 'b', 'c']) grants.add(grantOf(name, name));
    const walk = grants.walk();
    grants.remove('c', 'c');
    grants.add(grantOf('d', 'd'));
    assert.deepEqual(
      [...walk].map(({ role }) => role),
      ['a', 'b', 'c'],
    );
  });
});
