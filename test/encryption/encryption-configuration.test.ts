/** The EncryptionConfiguration file: what is read of it, what is refused, and which entry counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import {
  entriesWithKeys,
  readEncryptionConfiguration,
} from '../../src/encryption/encryption-configuration.ts';
import { createResourceKeys } from '../../src/encryption/resource-keys.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { StoreKey } from '../../src/storage/storage.ts';

const kubernetes = identityOf('kubernetes');
const key16 = Buffer.alloc(16, 1).toString('base64');
const key32 = Buffer.alloc(32, 2).toString('base64');

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';
const keyOf = (kind: string, secret = key32): string =>
  `{${kind}: {keys: [{name: one, secret: ${secret}}]}}`;
const entry = (resources: string, ...providers: readonly string[]): string =>
  `  - {resources: ${resources}, providers: [${providers.join(', ')}]}\n`;
const file = (...entries: readonly string[]): string => `${head}resources:\n${entries.join('')}`;

const read = (text: string) =>
  finished(readEncryptionConfiguration(Buffer.from(text), [kubernetes]));

const held = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };

/** Labels of the keys of a resource, the one that writes first. */
async function labelsOf(text: string, ...resources: readonly string[]): Promise<string[]> {
  const wanted = read(text);
  assert(wanted.kind === 'ok', JSON.stringify(wanted));
  const keys = createResourceKeys('internal.sluice');
  const ofService = (name: string) => ({ ...held, label: `k8s:enc:kms:v2:${name}:` });
  keys.use(await entriesWithKeys(wanted.entries, ofService));
  return resources.map((resource) =>
    keys
      .keysOf(`${resource}/default/a` as StoreKey)
      .map((each) => (each === 'plain' ? each : each.label.replace(/^k8s:enc:|:v1:/g, '')))
      .join(' '),
  );
}

const gcm = keyOf('aesgcm');
const cbc = keyOf('aescbc', key16);
const plain = '{identity: {}}';
const kms = (
  fields = '',
  name = 'vault',
  endpoint = 'unix:///run/v.sock',
  version = 'v2',
): string => `{kms: {apiVersion: ${version}, name: '${name}', endpoint: '${endpoint}'${fields}}}`;
const secrets = '/secrets';
const deployments = 'apps/deployments';
const widgets = 'example.com/widgets';

describe('an EncryptionConfiguration', () => {
  const taken: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    [
      'names one resource',
      file(entry('[secrets]', gcm, plain)),
      [secrets, deployments],
      ['aesgcmone: plain', 'plain'],
    ],
    [
      'tells groups apart',
      file(entry('[widgets.example.com]', gcm)),
      [widgets, '/widgets'],
      ['aesgcmone:', 'plain'],
    ],
    [
      'means the core group by *.',
      file(entry("['*.']", gcm)),
      [secrets, deployments],
      ['aesgcmone:', 'plain'],
    ],
    [
      'means one group by *.apps',
      file(entry("['*.apps']", gcm)),
      [secrets, deployments],
      ['plain', 'aesgcmone:'],
    ],
    [
      'means all by *.*',
      file(entry("['*.*']", gcm)),
      [secrets, widgets],
      ['aesgcmone:', 'aesgcmone:'],
    ],
    [
      'leaves out the book-keeping of the server',
      file(entry("['*.*']", gcm)),
      ['internal.sluice/nodeports'],
      ['plain'],
    ],
    [
      'counts in its order',
      file(entry('[secrets]', cbc), entry("['*.']", gcm)),
      [secrets],
      ['aescbcone:'],
    ],
    [
      'leaves out what an earlier entry leaves plain',
      file(entry('[secrets]', plain), entry("['*.*']", gcm)),
      [secrets, deployments],
      ['plain', 'aesgcmone:'],
    ],
    [
      'has the name that it had once',
      file(entry('[secrets]', gcm)).replace(head, 'apiVersion: v1\nkind: EncryptionConfig\n'),
      [secrets],
      ['aesgcmone:'],
    ],
    [
      'has keys in services',
      file(entry('[secrets]', kms(', timeout: 1m30s'), kms('', 'b'), plain)),
      [secrets, deployments],
      ['kms:v2:vault: kms:v2:b: plain', 'plain'],
    ],
    [
      'has several keys of each kind, in their order',
      file(entry('[secrets]', keyOf('secretbox'), cbc, plain, gcm)),
      [secrets],
      ['secretboxone: aescbcone: plain aesgcmone:'],
    ],
  ];
  for (const [what, text, resources, expected] of taken) {
    it(what, async () => {
      assert.deepEqual(await labelsOf(text, ...resources), expected);
    });
  }

  const keys = (list: string): string => file(entry('[secrets]', `{aesgcm: {keys: ${list}}}`));
  const at = 'resources[0].providers[0]';
  const refused: readonly (readonly [string, string, string])[] = [
    ['no YAML', '{', 'body'],
    ['another kind', head.replace('Encryption', 'Decryption'), 'kind: EncryptionConfiguration'],
    [
      'half of the name that it had once',
      head.replace('apiserver.config.k8s.io/v1', 'v1'),
      'apiVersion: ',
    ],
    ['another group', head.replace('k8s.io', 'example.com'), 'apiVersion: '],
    ['no entry', head, 'resources: at least one is required'],
    ['an unknown field', `${head}provider: []\n`, 'provider: unknown field'],
    ['an entry without resources', file(entry('[]', gcm)), 'resources[0].resources: at least one'],
    ['an entry without providers', file(entry('[secrets]')), 'resources[0].providers: at least'],
    ['an empty provider', file(entry('[secrets]', '{}')), `${at}: exactly one of`],
    [
      'two providers in one',
      file(entry('[secrets]', '{identity: {}, aesgcm: {}}')),
      `${at}: exactly one of`,
    ],
    ['a provider nobody knows', file(entry('[secrets]', '{rot13: {}}')), `${at}.rot13: unknown`],
    [
      'a key service of version 1',
      file(entry('[secrets]', '{kms: {name: a}}')),
      'v1 is not served',
    ],
    [
      'a key service of version 3',
      file(entry('[secrets]', kms('', 'a', 'unix:///s', 'v3'))),
      `${at}.kms.apiVersion: v2 expected`,
    ],
    ['a key service without a name', file(entry('[secrets]', kms('', ''))), 'kms.name: required'],
    ['a key service with a colon', file(entry('[secrets]', kms('', 'a:b'))), "not contain ':'"],
    [
      'two key services of one name',
      file(entry('[secrets]', kms()), entry('[configmaps]', kms('', 'vault', 'unix:///other'))),
      'kms: more than one service is named vault',
    ],
    [
      'a key service nowhere',
      file(entry('[secrets]', '{kms: {apiVersion: v2, name: a}}')),
      `${at}.kms.endpoint: required`,
    ],
    ...['https://kms.example.com', 'unix://run/s', 'unix:s', 'unix:///s?a=b', '/run/s'].map(
      (endpoint): readonly [string, string, string] => [
        `a key service at ${endpoint}`,
        file(entry('[secrets]', kms('', 'a', endpoint))),
        `${at}.kms.endpoint: unix:///PATH expected`,
      ],
    ),
    [
      'a socket whose path is too long',
      file(entry('[secrets]', kms('', 'a', `unix:///${'s'.repeat(200)}`))),
      'has at most 107 bytes',
    ],
    ['a timeout of nothing', file(entry('[secrets]', kms(', timeout: 0s'))), 'a positive value'],
    ['a timeout for ever', file(entry('[secrets]', kms(', timeout: 1h'))), 'at most 10 minutes'],
    ['a timeout that is none', file(entry('[secrets]', kms(', timeout: soon'))), 'not a duration'],
    [
      'a cache',
      file(entry('[secrets]', kms(', cachesize: 5'))),
      'kms.cachesize: not supported in v2',
    ],
    [
      'too many key services',
      file(entry('[secrets]', ...Array.from({ length: 33 }, (_, i) => kms('', `a${i}`)))),
      'kms: at most 32 services',
    ],
    ['no key', keys('[]'), `${at}.aesgcm.keys: at least one is required`],
    ['a key without a name', keys(`[{secret: ${key32}}]`), `${at}.aesgcm.keys[0].name: required`],
    ['a key without a secret', keys('[{name: a}]'), `${at}.aesgcm.keys[0].secret: required`],
    [
      'a secret that is no base64',
      keys('[{name: a, secret: hunter2-hunter2-}]'),
      `${at}.aesgcm.keys[0].secret: secrets must be base64 encoded`,
    ],
    [
      'a secret of another length',
      keys('[{name: a, secret: aHVudGVyMg==}]'),
      `${at}.aesgcm.keys[0].secret: secret is not of the expected length, got 7,` +
        ' expected one of [16 24 32]',
    ],
    [
      'a short secret for secretbox',
      file(entry('[secrets]', keyOf('secretbox', key16))),
      'got 16, expected one of [32]',
    ],
    [
      'a resource twice',
      file(entry('[secrets, secrets]', gcm)),
      'resources[0].resources: the same resource cannot be specified multiple times',
    ],
    ['overlapping names', file(entry("[secrets, '*.']", gcm)), 'using overlapping resources'],
    ['all beside one', file(entry("[a.example.com, '*.*']", gcm)), 'using overlapping resources'],
    [
      'a name behind one that hides it',
      file(entry("['*.']", cbc), entry('[secrets]', gcm)),
      'resources[1].resources[0]: secrets is masked by earlier rule *.',
    ],
    [
      'a name behind all',
      file(entry("['*.*']", cbc), entry('[widgets.example.com]', gcm)),
      'resources[1].resources[0]: widgets.example.com is masked by earlier rule *.*',
    ],
    [
      'a name again',
      file(entry('[secrets]', cbc), entry('[secrets]', gcm)),
      'resources[1].resources[0]: secrets is masked by earlier rule secrets',
    ],
    ['capitals', file(entry('[Secrets]', gcm)), 'should not contain capital letters'],
    ['a star alone', file(entry("['*']", gcm)), "use '*.' to encrypt"],
    ['one name in all groups', file(entry("['a.*']", gcm)), 'across groups is not supported'],
    ['the group of events', file(entry('[events.events.k8s.io]', gcm)), "Use 'events' instead"],
    ['a group that is gone', file(entry('[ingresses.extensions]', gcm)), 'has been removed'],
    ['what has no API', file(entry('[serviceipallocations]', gcm)), 'do not have REST API'],
  ];
  for (const [what, text, problem] of refused) {
    it(`is refused with ${what}, and no secret is told`, () => {
      const answer = read(text);
      assert(answer.kind === 'invalid', 'it is taken');
      const problems = answer.problems.join('; ');
      assert.ok(problem === 'body' || problems.includes(problem), problems);
      assert.doesNotMatch(problems, /hunter2|aHVudGVy|AQEB|AgIC/);
    });
  }
});
