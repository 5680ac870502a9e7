/** Storms of what the server asks others before it answers: webhooks that answer, or do not. */
import { tlsPair, tlsServerOptions } from '../../test/support/data/tls-pair.ts';
import { startRemoteService } from '../../test/support/servers/remote-service.ts';
import type { RemoteService, Respond } from '../../test/support/servers/remote-service.ts';
import { connectMany, drive } from '../load/http-client.ts';
import { collectionPath, configMap, requestBytes } from '../load/objects.ts';
import { define } from '../load/prepare.ts';
import { documentsDefinition } from './documents.ts';
import type { Scene, Storm } from './storm.ts';
import { readTogether, sendMany, sendOne, until } from './storm.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';
const validating = `${admission}/validatingwebhookconfigurations`;
const mutating = `${admission}/mutatingwebhookconfigurations`;

const group = 'called.storm.example.org';
const documents = (version: string): string =>
  `/apis/${group}/${version}/namespaces/default/documents`;

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly object[];
  };
}

/** Runs `use` beside a service that answers reviews. */
async function beside(respond: Respond, use: (service: RemoteService) => Promise<void>) {
  const service = await startRemoteService(respond, tlsServerOptions);
  try {
    await use(service);
  } finally {
    service.close();
  }
}

const clientConfig = ({ port }: RemoteService): object => ({
  url: `https://localhost:${port}/`,
  caBundle: Buffer.from(tlsPair.certificatePem).toString('base64'),
});

const webhookOf = (service: RemoteService, name: string): object => ({
  name,
  clientConfig: clientConfig(service),
  rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
  sideEffects: 'None',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1'],
});

const allow: Respond = (body, _request, response) => {
  const { apiVersion, kind, request } = JSON.parse(body) as Review;
  const answer = { uid: request.uid, allowed: true };
  response.end(JSON.stringify({ apiVersion, kind, response: answer }));
};

const answeredStorm: Storm = {
  title: '8 writes that 2,000 webhooks match, each of which answers',
  run: (place) =>
    beside(allow, async (service) => {
      const made = (i: number): object => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: `a${i}` },
        webhooks: [webhookOf(service, `a${i}.example.org`)],
      });
      const post = (i: number) => ({ method: 'POST', path: validating, body: made(i) });
      await sendMany(place, place.of(2_000), post, 201);
      const body = (i: number): string => configMap(`answered${i}`, i, 1_000);
      const write = (i: number) => ({ method: 'POST', path: collectionPath, body: body(i) });
      await sendMany(place, 8, write, 201);
      await sendOne(place, { method: 'DELETE', path: validating }, 200);
    }),
};

const resetStorm: Storm = {
  title: '1,000 callers over TLS whose write waits for a webhook that hangs, and that go at once',
  run: (place) => {
    let asked = 0;
    const hang: Respond = () => void (asked += 1);
    return beside(hang, async (service) => {
      const configuration = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'hangs' },
        webhooks: [webhookOf(service, 'hangs.example.org')],
      };
      const install = { method: 'POST', path: mutating, body: configuration };
      await sendOne(place, install, 201);
      const count = place.of(1_000);
      const connections = await connectMany(place.server.securePort ?? 0, count, true);
      const create = (i: number): Buffer =>
        requestBytes('POST', collectionPath, configMap(`waits${i}`, i, 1_000));
      void drive(connections, count, create);
      // The others of them wait in line.
      await until(() => Promise.resolve(asked >= Math.min(count, 100)));
      for (const connection of connections) connection.close();
      await sendOne(place, { method: 'DELETE', path: mutating }, 200);
    });
  },
};

const conversion = (service: RemoteService): object => ({
  strategy: 'Webhook',
  webhook: { clientConfig: clientConfig(service), conversionReviewVersions: ['v1'] },
});

const convert: Respond = (body, _request, response) => {
  const { apiVersion, kind, request } = JSON.parse(body) as Review;
  const convertedObjects = request.objects?.map((object) => {
    return { ...object, apiVersion: request.desiredAPIVersion };
  });
  const result = { status: 'Success' };
  const answer = { uid: request.uid, result, convertedObjects };
  response.end(JSON.stringify({ apiVersion, kind, response: answer }));
};

/** As large as an object may be, in 400 fields. */
const fieldsCount = 400;

const conversionStorm: Storm = {
  title: '8 objects of 2.9 MB that a webhook converts are created, read and listed',
  run: (place) =>
    beside(convert, async (service) => {
      const definition = documentsDefinition(group, ['v1', 'v2'], conversion(service));
      await define(place.port, definition, documents('v1'));
      const text = 'x'.repeat(place.of(2_900_000) / fieldsCount);
      const fields = Object.fromEntries(
        Array.from({ length: fieldsCount }, (_, i) => [`f${i}`, text] as const),
      );
      const made = (i: number): object => ({
        apiVersion: `${group}/v2`,
        kind: 'Document',
        metadata: { name: `d${i}` },
        fields,
      });
      const post = (i: number) => ({ method: 'POST', path: documents('v2'), body: made(i) });
      await sendMany(place, 8, post, 201);
      await readTogether(place, 4, `${documents('v2')}/d0`);
      await readTogether(place, 2, documents('v2'));
      await sendOne(place, { method: 'DELETE', path: documents('v1') }, 200);
    }),
};

export const calledScenes: readonly Scene[] = [
  { storms: [answeredStorm, resetStorm, conversionStorm], flags: ['--secure-port=0'] },
];
