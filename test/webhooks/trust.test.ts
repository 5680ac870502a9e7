/** Whom calls to other services trust: any certificate that their CA bundle names. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exchangeJson } from '../../src/authentication/json-client.ts';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { createWebhookPoster } from '../../src/webhooks/webhook-poster.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';

const nowMs = systemClock.nowMs();
const validity = { notBeforeMs: nowMs - 3_600_000, notAfterMs: nowMs + 3_600_000 };
const timeoutMs = 30_000;

describe('a service whose certificate a CA has signed', () => {
  let authority: KeyPair;
  let leaf: KeyPair;
  let sibling: KeyPair;
  let service: RemoteService;
  before(async () => {
    authority = await makeAuthority({ commonName: 'ca', ...validity });
    const template = { commonName: 'localhost', dnsNames: ['localhost'], ...validity };
    leaf = await makeCertificate(template, keyPurposes.serverAuth, authority);
    sibling = await makeCertificate(template, keyPurposes.serverAuth, authority);
    service = await startRemoteService((_body, _request, response) => response.end('{}'), {
      cert: leaf.certificatePem,
      key: leaf.keyPem,
    });
  });
  after(() => service.close());

  const post = async (ca: string): Promise<string> => {
    const poster = createWebhookPoster(
      {
        url: new URL(service.url),
        ca,
        serverName: undefined,
        insecureSkipVerify: false,
        certificate: undefined,
        authorization: () => undefined,
      },
      systemTimers,
    );
    try {
      return (await poster.post('{}', timeoutMs)).toString();
    } finally {
      poster.close();
    }
  };
  const exchange = async (ca: string): Promise<number> => {
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const asked = { method: 'GET', timeoutMs, answerBytesMax: 1000 } as const;
    const ports = { timers: systemTimers, turns };
    return (await exchangeJson({ url: service.url, ca }, asked, ports)).status;
  };

  it('is called if the bundle names that CA', async () => {
    assert.equal(await post(authority.certificatePem), '{}');
    assert.equal(await exchange(authority.certificatePem), 200);
  });

  // Test environments of controllers put it there alone.
  it('is called if the bundle names the very certificate that the service shows', async () => {
    assert.equal(await post(leaf.certificatePem), '{}');
    assert.equal(await exchange(leaf.certificatePem), 200);
  });

  it('is not called if the bundle names another certificate of that CA', async () => {
    await assert.rejects(post(sibling.certificatePem), /unable to/);
    await assert.rejects(exchange(sibling.certificatePem), /unable to/);
  });
});
