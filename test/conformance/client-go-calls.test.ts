/**
 * Typed calls of the reference's client library, in every encoding that it speaks: objects, lists,
 * watches, subresources, reviews, discovery, recorders, and every kind that it has a client for.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { readCorpus } from '../support/data/corpora.ts';
import { buildGoClient, findGo, runGoClient } from '../support/clients/go-client.ts';
import { startRestartedServer } from '../support/servers/restarted-server.ts';
import type { RestartedServer } from '../support/servers/restarted-server.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-client-go');

const found = findGo();
const skip = found.kind === 'missing' ? found.reason : false;
/** Of all checks: less means that some were left out. */
const checksMin = 190;

interface Stub {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: JsonObject;
}

/** Valid objects of many kinds, each with its apiVersion, kind and namespace. */
function stubs(): object[] {
  const file = 'object-stubs/cases.json';
  return readCorpus<{ readonly cases: readonly Stub[] }>(file).cases.flatMap((row) => {
    const { group, version, resource } = row;
    const kind = catalogue.find(
      (each) =>
        kubernetes.fill(each.group) === group &&
        each.version === version &&
        each.resource === resource,
    );
    if (kind === undefined) return [];
    const text = JSON.stringify(row.stub).replaceAll('etcdstoragepathtestnamespace', 'default');
    const stub = JSON.parse(text) as { readonly metadata: object };
    const scope = kind.namespaced ? { namespace: 'default' } : {};
    const object = {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind: kind.kind,
      ...stub,
      metadata: { ...stub.metadata, ...scope },
    };
    return [{ group, version, resource, kind: kind.kind, object }];
  });
}

interface Row {
  readonly contentType: string;
  readonly credential: 'certificate' | 'token';
  readonly env?: Readonly<Record<string, string>>;
}

const rows: readonly Row[] = [
  { contentType: 'application/vnd.kubernetes.protobuf', credential: 'certificate' },
  { contentType: 'application/json', credential: 'token' },
  {
    contentType: 'application/cbor',
    credential: 'token',
    env: { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' },
  },
];

describe('client-go calls', { skip }, () => {
  let program = '';
  let folder = '';
  let running: RestartedServer;
  let stubsFile = '';
  before(async () => {
    if (found.kind === 'found') program = await buildGoClient(found);
    folder = directories.make();
    stubsFile = path.join(folder, 'stubs.json');
    await writeFile(stubsFile, JSON.stringify(stubs()));
    running = await startRestartedServer([
      '--runtime-config=api/all=true',
      '--feature-gates=CBORServingAndStorage=true',
    ]);
  });
  after(async () => {
    await running.remove();
    await directories.removeAll();
  });

  for (const [at, { contentType, credential, env }] of rows.entries()) {
    it(`in ${contentType}, with a ${credential}, mean what they say`, async (t) => {
      const client = runGoClient(
        program,
        [
          'calls',
          `-kubeconfig=${await running.kubeconfigOf(credential)}`,
          `-content-type=${contentType}`,
          `-namespace=calls-${at}`,
          `-stubs=${stubsFile}`,
        ],
        env,
      );
      await client.ended;
      for (const { name, problem } of client.lines) {
        await t.test(String(name), () => assert.equal(problem, ''));
      }
      assert.ok(client.lines.length >= checksMin, `${client.lines.length} checks`);
    });
  }
});
