/**
 * The defaults of all kinds, collected from their definitions, and how a table of them is written.
 *
 * Elsewhere: the engine (src/apimachinery/typed/defaulting.ts says when rows run, and what an
 * object looks like then).
 *
 *     const serviceDefaults: DefaultTable = {
 *       fields: {
 *         'core/v1.ServiceSpec': {          a type by its name in field-types.gen.ts
 *           type: 'ClusterIP',              a constant
 *           allocateLoadBalancerNodePorts: when({ type: 'LoadBalancer' }, true),
 *         },
 *         'core/v1.ServicePort': {
 *           targetPort: (port) => port['port'],   a function of the object that holds the field
 *         },
 *       },
 *       complete: { ... },                  what depends on more than its own object
 *     };
 *
 * Rows of one type run in order, outer objects before inner ones. An object field that is not
 * nullable (no `?` in its row) is always there, so no row makes it; one that is nullable gets `{}`
 * where the reference makes it, and its own rows then fill it. Names that hold a domain are written
 * `{domain}` or `{labelDomain}` in constants; functions take them from `context.identity`. A type
 * stands in one table only. Versions of a group are separate types: share rows by a constant.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { makeDefaulters } from '../../apimachinery/typed/defaulting.ts';
import type { Defaulter } from '../../apimachinery/typed/defaulting.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import { builtInKinds } from '../kind-set.ts';
import type { KindSet } from '../kind-set.ts';

/** The defaulter of a type: pure, and filling twice is filling once. */
export function defaultersOf(
  identity: Identity,
  { definitions }: KindSet = builtInKinds,
): (schema: ObjectSchema) => Defaulter {
  const tables = definitions.flatMap(({ defaults }) => (defaults === undefined ? [] : [defaults]));
  return makeDefaulters(tables, identity);
}
