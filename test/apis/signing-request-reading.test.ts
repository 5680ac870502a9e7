/** What a signing request asks for is read in a step of its own when it is created. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { readSigningRequest } from '../../src/pki/certificate-requests.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { makeRequest, somebody } from '../support/data/signing-requests.ts';

const identity = identityOf('kubernetes');

function strategy() {
  const built = buildScheme({ identity });
  assert.ok(built.kind === 'ok');
  const group = 'certificates.k8s.io';
  const kind = built.scheme.findKind(group, 'v1', 'CertificateSigningRequest');
  assert.ok(kind !== undefined);
  return strategiesOf(identity)(kind);
}

function asking(request: string): ApiObject {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a' },
    spec: { request, signerName: 'example.com/signer', usages: ['client auth'] },
  };
}

describe('signing requests that are created together', () => {
  it('are read beforehand, in turns: the validation finds what has been read', async () => {
    const { base64 } = await makeRequest(somebody);
    const pem = Buffer.from(base64, 'base64').toString('latin1');
    const { prepareValidation, validateCreated } = strategy();
    const work = prepareValidation?.(asking(base64), undefined);
    assert.ok(work !== undefined, 'there is a step for it');
    finished(work);
    const read = readSigningRequest(pem);
    assert.equal(read.kind, 'ok');
    assert.deepEqual(validateCreated(asking(base64)), []);
    assert.equal(readSigningRequest(pem), read, 'nobody reads it anew');
  });

  it('are refused for what is wrong with them all the same', () => {
    const { prepareValidation, validateCreated } = strategy();
    const bad = asking(Buffer.from('no request').toString('base64'));
    const work = prepareValidation?.(bad, undefined);
    if (work !== undefined) finished(work);
    assert.equal(validateCreated(bad)[0]?.field, 'spec.request');
  });

  it('are not read again when they change', async () => {
    const { base64 } = await makeRequest(somebody);
    assert.equal(strategy().prepareValidation?.(asking(base64), asking(base64)), undefined);
  });
});
