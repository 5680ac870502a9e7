/**
 * The defaults of the built-in kinds: every table of this folder, and how one is written.
 *
 * What it is not: the engine (src/apimachinery/typed/defaulting.ts says when rows run, and what an
 * object looks like then).
 *
 *     export const serviceDefaults: DefaultTable = {
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
import type { DefaultTable, Defaulter } from '../../apimachinery/typed/defaulting.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import { coreDefaults } from './core.ts';
import { deploymentDefaults } from './deployments.ts';
import { olderVersionDefaults } from './older-versions.ts';
import { otherDefaults } from './others.ts';
import { pluralFieldDefaults } from './plural-fields.ts';
import { podDefaults } from './pods.ts';
import { policyDefaults } from './policies.ts';
import { resourceListDefaults } from './resource-lists.ts';
import { serviceDefaults } from './services.ts';
import { workloadDefaults } from './workloads.ts';

const tables: readonly DefaultTable[] = [
  coreDefaults,
  deploymentDefaults,
  olderVersionDefaults,
  otherDefaults,
  pluralFieldDefaults,
  podDefaults,
  policyDefaults,
  resourceListDefaults,
  serviceDefaults,
  workloadDefaults,
];

/** The defaulter of a type: pure, and filling twice is filling once. */
export function defaultersOf(identity: Identity): (schema: ObjectSchema) => Defaulter {
  return makeDefaulters(tables, identity);
}
