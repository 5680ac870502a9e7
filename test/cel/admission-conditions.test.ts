/**
 * Expressions as admission evaluates them, against the reference's own tests: what they give, what
 * is left of a budget, and how the authorizer is asked.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  admissionContext,
  requestType,
} from '../../src/admission/expressions/admission-context.ts';
import { budgets } from '../../src/cel/budgets.ts';
import type { Bindings, Outcome } from '../../src/cel/cel.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { compileExpression } from './evaluation.ts';
import { lateValues } from '../../src/cel/late-values.ts';
import { createLanguage } from '../../src/cel/language.ts';
import { AuthorizerValue, requestResourceValue } from '../../src/cel/library/authorizer-library.ts';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
} from '../../src/cel/library/authorizer-library.ts';
import { authorizerQuestions } from '../../src/cel/library/authorizer-questions.ts';
import { schemaValue } from '../../src/cel/schema/schema-value.ts';
import type { Value } from '../../src/cel/value.ts';
import { sharedVectors } from './shared-vectors.ts';

interface Row {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>> & { readonly delete?: boolean };
  readonly expressions: readonly { readonly expression: string }[];
  readonly results: readonly { readonly value?: boolean; readonly error?: string }[];
  readonly hasParamKind: boolean;
  readonly params?: unknown;
  readonly authorizer?: {
    readonly allowOnly?: Readonly<Record<string, unknown>>;
    readonly defaultResult?: {
      readonly decision: string;
      readonly reason: string;
      readonly err: string | null;
    };
  };
  readonly envType?: string;
  readonly compatibilityVersion?: string;
  readonly testPerCallLimit?: number;
  readonly testRuntimeCELCostBudget?: number;
  readonly exceedBudget?: boolean;
  readonly exceedPerCallLimit?: boolean;
  readonly expectRemainingBudget?: number;
}

const vectors = sharedVectors<{
  readonly conditions: readonly Row[];
  readonly runtimeCost: readonly Row[];
}>('admission/cases.json');

/** What the tests of the reference are run on where a row names no object. */
const validObject = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'endpoints1', namespace: 'default' },
  subsets: [{ addresses: [{ ip: '127.0.0.0' }] }],
};

function answerOf(row: Row, question: AuthorizationQuestion): AuthorizationAnswer {
  const { allowOnly, defaultResult } = row.authorizer ?? {};
  if (allowOnly !== undefined && question.kind === 'resource') {
    const asked: Readonly<Record<string, unknown>> = {
      APIGroup: question.group,
      Resource: question.resource,
      Subresource: question.subresource,
      Namespace: question.namespace,
      Name: question.name,
      Verb: question.verb,
    };
    const same = Object.entries(asked).every(([name, value]) => allowOnly[name] === value);
    if (same) return { allowed: true, reason: '', error: '' };
  }
  const error = defaultResult?.err ?? '';
  return { allowed: false, reason: defaultResult?.reason ?? '', error };
}

/** Custom objects are shown with the Go value around them. */
function paramsOf(params: unknown): Value {
  const { object } = (params ?? {}) as { object?: Value };
  return object ?? ((params ?? null) as Value);
}

function bindingsOf(row: Row, source: ReturnType<typeof authorizerQuestions>): Bindings {
  const { attributes } = row;
  const object = (attributes['object'] ?? validObject) as Value;
  const namespace = (attributes['namespace'] as string | undefined) ?? 'default';
  const request = {
    kind: { group: '', version: 'v1', kind: 'Endpoints' },
    resource: { group: '', version: 'v1', resource: 'endpoints' },
    name: 'endpoints1',
    namespace,
    operation: attributes.delete === true ? 'DELETE' : 'CREATE',
    userInfo: { username: 'user', groups: [], extra: {} },
    dryRun: false,
  };
  const resource = {
    group: '',
    resource: 'endpoints',
    subresource: (attributes['subresource'] as string | undefined) ?? '',
    namespace,
    name: (attributes['name'] as string | undefined) ?? 'endpoints1',
  };
  return {
    object: attributes.delete === true ? null : object,
    oldObject: attributes.delete === true ? object : null,
    params: paramsOf(row.params),
    request: () => schemaValue(request, requestType),
    namespaceObject: null,
    authorizer: new AuthorizerValue(source, undefined),
    'authorizer.requestResource': () => requestResourceValue(source, resource),
  };
}

interface Run {
  readonly outcomes: readonly (Outcome | { readonly kind: 'invalid'; readonly message: string })[];
  readonly left: number;
  readonly asked: readonly AuthorizationQuestion[];
}

async function run(row: Row): Promise<Run> {
  const minor = Number(row.compatibilityVersion?.split('.')[1] ?? 33);
  const language = createLanguage({ release: minor + 1, costs: costTables.kubernetes });
  const place = admissionContext({ params: row.hasParamKind, authorizer: true });
  const stored = row.envType?.includes('Stored') === true;
  const environment = stored ? language.forStored(place) : language.forNew(place);
  const asked: AuthorizationQuestion[] = [];
  const late = lateValues();
  const questions = authorizerQuestions((question) => {
    asked.push(question);
    return Promise.resolve(answerOf(row, question));
  }, late);
  const bindings = bindingsOf(row, questions);
  let left = row.testRuntimeCELCostBudget ?? budgets.perObject;
  if (left < 0) left = budgets.perObject;
  const outcomes: Run['outcomes'][number][] = [];
  for (const { expression } of row.expressions) {
    const compiled = compileExpression(environment, expression);
    if (compiled.kind === 'invalid') {
      outcomes.push({ kind: 'invalid', message: compiled.problem });
      continue;
    }
    const { program } = compiled.expression;
    const budget = row.testPerCallLimit ?? budgets.perEvaluation;
    const outcome = await late.complete(() => program.evaluate(bindings, { budget }));
    left -= outcome.cost;
    outcomes.push(outcome);
    if (left < 0) break;
  }
  return { outcomes, left, asked };
}

describe('conditions of admission', () => {
  for (const row of vectors?.conditions ?? []) {
    test(row.name, async () => {
      const { outcomes } = await run(row);
      for (const [at, { value, error }] of row.results.entries()) {
        const outcome = outcomes[at];
        assert.ok(outcome !== undefined);
        if (error === undefined) {
          assert.ok(
            outcome.kind === 'value',
            'message' in outcome ? outcome.message : outcome.kind,
          );
          assert.equal(outcome.value, value);
        } else {
          assert.ok('message' in outcome, outcome.kind);
          assert.ok(outcome.message.includes(error), outcome.message);
        }
      }
    });
  }
});

describe('budgets of admission', () => {
  for (const row of vectors?.runtimeCost ?? []) {
    test(row.name, async () => {
      const { left, outcomes } = await run(row);
      if (row.exceedBudget === true) assert.ok(left < 0, String(left));
      else if (row.exceedPerCallLimit === true) {
        assert.equal(outcomes.at(-1)?.kind, 'budget-exceeded');
      } else assert.equal(left, row.expectRemainingBudget);
    });
  }
});

describe('the authorizer in expressions', () => {
  const row = (expression: string, allowed: readonly string[] = []): Row => ({
    name: '',
    attributes: {},
    expressions: [{ expression }],
    results: [],
    hasParamKind: false,
    authorizer: {
      allowOnly: {
        Verb: allowed[0],
        Resource: 'pods',
        APIGroup: '',
        Subresource: '',
        Namespace: '',
        Name: '',
      },
    },
  });
  const pods = "authorizer.group('').resource('pods')";

  test('is asked each question once, and only what the result needs', async () => {
    const get = `${pods}.check('get').allowed()`;
    const list = `${pods}.check('list').allowed()`;
    const first = await run(row(`${get} || ${list} || ${get}`, ['get']));
    assert.deepEqual(
      first.asked.map(({ verb }) => verb),
      ['get'],
    );
    const both = await run(row(`${get} || ${list} || ${get}`));
    assert.deepEqual(
      both.asked.map(({ verb }) => verb),
      ['get', 'list'],
    );
  });

  test('costs the same as if the answers had been there', async () => {
    const get = `${pods}.check('get').allowed()`;
    const { outcomes } = await run(row(get, ['get']));
    assert.equal(outcomes[0]?.kind === 'value' && outcomes[0].cost, 350_004);
  });

  test('is asked on behalf of a service account', async () => {
    const { asked } = await run(
      row("authorizer.serviceAccount('ns', 'sa').path('/healthz').check('get').allowed()"),
    );
    assert.deepEqual(asked, [
      {
        kind: 'path',
        user: { namespace: 'ns', serviceAccount: 'sa' },
        path: '/healthz',
        verb: 'get',
      },
    ]);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('ns', 'A').path('/x').check('get').allowed()", 'Invalid service'],
    ["authorizer.serviceAccount('a.b', 'a').path('/x').check('get').allowed()", 'Invalid service'],
  ];
  for (const [expression, problem] of wrong) {
    test(`${expression} is an error, and nobody is asked`, async () => {
      const { asked, outcomes } = await run(row(expression));
      const [outcome] = outcomes;
      assert.ok(outcome?.kind === 'error');
      assert.ok(outcome.message.includes(problem), outcome.message);
      assert.equal(asked.length, 0);
    });
  }
});
