/** What all policies together may cost one write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { policyEnvironments } from '../../../src/admission/policies/policy-environments.ts';
import { policyLimits } from '../../../src/admission/policies/policies.ts';
import type { PolicyPorts, PolicyRequest } from '../../../src/admission/policies/policies.ts';
import type { ParamRef } from '../../../src/admission/policies/policy-spec.ts';
import { validateByPolicies } from '../../../src/admission/policies/validating.ts';
import type { ValidatingHook } from '../../../src/admission/policies/validating.ts';
import { compileValidatingPolicy } from '../../../src/admission/policies/validating-policy.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { finished } from '../../../src/stdx/stepwise.ts';
import { testLanguage } from '../../support/data/expression-language.ts';

const resource = { group: '', version: 'v1', resource: 'configmaps' };
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const all = {
  mayMatch: () => true,
  match: () => ({ kind: 'match', as: { resource, kind } }) as const,
  requirements: 0,
};

function policyThatSpends(name: string, expression: string, failurePolicy: string): ValidatingHook {
  return hookOf(name, { failurePolicy, validations: [{ expression }] });
}

function hookOf(name: string, spec: JsonObject): ValidatingHook {
  const metadata = { name };
  const object = { apiVersion: 'v1', kind: 'ValidatingAdmissionPolicy', metadata, spec };
  const environments = policyEnvironments(testLanguage);
  const policy = finished(compileValidatingPolicy(object, testLanguage, environments));
  const binding = { name, policyName: name, matcher: all, paramRef: undefined, actions: ['Deny'] };
  return { policy: { ...policy, matcher: all }, bindings: [binding] };
}

async function verdictOf(hooks: readonly ValidatingHook[], params?: object) {
  const data = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`k${at}`, 'v']));
  const metadata = { name: 'a', labels: {} };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  let evaluated = 0;
  let pauses = 0;
  const turns = {
    run: (step: (isOver: () => boolean) => boolean) => {
      while (step(() => false));
    },
    pause: () => Promise.resolve(void (pauses += 1)),
  };
  const ports = {
    turns,
    access: { check: () => Promise.reject(new Error('nobody asks')) },
    params: { kindOf: () => undefined, ...params },
    metrics: {
      nowMs: () => 0,
      check: () => (evaluated += 1),
      conditions: () => undefined,
    },
  } as unknown as PolicyPorts;
  const shape = {
    ...resource,
    operation: 'CREATE',
    subresource: '',
    namespaced: false,
    equivalents: () => [],
  } as const;
  const request: PolicyRequest = {
    match: {
      shape,
      kind,
      namespace: '',
      name: 'a',
      object,
      oldObject: undefined,
      namespaceLabels: () => undefined,
    },
    user: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    options: undefined,
    shown: () => ({ object, oldObject: undefined }),
    namespaceObject: () => undefined,
    isOver: () => false,
  };
  const annotations = new Map<string, string>();
  const annotate = (key: string, value: string): void => void annotations.set(key, value);
  const recorder = { warn: () => undefined, annotate };
  const refusal = await validateByPolicies(hooks, request, recorder, ports, (name) => name);
  return { annotations, evaluated, pauses, refusal };
}

const costly = 'object.data.all(k, object.data.all(l, k + l != "q"))';
const many = (length: number, make: (at: number) => ValidatingHook): readonly ValidatingHook[] =>
  Array.from({ length }, (_, at) => make(at));

describe('policies that cost much', () => {
  it('have a budget together: a write above it is refused, and says so', async () => {
    const hooks = many(500, (at) => policyThatSpends(`p${at}`, costly, 'Fail'));
    const { evaluated, refusal } = await verdictOf(hooks);
    assert.equal(refusal?.code, 403);
    assert.match(refusal.message, /cost more than 50000000 units together/);
    assert(evaluated > 10 && evaluated < 500, `${evaluated}`);
  });

  it('are not left out where their failures are ignored: the write is refused as well', async () => {
    const last = policyThatSpends('z', 'false', 'Ignore');
    const hooks = [...many(500, (at) => policyThatSpends(`p${at}`, costly, 'Ignore')), last];
    const { refusal } = await verdictOf(hooks);
    assert.match(refusal?.message ?? '', /together/);
  });

  it('also where their costs are small and their work is not', async () => {
    const text = `"${'ab'.repeat(3_000)}".findAll("[ab](.*[yz])?").size() > 0`;
    const hooks = many(600, (at) => policyThatSpends(`p${at}`, text, 'Ignore'));
    const { evaluated, refusal } = await verdictOf(hooks);
    assert.match(refusal?.message ?? '', /together/);
    const units = policyLimits.unitsOfRequest / 200_000;
    assert(evaluated <= units + 1, `${evaluated}`);
  });

  it('of which hundreds are cheap are all asked', async () => {
    const hooks = many(1_000, (at) => policyThatSpends(`p${at}`, 'object.data.size() > 3', 'Fail'));
    const { evaluated, refusal } = await verdictOf(hooks);
    assert.deepEqual({ evaluated, refusal }, { evaluated: 1_000, refusal: undefined });
  });
});

describe('policies whose selectors are long', () => {
  const none = { mayMatch: () => true, match: () => ({ kind: 'none' }) as const };
  const hooksOf = (requirements: number, ofBinding: number) =>
    many(60, (at): ValidatingHook => {
      const { bindings, policy } = policyThatSpends(`p${at}`, 'true', 'Fail');
      const [binding] = bindings.map((each) => ({
        ...each,
        matcher: { ...none, requirements: ofBinding },
      }));
      const matcher = ofBinding > 0 ? all : { ...none, requirements };
      return { policy: { ...policy, matcher }, bindings: binding === undefined ? [] : [binding] };
    });

  it('have others take their turns by the requirements that are compared', async () => {
    const { pauses: ofShort } = await verdictOf(hooksOf(1, 0));
    const { pauses: ofPolicies } = await verdictOf(hooksOf(8_000, 0));
    const { pauses: ofBindings } = await verdictOf(hooksOf(0, 8_000));
    assert.ok(ofShort <= 1, `${ofShort}`);
    const least = (60 * 8_000) / 40_000;
    assert.ok(ofPolicies >= least && ofBindings >= least, `${ofPolicies}, ${ofBindings}`);
  });
});

describe('policies whose params are selected among many', () => {
  const requirements = Array.from({ length: 100 });
  /** Each binding looks through 1,000 objects. */
  async function verdictOn(bindings: number) {
    let lookedThrough = 0;
    const hooks = many(bindings, (at): ValidatingHook => {
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
      const hook = hookOf(`p${at}`, { paramKind, validations: [{ expression: 'true' }] });
      const selector = { requirements } as unknown as ParamRef['selector'];
      const paramRef: ParamRef = { name: '', namespace: 'n', selector, notFound: 'Allow' };
      return { ...hook, bindings: hook.bindings.map((each) => ({ ...each, paramRef })) };
    });
    const list = () => {
      lookedThrough += 1;
      return { params: [], looked: 1_000 };
    };
    const kindOf = () => ({ namespaced: true });
    const { refusal } = await verdictOf(hooks, { kindOf, list, isLost: () => false });
    return { lookedThrough, refusal };
  }

  it('have the search for them in their budget', async () => {
    const { lookedThrough, refusal } = await verdictOn(1_000);
    assert.match(refusal?.message ?? '', /cost more than 50000000 units together/);
    assert.equal(lookedThrough, Math.ceil(policyLimits.unitsOfRequest / 120_000));
  });

  it('are all asked where it is short', async () => {
    const { lookedThrough, refusal } = await verdictOn(400);
    assert.deepEqual({ lookedThrough, refusal }, { lookedThrough: 400, refusal: undefined });
  });
});

describe('policies that say much in audit annotations', () => {
  const saying = (name: string, letters: number): ValidatingHook =>
    hookOf(name, {
      auditAnnotations: Array.from({ length: 10 }, (_, at) => ({
        key: `k${at}`,
        valueExpression: `"${name}${at}${'x'.repeat(letters)}"`,
      })),
    });

  it('are heard up to a bound for all of them, and an ellipsis stands for the others', async () => {
    const hooks = many(30, (at) => saying(`p${at}-`, 9_000));
    const { annotations, refusal } = await verdictOf(hooks);
    assert.equal(refusal, undefined);
    assert.equal(annotations.size, 300);
    const said = [...annotations.values()];
    const whole = said.filter((value) => value.length > 9_000);
    assert.equal(whole.length, 116);
    assert.deepEqual([...new Set(said.slice(whole.length))], ['...']);
  });

  it('are all heard where they say little', async () => {
    const { annotations } = await verdictOf(many(30, (at) => saying(`p${at}-`, 100)));
    assert.ok([...annotations.values()].every((value) => value.length > 100));
  });
});
