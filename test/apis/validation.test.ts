/** Rules of the built-in kinds: each wrong object gets exactly the errors that clients know. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { defaultersOf } from '../../src/apis/defaults/defaulters.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { makeTypedValidators } from '../../src/apimachinery/typed/validate-typed.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { schemaExemptionsOf } from '../../src/apis/schema-exemptions.ts';
import { unlessSaid } from '../../src/apis/strategies.ts';
import { rulesByResource, rulesByVersion } from './rules-by-resource.ts';
import { validationRows } from '../support/data/validation-rows.ts';
import type { ValidationRow } from '../support/data/validation-row.ts';
import { kindOf, kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);
const defaultsOf = defaultersOf(kubernetes);
const rules = rulesByResource(kubernetes);
const versionRules = rulesByVersion(kubernetes);
const schemaRules = makeTypedValidators(schemaExemptionsOf(builtInKinds));

function objectOf(version: string, kind: string, content: JsonObject): ApiObject {
  const schema = types.object(kindOf(version, kind).type);
  const metadata = { name: 'x', namespace: 'default' };
  const conformed = conform(schema, { apiVersion: version, kind, metadata, ...content });
  assert(conformed.kind === 'ok', JSON.stringify(conformed));
  assert.deepEqual(conformed.unknownFields, []);
  return defaultsOf(schema)(conformed.object) as ApiObject;
}

function errorsOf({ version, kind, object, from, status }: ValidationRow): readonly string[] {
  const row = kindOf(version, kind);
  const own = rules[`${row.group}/${row.resource}`];
  assert(own !== undefined, `${kind} has rules`);
  const next = objectOf(version, kind, object);
  const ofVersion = versionRules.get(`${version}/${row.resource}`);
  if (status !== undefined) {
    const written = objectOf(version, kind, { ...object, status });
    const found = [own, ofVersion].flatMap(
      (each) => each?.validateStatusUpdate?.(written, next) ?? [],
    );
    return found.map(formatFieldError);
  }
  const said = own.validate?.(next) ?? [];
  const errors = [...unlessSaid(schemaRules(types.object(row.type))(next), said), ...said];
  for (const each of [own, ofVersion]) {
    if (from === undefined) errors.push(...(each?.validateCreate?.(next) ?? []));
    else errors.push(...(each?.validateUpdate?.(next, objectOf(version, kind, from)) ?? []));
  }
  return errors.map(formatFieldError);
}

describe('rules', () => {
  for (const row of validationRows) {
    it(`${row.kind}: ${row.title}`, () => assert.deepEqual(errorsOf(row), row.errors));
  }

  it('every kind with rules has a row that is right and a row that is wrong', () => {
    const named = new Map<string, Set<boolean>>();
    for (const { version, kind, errors } of validationRows) {
      const row = kindOf(version, kind);
      const key = `${row.group}/${row.resource}`;
      named.set(key, (named.get(key) ?? new Set()).add(errors.length === 0));
    }
    const missing = Object.keys(rules).filter((key) => (named.get(key)?.size ?? 0) < 2);
    assert.deepEqual(missing, []);
  });
});
