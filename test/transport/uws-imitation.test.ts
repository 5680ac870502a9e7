import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { chooseTransport } from '../../src/transport/choose.ts';
import { isNativeBinding, loadUws } from '../../src/transport/uws/uws-binding.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const require = createRequire(import.meta.url);
const bindingModule = new URL('../../src/transport/uws/uws-binding.js', import.meta.url).href;

async function inChild(code: string, env: Record<string, string>): Promise<string> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...env },
  });
  return stdout;
}

describe('the JavaScript imitation of uWebSockets.js is never used', () => {
  it('the switch that makes the package choose its imitation changes nothing', async () => {
    const code = `const { loadUws } = await import(${JSON.stringify(bindingModule)});
      const load = await loadUws();
      console.log(JSON.stringify([load.ok, load.ok && /native code/.test(String(load.uws.App))]));`;
    const plain = await inChild(code, {});
    assert.equal(await inChild(code, { UWS_USE_FALLBACK: '1' }), plain);
    assert.match(plain, /^\[(true,true|false,false)\]\n$/);
  });

  it('the imitation itself is recognised and refused', () => {
    const imitation: unknown = require('uWebSockets.js/dist/index.js');
    assert.equal(typeof (imitation as Record<string, unknown>)['App'], 'function');
    assert.equal(isNativeBinding(imitation), false);
    assert.equal(isNativeBinding(undefined), false);
    assert.equal(isNativeBinding({ App: () => ({}) }), false);
  });

  it('a package without a binary for this platform gives a reason, not an imitation', async () => {
    const load = await loadUws([
      { packageName: 'uWebSockets.js', binaries: '../no-such-directory' },
      { packageName: '@nobody/nothing', binaries: '.' },
    ]);
    assert.equal(load.ok, false);
    assert.match(load.ok ? '' : load.why, /uWebSockets\.js .*no-such.*; @nobody\/nothing/s);
  });

  it('a file in the place of the binary that is JavaScript is refused', async () => {
    const directories = testDirectories('uws-imitation');
    const directory = directories.make();
    try {
      const { platform, arch, versions } = process;
      const binary = join(directory, `uws_${platform}_${arch}_${versions.modules}.node`);
      await writeFile(binary, 'module.exports = { App() {} };');
      await writeFile(join(directory, 'entry.cjs'), '');
      const load = await loadUws([{ packageName: join(directory, 'entry.cjs'), binaries: '.' }]);
      assert.equal(load.ok, false);
    } finally {
      await directories.removeAll();
    }
  });
});

describe('the choice of a transport', () => {
  const absent = () => Promise.resolve({ ok: false, why: 'no binary' } as const);
  const tls = { certificatePem: '', keyPem: '' };
  const onlyNode = [
    { ...tls, clientCaPem: 'x' },
    { ...tls, minVersion: 'TLSv1.3' },
  ] as const;

  it('auto falls back to node, and says why', async () => {
    const chosen = await chooseTransport('auto', undefined, absent);
    assert.ok(chosen.kind === 'chosen');
    assert.equal(chosen.name, 'node');
    assert.match(chosen.notes.join(), /no binary/);
  });

  it('an explicit uws that cannot be had is refused, without a binding and for what only node can', async () => {
    const refused = await chooseTransport('uws', undefined, absent);
    assert.ok(refused.kind === 'refused');
    assert.match(refused.why, /no binary/);
    for (const only of onlyNode) assert.equal((await chooseTransport('uws', only)).kind, 'refused');
  });

  it('TLS with client certificates, or 1.3 alone, is served by node; without a binding all of it', async () => {
    for (const only of onlyNode) {
      const chosen = await chooseTransport('auto', only);
      assert.equal(chosen.kind === 'chosen' && chosen.name, 'node');
    }
    const chosen = await chooseTransport('auto', tls, absent);
    assert.equal(chosen.kind === 'chosen' && chosen.name, 'node');
    assert.equal((await chooseTransport('node', undefined)).kind, 'chosen');
  });

  it('without a binding the note names the package that brings one back, and what that needs', async () => {
    const chosen = await chooseTransport('auto', undefined, absent);
    assert.ok(chosen.kind === 'chosen');
    assert.match(chosen.notes.join(), /npm install @btc-vision\/uwebsockets\.js/);
    assert.match(chosen.notes.join(), /glibc is 2\.38/);
  });
});
