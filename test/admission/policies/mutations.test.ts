/** What mutations make of objects, against the reference's own rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownedKindOf } from '../../../src/apimachinery/fieldmanager/managers/owned-kind.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { GroupVersionResource } from '../../../src/admission/matching/matching.ts';
import { objectBytesMax } from '../../../src/admission/outgrown.ts';
import { applyOperations } from '../../../src/admission/policies/json-patch-mutation.ts';
import {
  compileMutatingPolicy,
  mutateByPolicy,
} from '../../../src/admission/policies/mutating-policy.ts';
import { policyEnvironments } from '../../../src/admission/policies/policy-environments.ts';
import { messageMax } from '../../../src/apimachinery/answer-bounds.ts';
import { formatGroupVersion } from '../../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../../src/apimachinery/scheme.ts';
import { typedDocument } from '../../../src/apimachinery/typed/field-validation.ts';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../../src/apis/build-scheme.ts';
import { bodyValuesMax } from '../../../src/apimachinery/codecs/body-bounds.ts';
import { nothingSpent } from '../../../src/cel/expression.ts';
import type { SpentUnits } from '../../../src/cel/expression.ts';
import { lateValues } from '../../../src/cel/late-values.ts';
import { after } from '../../../src/stdx/awaitable.ts';
import { finished } from '../../../src/stdx/stepwise.ts';
import { sharedVectors } from '../../cel/shared-vectors.ts';
import { testLanguage } from '../../support/data/expression-language.ts';

interface Row {
  readonly name: string;
  readonly expression: string;
  readonly resource: GroupVersionResource;
  readonly object: JsonObject;
  readonly expectedResult?: JsonObject;
  readonly error?: string;
}

const vectors = sharedVectors<{
  readonly jsonPatch: readonly Row[];
  readonly applyConfiguration: readonly Row[];
}>('admission/cases.json');

const built = buildScheme({ identity: identityOf('kubernetes') });
assert.ok(built.kind === 'ok');
const { scheme } = built;
const environments = policyEnvironments(testLanguage);

function kindOf({ group, resource, version }: GroupVersionResource): KindInfo {
  const kind = scheme.findResource(group, version, resource);
  assert.ok(kind !== undefined);
  return kind;
}

/** With every part that its type always has; without defaults, as in the rows. */
function typed(object: JsonObject, kind: KindInfo): ApiObject {
  const label = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
  const bare = { ...kind, defaults: undefined };
  const found = typedDocument({ metadata: {}, ...object, ...label }, bare, 'Strict', []);
  assert.ok(found.kind === 'ok', found.kind === 'refused' ? found.error.message : '');
  return found.object;
}

const turns = {
  run: (step: (isOver: () => boolean) => boolean) => {
    while (step(() => false));
  },
};

function mutationOf(form: 'jsonPatch' | 'applyConfiguration', expression: string): JsonObject {
  const patchType = form === 'jsonPatch' ? 'JSONPatch' : 'ApplyConfiguration';
  return { patchType, [form]: { expression } };
}

function mutating(
  form: 'jsonPatch' | 'applyConfiguration',
  row: Pick<Row, 'expression' | 'object' | 'resource'>,
) {
  const kind = kindOf(row.resource);
  const policy = finished(
    compileMutatingPolicy(
      {
        apiVersion: 'admissionregistration.k8s.io/v1alpha1',
        kind: 'MutatingAdmissionPolicy',
        metadata: { name: 'p' },
        spec: { mutations: [mutationOf(form, row.expression)] },
      },
      testLanguage,
      environments,
    ),
  );
  const target = {
    object: typed(row.object, kind),
    kind: { ...kind, defaults: undefined },
    mergeType: ownedKindOf(kind, scheme).typeAt(formatGroupVersion(kind)) ?? {},
    bindings: { oldObject: null },
  };
  return (spent: SpentUnits) =>
    after(
      mutateByPolicy(policy, target, { turns, late: lateValues(), spent }),
      ({ object, problems: [problem] }) => problem ?? object,
    );
}

async function run(
  form: 'jsonPatch' | 'applyConfiguration',
  row: Row,
): Promise<ApiObject | string> {
  return mutating(form, row)(nothingSpent());
}

for (const form of ['jsonPatch', 'applyConfiguration'] as const) {
  describe(form, () => {
    for (const row of vectors?.[form] ?? []) {
      test(row.name, async () => {
        const found = await run(form, row);
        if (row.error !== undefined) {
          assert.ok(typeof found === 'string', 'it is refused');
          assert.ok(found.includes(row.error), found);
          return;
        }
        assert.ok(typeof found !== 'string', String(found));
        assert.deepEqual(found, typed(row.expectedResult ?? {}, kindOf(row.resource)));
      });
    }
  });
}

describe('types of objects in the values of operations', () => {
  const containers = 'Object.spec.template.spec.containers';
  for (const [what, member, wrong] of [
    ['a member', `lifecycle: ${containers}.hooks{}`, 'hooks'],
    ['an item of a list', `ports: [${containers}.port{containerPort: 1}]`, 'port'],
    ['a value of a map', `env: {"a": ${containers}.vars{}}`, 'vars'],
  ] as const) {
    test(`${what} stands where its type says`, async () => {
      const found = await run('jsonPatch', {
        name: what,
        expression:
          '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", ' +
          `value: ${containers}{name: "x", ${member}}}]`,
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        object: { spec: { template: { spec: { containers: [{ name: 'a' }] } } } },
      });
      const name = member.slice(0, member.indexOf(':'));
      const problem = `unexpected type name "${containers}.${wrong}", expected "${containers}.${name}"`;
      assert.ok(
        typeof found === 'string' && found.startsWith(`type mismatch: ${problem}`),
        found as string,
      );
    });
  }
});

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

describe('bounds', () => {
  const data = Object.fromEntries(
    Array.from({ length: bodyValuesMax - 10 }, (_, i) => [`k${i}`, '']),
  );
  const added = Array.from({ length: 20 }, (_, i) => `"more-${i}": ""`).join(', ');
  for (const [form, expression, why] of [
    ['applyConfiguration', `Object{data: {${added}}}`, 'the object would hold more than 25000'],
    [
      'jsonPatch',
      '[JSONPatch{op: "copy", from: "/data", path: "/metadata/labels"}]',
      '25000 values',
    ],
  ] as const) {
    test(`${form}: what a policy makes holds no more than a body may`, async () => {
      const metadata = { labels: {}, annotations: { a: 'b' } };
      const object = { metadata, data, ...(form === 'jsonPatch' ? { binaryData: data } : {}) };
      const again = form === 'jsonPatch' ? `${expression} + ${expression}` : expression;
      const found = await mutating(form, { expression: again, resource: configMaps, object })(
        nothingSpent(),
      );
      assert.ok(typeof found === 'string' && found.includes(why), String(found).slice(0, 200));
    });
  }

  const doubled = 'object.data.a + object.data.a';
  for (const [form, expression] of [
    ['applyConfiguration', `Object{data: {"a": ${doubled}}}`],
    ['jsonPatch', `[JSONPatch{op: "replace", path: "/data/a", value: ${doubled}}]`],
  ] as const) {
    test(`${form}: what the store does not take is shown to no further mutation`, async () => {
      const made = async (length: number): Promise<ApiObject | string> => {
        const object = { metadata: {}, data: { a: 'a'.repeat(length) } };
        return mutating(form, { expression, resource: configMaps, object })(nothingSpent());
      };
      const half = objectBytesMax / 2;
      assert.equal(typeof (await made(half - 1_000)), 'object');
      const found = await made(half);
      const why = `the object would hold more than ${objectBytesMax} bytes`;
      assert.ok(typeof found === 'string' && found.includes(why), String(found).slice(0, 200));
    });
  }

  test('jsonPatch: a path as long as a body is told in part', async () => {
    const object = { metadata: {}, data: { a: '/b'.repeat(1_000_000) } };
    const expression = '[JSONPatch{op: "add", path: object.data.a, value: "c"}]';
    const found = await mutating('jsonPatch', { expression, resource: configMaps, object })(
      nothingSpent(),
    );
    assert.ok(typeof found === 'string' && found.includes('/b/b/b'), String(found).slice(0, 200));
    assert.ok(found.length < 2 * messageMax, String(found.length));
  });

  test('jsonPatch: others have a turn between operations that copy much', () => {
    const kind = kindOf(configMaps);
    const values = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, '']));
    const object = typed({ metadata: { labels: {} }, data: values }, kind);
    const copy = { op: 'copy', from: '/data', path: '/metadata/labels' };
    const operations = Array.from({ length: 10 }, () => copy);
    const stepsOf = (wanted: readonly JsonObject[]): number => {
      const steps = applyOperations(object, wanted, kind, false);
      let count = 0;
      for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
      return count;
    };
    const few = stepsOf([copy]);
    assert.ok(stepsOf(operations) >= few + 2);
    // Where one fails, those before it are applied again to say why.
    const failing = [...operations, { op: 'remove', path: '/data/gone' }];
    assert.ok(stepsOf(failing) >= 2 * (few + 2));
  });

  test('policies of one request share what is spent before others have a turn', async () => {
    const numbers = `[${Array.from({ length: 50 }, (_, i) => i).join(', ')}]`;
    const costly = `${numbers}.all(a, ${numbers}.all(b, a + b >= 0))`;
    const expression = `${costly} ? [JSONPatch{op: "add", path: "/data/a", value: "b"}] : []`;
    const object = { metadata: {}, data: {} };
    const mutate = mutating('jsonPatch', { expression, resource: configMaps, object });
    const isLater = (spent: SpentUnits): boolean => mutate(spent) instanceof Promise;
    const alone = Array.from({ length: 8 }, () => isLater(nothingSpent()));
    assert.deepEqual(new Set(alone), new Set([false]), 'each by itself is done at once');
    const spent = nothingSpent();
    const together = Array.from({ length: 8 }, () => isLater(spent));
    assert.equal(together[0], false);
    assert.ok(together.includes(true), 'one of them waits for a turn');
  });
});
