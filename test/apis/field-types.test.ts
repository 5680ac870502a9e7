/** The field-level types against the facts: what the compact rows say is what the facts say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { FieldSchema, TypeSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { builtInGroups } from '../../src/apis/groups.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { noVectors, readFacts } from '../support/data/corpora.ts';
import {
  enumOf,
  hasTypeMeta,
  isUnion,
  rawTypes,
  typeMeta,
  typeModules,
} from '../../generate/field-types.ts';
import type { FactField, FactType, TypeFacts } from '../../generate/field-types.ts';

const facts = readFacts<TypeFacts>();
const types = fieldTypes(identityOf('kubernetes'));

function factOf(schema: TypeSchema): FactType {
  switch (schema.kind) {
    case 'object':
    case 'union':
      return { ref: schema.name };
    case 'list':
      return { list: factOf(schema.items) };
    case 'map':
      return { map: factOf(schema.values) };
    case 'scalar':
      return schema.values === undefined ? schema.scalar : { enum: schema.values };
  }
}

/** A raw type has lost its name on the way: it is JSON wherever it stands. */
function withRawTypes(type: FactType): FactType {
  if (typeof type === 'string' || 'enum' in type) return type;
  if ('list' in type) return { list: withRawTypes(type.list) };
  if ('map' in type) return { map: withRawTypes(type.map) };
  return rawTypes.has(type.ref) ? 'JSON' : type;
}

function fieldFact(field: FieldSchema): object {
  const { merge } = field;
  return withoutUndefined({
    name: field.inline ? undefined : field.name,
    inline: field.inline || undefined,
    number: field.number,
    type: factOf(field.type),
    required: field.required || undefined,
    nullable: field.nullable || undefined,
    default: field.default,
    ...merge,
    patchStrategy: merge.patchStrategy?.join(','),
  });
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

describe('field-level types', () => {
  it('are what the generator makes of the facts', { skip: noVectors }, () => {
    for (const [file, text] of Object.entries(typeModules(facts))) {
      assert.equal(readFileSync(path.join(process.cwd(), file), 'utf8'), text, file);
    }
  });

  it('give every fact back, field by field', { skip: noVectors }, () => {
    for (const [name, struct] of Object.entries(facts.types)) {
      if (name === typeMeta) continue;
      const schema = types.find(name);
      if (rawTypes.has(name)) {
        assert.deepEqual(schema, { kind: 'scalar', scalar: 'JSON' });
        continue;
      }
      assert.ok(schema?.kind === 'object' || schema?.kind === 'union', name);
      assert.equal(schema.kind === 'union', isUnion(struct), name);
      const own = hasTypeMeta(struct);
      if (schema.kind === 'object') {
        assert.equal(schema.hasTypeMeta, own, name);
        assert.equal(schema.atomic, struct.structType === 'atomic', name);
      }
      const fields = schema.kind === 'object' ? schema.fields : schema.alternatives;
      const expected = (own ? struct.fields.slice(1) : struct.fields).map((field: FactField) => ({
        ...field,
        type: withRawTypes(field.type),
      }));
      assert.deepEqual(fields.map(fieldFact), expected, name);
    }
  });

  it(
    'have every type once, and nothing the facts do not have but what is added by hand',
    { skip: noVectors },
    () => {
      const rows = builtInGroups.flatMap(({ kinds }) =>
        kinds.map((kind) => kind.added?.types ?? ''),
      );
      const packages = [...rows.join('\n').matchAll(/^package (\S+)\//gm)].map(([, name]) => name);
      const added = types.names().filter((name) => packages.includes(name.split('/')[0]));
      assert.ok(added.length >= 12, 'those of APIService');
      for (const name of added) assert.equal(facts.types[name], undefined, name);
      const expected = [...Object.keys(facts.types).filter((name) => name !== typeMeta), ...added];
      assert.deepEqual([...types.names()].sort(), expected.sort());
      assert.equal(types.find('core/v1.Nothing'), undefined);
      assert.equal(types.find('core/v1.Pod'), types.find('core/v1.Pod'));
    },
  );

  it('number the fields of a message without a clash', () => {
    for (const name of types.names()) {
      const schema = types.find(name);
      if (schema?.kind !== 'object') continue;
      const numbers = schema.fields.flatMap((f) => (f.number === undefined ? [] : [f.number]));
      assert.equal(new Set(numbers).size, numbers.length, name);
    }
  });

  it('show inline fields where JSON has them', () => {
    const volume = types.object('core/v1.Volume');
    assert.equal(volume.members.get('name')?.number, 1);
    assert.equal(volume.members.get('configMap')?.type.kind, 'object');
    assert.equal(volume.members.has(''), false);
  });

  it('spell the domain of labels as the identity does', () => {
    const field = (identity: 'svc' | 'kubernetes') =>
      fieldTypes(identityOf(identity)).object('core/v1.Secret').members.get('type')?.type;
    const values = (schema: TypeSchema | undefined) =>
      schema?.kind === 'scalar' ? schema.values : undefined;
    assert.ok(values(field('kubernetes'))?.includes('kubernetes.io/tls'));
    assert.ok(values(field('svc'))?.includes('svc.io/tls'));
    assert.ok(enumOf({ enum: ['a'] })?.includes('a'));
  });

  it('are joined to every kind that can be served, and to its list', () => {
    const all = parseRuntimeConfig('api/all=true');
    assert.ok(all.kind === 'ok');
    const built = buildScheme({ identity: identityOf('kubernetes'), runtimeConfig: all.value });
    assert.ok(built.kind === 'ok');
    for (const kind of built.scheme.kinds) {
      if (kind.operation === true) continue;
      const row = catalogue.find((each) => each.type === kind.schema?.name);
      assert.equal(row?.kind, kind.kind);
      assert.equal(kind.listSchema?.name, `${kind.schema?.name}List`);
      for (const subresource of kind.subresources) assert.ok(subresource.schema !== undefined);
    }
  });
});
