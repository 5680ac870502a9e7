/** Only texts name users and groups: a value of another type has no one reading. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readCertificates } from '../../src/pki/certificates.ts';
import { namesWithTexts } from '../../src/pki/subject-texts.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-subject');

const element = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
};
const name = (type: string, tag: number, text = 'someone'): Uint8Array => {
  const attribute = element(
    0x30,
    element(0x06, Buffer.from(type, 'hex')),
    element(tag, Buffer.from(text)),
  );
  return element(0x30, element(0x31, attribute));
};
const commonName = '550403';
const organization = '55040a';
const uid = '2b0601040183c25302';
const mail = '2a864886f70d010901';

const rows: readonly (readonly [string, Uint8Array, boolean])[] = [
  ['a UTF8String', name(commonName, 0x0c), true],
  ['a PrintableString', name(organization, 0x13), true],
  ['a TeletexString', name(uid, 0x14), true],
  ['a BMPString', name(commonName, 0x1e), true],
  ['an octet string', name(commonName, 0x04), false],
  ['a number', name(organization, 0x02, '\u0007'), false],
  ['an IA5String', name(commonName, 0x16), false],
  ['a bit string as uid', name(uid, 0x03), false],
  ['an IA5String as mail address', name(mail, 0x16), true],
  ['no name at all', element(0x30), true],
  ['no sequence', new Uint8Array(0), false],
];

describe('the subject of a certificate', () => {
  for (const [title, der, expected] of rows) {
    it(`${title} ${expected ? 'is taken' : 'names nobody'}`, () => {
      assert.equal(namesWithTexts(der), expected);
    });
  }

  const missing = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not there';
  it('as OpenSSL writes it is taken, in each of its string types', { skip: missing }, async () => {
    const folder = directories.make();
    const config = path.join(folder, 'request.cnf');
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    for (const mask of ['utf8only', 'pkix', 'default']) {
      const name = '[req]\nprompt=no\ndistinguished_name=d\n[d]\nO=groups\nCN=ann\n';
      writeFileSync(config, `string_mask=${mask}\n${name}`);
      const options = ['-keyout', '/dev/null', '-days', '2', '-config', config];
      const made = spawnSync('openssl', ['req', '-x509', ...key, ...options], { encoding: 'utf8' });
      const [read] = readCertificates(made.stdout) ?? [];
      assert(read !== undefined, made.stderr);
      assert.deepEqual([read.commonName, read.organizations], ['ann', ['groups']]);
      assert.equal(read.unusable, undefined);
    }
    await directories.removeAll();
  });
});
