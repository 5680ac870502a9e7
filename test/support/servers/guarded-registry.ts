/** A registry over a server's store whose writes are reviewed by the plugins of a test. */
import assert from 'node:assert/strict';
import { createActorSystem } from '../../../actors/actor-system.ts';
import { createRoot } from '../../../actors/root-actor.ts';
import type { AdmissionPlugin } from '../../../src/admission/admission.ts';
import { createAdmissionTimes } from '../../../src/admission/admission-times.ts';
import { admissionGuards } from '../../../src/admission/chain.ts';
import { encodeObject, decodeObject } from '../../../src/apimachinery/object-encoding.ts';
import { decisionsOf } from '../../../src/apis/operations.ts';
import { createAnswers } from '../../../src/registry/answers.ts';
import { createDecide } from '../../../src/registry/decide.ts';
import type { RegistryDeps } from '../../../src/registry/registry.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { decodeRecord, recordToPut } from '../../../src/storage/record-codec.ts';
import type { TestServer } from './test-server.ts';

/** `plugins` is asked for each write: a test may change them. */
export function guardedRegistry(
  server: TestServer,
  plugins: () => readonly AdmissionPlugin[],
): RegistryDeps {
  const { committer, registry: own, storage } = server.running.parts;
  const { clock, identity, scheme, strategyOf } = own;
  const access = { check: () => ({ kind: 'allow', reason: '' }) as const };
  const times = createAdmissionTimes(systemClock);
  const chain = { identity, access, times, clock: systemClock, timers: systemTimers };
  const guardOf: RegistryDeps['guardOf'] = (user, write, operations) =>
    admissionGuards(plugins(), chain)(user, write, operations);
  const actors = createActorSystem({
    root: createRoot(),
    storage,
    committer,
    clock,
    timers: systemTimers,
    decide: createDecide({ scheme, identity, strategyOf, operations: decisionsOf() }),
    answer: createAnswers(scheme, guardOf, strategyOf),
    decodeObject,
    decodeRecord,
    encode(key, object) {
      const { bytes, metadataAt } = encodeObject(object);
      const { labels = {}, uid = '' } = object.metadata;
      const fields = scheme.fieldsOf(key, object);
      return { record: { uid, labels, fields, metadataAt, object: bytes } };
    },
    encodeRecord: recordToPut,
    onBroken: (error) => assert.fail(String(error)),
  });
  return { ...own, actors, guardOf };
}
