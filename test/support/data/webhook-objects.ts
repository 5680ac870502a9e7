/** Configurations of admission webhooks, for tests; and putting them in force on a server. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { TestServer } from '../servers/test-server.ts';

const group = 'admissionregistration.k8s.io';

/** About creations of configuration maps, unless `more` says otherwise. */
export function webhookOf(
  name: string,
  clientConfig: JsonObject,
  more: JsonObject = {},
): JsonObject {
  const core = { apiGroups: [''], apiVersions: ['v1'] };
  return {
    name: `${name}.example.com`,
    clientConfig,
    rules: [{ ...core, resources: ['configmaps'], operations: ['CREATE'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...more,
  };
}

export type WebhookKind = 'Mutating' | 'Validating';

export interface Webhooks {
  /** All of them are in force when this resolves. */
  inForce(kind: WebhookKind, name: string, ...webhooks: readonly JsonObject[]): Promise<void>;
  /** None that this has put in force is in force any more when this resolves. */
  clear(): Promise<void>;
}

export function webhooksOn(server: () => TestServer, version = 'v1'): Webhooks {
  const made: string[] = [];
  const seen = async (): Promise<void> => {
    await server().running.parts.streams.waitUntilCurrent();
    await server().running.parts.webhooks.settled();
  };
  return {
    async inForce(kind, name, ...webhooks) {
      const list = `/apis/${group}/${version}/${kind.toLowerCase()}webhookconfigurations`;
      const apiVersion = `${group}/${version}`;
      const body = {
        apiVersion,
        kind: `${kind}WebhookConfiguration`,
        metadata: { name },
        webhooks,
      };
      const reply = await server().request('POST', list, { body });
      assert.equal(reply.status, 201, reply.text);
      made.push(`${list}/${name}`);
      await seen();
    },
    async clear() {
      for (const place of made.splice(0)) await server().request('DELETE', place);
      await seen();
    },
  };
}
