/** The controller that checks policies against the kinds that are served, put together. */
import { schemaOfKind } from '../../admission/expressions/kind-schemas.ts';
import { checkPolicyTypes } from '../../admission/policies/type-check.ts';
import type { KindSchemas } from '../../admission/policies/type-check.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Language } from '../../cel/language.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createPolicyTypeChecks } from '../../controllers/policy-type-checks.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Log } from './log.ts';

export interface PolicyTypeCheckDeps {
  readonly registry: RegistryDeps;
  readonly language: Language;
  readonly queues: QueueMeters;
  readonly timers: Timers;
  readonly log: Log;
}

/** None where a release does not serve policies. */
export function policyTypeChecks(deps: PolicyTypeCheckDeps): readonly Controller[] {
  const { language, log, queues, registry, timers } = deps;
  const { identity, scheme, turns } = registry;
  const group = identity.fill('admissionregistration.{domain}');
  const kind = scheme.findStorage({ group, resource: 'validatingadmissionpolicies' });
  if (kind === undefined) return [];
  const schemas = schemasOf(scheme);
  return [
    createPolicyTypeChecks({
      registry,
      timers,
      queues,
      kind,
      async check(policy) {
        const work = checkPolicyTypes(policy, schemas, language);
        const warnings = await runToEnd(turns, work);
        return warnings.map((warning): JsonObject => ({ ...warning }));
      },
      onError: (policy, err) =>
        log.warn({ err, policy }, 'the types of a policy were not checked; it is tried again'),
    }),
  ];
}

function schemasOf(scheme: Scheme): KindSchemas {
  return {
    kindOf: ({ group, resource, version }) => scheme.findResource(group, version, resource),
    schemaOf({ group, kind, version }) {
      const found = scheme.findKind(group, version, kind);
      return found && schemaOfKind(found);
    },
  };
}
