/** What strangers show before anybody knows them costs next to nothing, and is judged once. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import type { PeerCertificate } from '../../src/authentication/authenticator.ts';
import type { Certificate } from '../../src/pki/certificates.ts';
import { createPeerVerifier, peerLimits } from '../../src/authentication/peer-verifier.ts';
import { hourMs, link, nowMs } from '../support/data/certificate-links.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';

const clientAuth = ['1.3.6.1.5.5.7.3.2'];

function setUp(roots: readonly Certificate[]) {
  const time = manualTime(nowMs);
  return { time, verify: createPeerVerifier(() => roots, time.clock) };
}
const peerOf = (...chain: readonly { readonly own: Certificate }[]): PeerCertificate => ({
  chain: chain.map(({ own }) => own.der),
});

/** How many signatures are looked at while `run` runs. */
function signaturesOf(run: () => void): number {
  const { prototype } = X509Certificate;
  const { verify } = prototype;
  let count = 0;
  prototype.verify = function counted(key) {
    count += 1;
    return verify.call(this, key);
  };
  try {
    run();
  } finally {
    prototype.verify = verify;
  }
  return count;
}

describe("a peer's certificate", () => {
  it('is trusted over links in any order, beside certificates of others', async () => {
    const root = await link({ subject: 'root', ca: true });
    const middle = await link({ subject: 'middle', issuer: root, ca: true });
    const low = await link({ subject: 'low', issuer: middle, ca: true });
    const stranger = await link({ subject: 'stranger', ca: true });
    const leaf = await link({ subject: 'leaf', issuer: low, usages: clientAuth });
    const { verify } = setUp([root.own]);
    for (const others of [
      [low, middle],
      [middle, low],
      [stranger, middle, stranger, low, root],
    ]) {
      const verdict = verify(peerOf(leaf, ...others));
      assert.equal(verdict.kind === 'trusted' ? verdict.leaf.commonName : verdict.why, 'leaf');
    }
    assert.equal(verify(peerOf(leaf, low)).kind, 'untrusted');
  });

  it('that no root has signed is judged once, by no key of its own', async () => {
    const root = await link({ subject: 'root', ca: true });
    const forged = await Promise.all(
      Array.from({ length: 7 }, () => link({ subject: 'root', ca: true })),
    );
    const [issuer] = forged;
    assert(issuer !== undefined);
    const leaf = await link({ subject: 'leaf', issuer, usages: clientAuth });
    const { verify } = setUp([root.own]);
    const peer = peerOf(leaf, ...forged);
    // The names say that the root may have signed each of the eight: it is asked once for each.
    assert.equal(
      signaturesOf(() => verify(peer)),
      8,
    );
    const again = signaturesOf(() => {
      for (let request = 0; request < 100; request += 1) {
        assert.deepEqual(verify(peer), { kind: 'untrusted', why: 'no trusted CA has signed it' });
      }
    });
    assert.equal(again, 0);
  });

  it('has a bound of signatures for all who ask together', async () => {
    const keys = { subject: 'ca', ca: true };
    const roots = await Promise.all(Array.from({ length: 20 }, () => link(keys)));
    const leaf = await link({ subject: 'leaf', issuer: await link(keys), usages: clientAuth });
    const verifiers = roots.map(({ own }) => setUp([own, ...roots.map((root) => root.own)]));
    const peer = peerOf(leaf);
    const count = signaturesOf(() => {
      for (const { verify } of verifiers) assert.equal(verify(peer).kind, 'untrusted');
    });
    assert.equal(count, peerLimits.signaturesMax);
  });

  it('is judged anew by other roots, with as many signatures as at first', async () => {
    const first = await link({ subject: 'ca', ca: true });
    const second = await link({ subject: 'ca', ca: true });
    const leaf = await link({ subject: 'leaf', issuer: second, usages: clientAuth });
    let roots = [first.own];
    const verify = createPeerVerifier(() => roots, manualTime(nowMs).clock);
    const peer = peerOf(leaf);
    for (let times = 0; times < peerLimits.signaturesMax; times += 1) {
      roots = [first.own];
      assert.equal(verify(peer).kind, 'untrusted');
      roots = [first.own, second.own];
      assert.equal(verify(peer).kind, 'trusted');
    }
    assert.equal(
      signaturesOf(() => verify(peer)),
      0,
    );
  });

  it('that is not valid yet becomes so, and ends at its end', async () => {
    const root = await link({ subject: 'root', ca: true, notAfterMs: nowMs + 9 * hourMs });
    const leaf = await link({
      subject: 'leaf',
      issuer: root,
      usages: clientAuth,
      notBeforeMs: nowMs + hourMs,
      notAfterMs: nowMs + 2 * hourMs,
    });
    const { time, verify } = setUp([root.own]);
    const peer = peerOf(leaf);
    const kinds = [0, hourMs + 1000, hourMs].map((ms) => {
      time.advance(ms);
      const verdict = verify(peer);
      return verdict.kind === 'trusted' ? 'trusted' : verdict.why;
    });
    assert.deepEqual(kinds, ['it is not valid yet', 'trusted', 'it has expired']);
  });

  it('is refused by its size, its names and its company before it is read', async () => {
    const root = await link({ subject: 'root', ca: true });
    const named = (count: number, text: string) =>
      link({
        subject: 'leaf',
        issuer: root,
        usages: clientAuth,
        extensions: [
          new SubjectAlternativeNameExtension(
            Array.from({ length: count }, (_, i) => ({ type: 'dns', value: `${text}${i}.io` })),
          ),
        ],
      });
    const { verify } = setUp([root.own]);
    const why = (peer: PeerCertificate): string => {
      const verdict = verify(peer);
      return verdict.kind === 'trusted' ? verdict.kind : verdict.why;
    };
    assert.equal(why(peerOf(await named(100, 'n'))), 'trusted');
    assert.equal(why(peerOf(await named(1100, 'n'))), 'it cannot be read');
    const long = await named(500, 'n'.repeat(40));
    assert.equal(why(peerOf(long)), `it is larger than ${peerLimits.bytesMax} bytes`);
    const leaf = await named(1, 'n');
    assert.equal(
      why(peerOf(leaf, ...Array.from({ length: peerLimits.certificatesMax }, () => root))),
      `there are more than ${peerLimits.certificatesMax} certificates`,
    );
    assert.equal(why({ chain: [new Uint8Array([0x30, 0])] }), 'it cannot be read');
    assert.equal(why({ chain: [] }), 'no trusted CA has signed it');
  });
});
