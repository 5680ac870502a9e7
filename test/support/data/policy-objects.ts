/** Admission policies and their bindings, for tests; and putting them in force on a server. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { Reply, TestServer } from '../servers/test-server.ts';

const group = 'admissionregistration.k8s.io';

/** Rules of creations and updates of one resource: `apps/v1/deployments`, `/v1/pods/exec`. */
export function ruleOf(place: string, operations = ['CREATE', 'UPDATE']): JsonObject {
  const [apiGroup = '', version = '', ...resource] = place.split('/');
  const resources = [resource.join('/')];
  return { apiGroups: [apiGroup], apiVersions: [version], resources, operations };
}

export function policyOf(name: string, place: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [ruleOf(place)] }, ...spec },
  };
}

/** Of the same name as its policy. */
export function bindingOf(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  };
}

export function mutatingPolicyOf(name: string, place: string, spec: JsonObject): JsonObject {
  const rules = { matchConstraints: { resourceRules: [ruleOf(place)] } };
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: { reinvocationPolicy: 'Never', ...rules, ...spec },
  };
}

export function mutatingBindingOf(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, ...spec },
  };
}

export interface Policies {
  post(target: string, body: JsonObject): Promise<Reply>;
  /** All of them are in force when this resolves. */
  inForce(...objects: readonly JsonObject[]): Promise<void>;
  /** None that this has put in force is in force any more when this resolves. */
  clear(): Promise<void>;
}

export function policiesOn(server: () => TestServer): Policies {
  const made: string[] = [];
  const post = (target: string, body: JsonObject): Promise<Reply> =>
    server().request('POST', target, { body });
  const seen = async (): Promise<void> => {
    await server().running.parts.streams.waitUntilCurrent();
    await server().running.parts.policies.settled();
  };
  return {
    post,
    async inForce(...objects) {
      for (const object of objects) {
        const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string } & {
          readonly metadata: { readonly name: string };
        };
        const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
        const place = `/apis/${apiVersion}/${plural.toLowerCase()}`;
        const reply = await post(place, object);
        assert.equal(reply.status, 201, reply.text);
        made.push(`${place}/${metadata.name}`);
      }
      await seen();
    },
    async clear() {
      for (const place of made.splice(0).reverse()) await server().request('DELETE', place);
      await seen();
    },
  };
}
