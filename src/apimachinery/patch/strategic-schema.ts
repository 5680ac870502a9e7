/**
 * What strategic merge asks of a type: how a field's lists and maps merge.
 *
 * A field nobody knows has no rule: its maps merge, its lists are replaced.
 */
import type { ObjectSchema, TypeSchema } from '../typed/type-schema.ts';

export interface FieldRule {
  /** `merge`, `replace`, `retainKeys`, or several of them; empty: none declared. */
  readonly strategies: readonly string[];
  readonly mergeKey: string | undefined;
  /** Rules inside the field; of its items when it is a list. */
  readonly inside: StrategicSchema;
}

export type StrategicSchema = (field: string) => FieldRule;

const withoutRules: FieldRule = {
  strategies: [],
  mergeKey: undefined,
  inside: () => withoutRules,
};

export const noRules: StrategicSchema = () => withoutRules;

const memo = new WeakMap<ObjectSchema, StrategicSchema>();

export function strategicSchemaOf(type: TypeSchema): StrategicSchema {
  switch (type.kind) {
    case 'object':
      return rulesOfObject(type);
    case 'list':
      return strategicSchemaOf(type.items);
    case 'map': {
      const inside = type.values;
      return () => ({ ...withoutRules, inside: strategicSchemaOf(inside) });
    }
    case 'union': {
      const form = type.alternatives.find(({ type: { kind } }) => kind === 'object');
      return form === undefined ? noRules : strategicSchemaOf(form.type);
    }
    case 'scalar':
      return noRules;
  }
}

function rulesOfObject(type: ObjectSchema): StrategicSchema {
  const known = memo.get(type);
  if (known !== undefined) return known;
  const rules = new Map<string, FieldRule>();
  const schema: StrategicSchema = (name) => {
    const found = rules.get(name);
    if (found !== undefined) return found;
    const field = type.members.get(name);
    if (field === undefined) return withoutRules;
    const rule: FieldRule = {
      strategies: field.merge.patchStrategy ?? [],
      mergeKey: field.merge.patchMergeKey,
      inside: strategicSchemaOf(field.type),
    };
    rules.set(name, rule);
    return rule;
  };
  memo.set(type, schema);
  return schema;
}
