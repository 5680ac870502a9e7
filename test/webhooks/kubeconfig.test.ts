/** Reading kubeconfigs: what the reader gives, and what each of its two users makes of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { exchangeJson } from '../../src/authentication/json-client.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { readRegularFile } from '../../src/stdx/regular-file.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { readTokenReviewServer } from '../../src/authentication/token-review-server.ts';
import { readCallerCredentials } from '../../src/webhooks/caller-credentials.ts';
import { readWebhookTarget } from '../../src/webhooks/kubeconfig-target.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubeconfig');

const folder = directories.make();
after(() => directories.removeAll());

function fileOf(content: string, name = 'config.yaml'): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const server = 'https://hook.test:8443/ask';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function kubeconfig(user: object, cluster: object = { server }, more: object = {}): string {
  return JSON.stringify({
    clusters: [
      { name: 'c', cluster },
      { name: 'c', cluster: { server: 'https://second.test' } },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  });
}

describe('a kubeconfig', () => {
  fileOf('CA of a file', 'ca.pem');
  fileOf(' token of a file\n', 'token');
  fileOf('\n', 'empty');

  const credentials: readonly [string, object, string | undefined][] = [
    ['nothing', {}, undefined],
    ['a token', { token: 't' }, 'Bearer t'],
    ['a token file, without the space around', { tokenFile: 'token' }, 'Bearer token of a file'],
    ['a token file and a token', { tokenFile: 'token', token: 't' }, 'Bearer token of a file'],
    ['a token and a name', { token: 't', username: 'n' }, 'Bearer t'],
    ['a name and a password', { username: 'n', password: 'p' }, `Basic ${base64('n:p')}`],
    ['a name alone', { username: 'n' }, `Basic ${base64('n:')}`],
    ['a password alone', { password: 'p' }, undefined],
    [
      'an empty token file and a name',
      { tokenFile: 'empty', username: 'n' },
      `Basic ${base64('n:')}`,
    ],
  ];
  for (const [title, user, header] of credentials) {
    it(`with ${title} gives ${header ?? 'no credentials'}, to both who read one`, () => {
      const file = fileOf(kubeconfig(user));
      assert.equal(readWebhookTarget(file).authorization(), header);
      assert.equal(readTokenReviewServer(file).authorization?.(), header);
    });
  }

  it('gives the first of two clusters with one name, its CA, and names to verify it by', () => {
    const cluster = {
      server,
      'certificate-authority': 'ca.pem',
      'tls-server-name': 'hook.internal',
      'insecure-skip-tls-verify': true,
    };
    const pair = { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') };
    const file = fileOf(kubeconfig(pair, cluster));
    const target = readWebhookTarget(file);
    assert.equal(target.url.href, server);
    assert.deepEqual(
      [target.ca, target.serverName, target.insecureSkipVerify, target.certificate],
      ['CA of a file', 'hook.internal', true, { cert: 'cert', key: 'key' }],
    );
    const { authorization: _none, ...reviewer } = readTokenReviewServer(file);
    assert.deepEqual(reviewer, {
      url: server,
      ca: 'CA of a file',
      clientCertificate: 'cert',
      clientKey: 'key',
      serverName: 'hook.internal',
      insecure: true,
    });
  });

  it('has data count before a file', () => {
    const cluster = {
      server,
      'certificate-authority': 'missing',
      'certificate-authority-data': base64('CA of the data'),
    };
    assert.equal(readWebhookTarget(fileOf(kubeconfig({}, cluster))).ca, 'CA of the data');
  });

  // Before, the one that is asked about tokens got the token of the start for ever.
  it('has its token file read at every call of a webhook, also of the one for tokens', () => {
    for (const read of [readWebhookTarget, readTokenReviewServer]) {
      fileOf('one', 'changing');
      const { authorization } = read(fileOf(kubeconfig({ tokenFile: 'changing' })));
      assert.equal(authorization?.(), 'Bearer one');
      fileOf('two', 'changing');
      assert.equal(authorization?.(), 'Bearer two');
    }
  });

  it('whose token file has gone has nothing sent', async () => {
    const gone = fileOf('one', 'gone');
    const reviewer = readTokenReviewServer(fileOf(kubeconfig({ tokenFile: 'gone' })));
    rmSync(gone);
    const exchange = { method: 'GET', timeoutMs: 1_000, answerBytesMax: 100 } as const;
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const ports = { timers: systemTimers, turns };
    await assert.rejects(exchangeJson(reviewer, exchange, ports), /ENOENT/);
  });

  it('has a token file that became a pipe refused at once, so that no call waits for a writer', () => {
    const token = fileOf('one', 'replaced');
    const { authorization } = readWebhookTarget(fileOf(kubeconfig({ tokenFile: 'replaced' })));
    rmSync(token);
    execFileSync('mkfifo', [token]);
    assert.throws(authorization, /is not a regular file/);
  });

  it('may be a pipe itself at the start of the server, and is given up while it serves', () => {
    const file = path.join(path.dirname(fileOf('', 'beside')), 'piped');
    execFileSync('mkfifo', [file]);
    const whileServing = (name: string): Buffer => readRegularFile(name, 1024);
    assert.throws(() => readWebhookTarget(file, whileServing), /is not a regular file/);
  });
});

interface UrlRow {
  readonly server: string;
  /** What is called; a pattern: why it is refused. */
  readonly is: string | RegExp;
}

const notHttp = /server: not an http or https URL$/;
const notPlain = /server: must be http:\/\/ or https:\/\/, a host and perhaps a port and a path$/;
const extras = /server: must have neither a user, a query nor a fragment$/;

const urls: readonly UrlRow[] = [
  { server: 'https://hook.test', is: 'https://hook.test/' },
  { server: 'http://hook.test:80/a/b', is: 'http://hook.test/a/b' },
  { server: 'HTTPS://HOOK.test:8443/Ask', is: 'https://hook.test:8443/Ask' },
  { server: 'https://[::1]:8443/ask', is: 'https://[::1]:8443/ask' },
  { server: 'https://127.0.0.1:8443', is: 'https://127.0.0.1:8443/' },
  { server: 'https://hook.test.:8443/ask', is: 'https://hook.test:8443/ask' },
  { server: 'https://hook.test:8443/a%20b/../c', is: 'https://hook.test:8443/c' },
  { server: 'https://user:hunter2@hook.test', is: extras },
  { server: 'https://user@hook.test', is: extras },
  { server: 'https://:hunter2@hook.test', is: extras },
  { server: 'https://@hook.test', is: notPlain },
  { server: 'https://hook.test/ask?token=hunter2', is: extras },
  { server: 'https://hook.test/ask?', is: extras },
  { server: 'https://hook.test/ask#part', is: extras },
  { server: 'https://hook.test#@other.test', is: extras },
  { server: 'https://hook.test\\@other.test', is: notPlain },
  { server: 'https:\\\\hook.test', is: notPlain },
  { server: 'https:hook.test', is: notPlain },
  { server: 'https:///hook.test', is: notPlain },
  { server: ' https://hook.test', is: notPlain },
  { server: 'https://ho\nok.test', is: notPlain },
  { server: 'https://hook.test/a\r\nHost: other.test', is: notPlain },
  { server: 'https://hook.test:0', is: /server: port 0 is nobody’s$/ },
  { server: 'https://hook.test:65536', is: notHttp },
  { server: 'https://hook.test:port', is: notHttp },
  { server: 'https://[::1', is: notHttp },
  { server: 'https://[fe80::1%25eth0]:8443', is: notHttp },
  { server: 'https://', is: notHttp },
  { server: 'https://ho ok.test', is: notHttp },
  { server: 'hook.test:8443', is: notHttp },
  { server: '//hook.test', is: notHttp },
  { server: 'unix:///run/hook.sock', is: notHttp },
  { server: 'http+unix://%2Frun%2Fhook.sock/', is: notHttp },
  { server: 'file:///etc/passwd', is: notHttp },
  { server: 'ftp://hook.test', is: notHttp },
];

describe('the server of a kubeconfig', () => {
  for (const { is, server: given } of urls) {
    const verdict = typeof is === 'string' ? `is ${is}` : 'is refused, by both who read one';
    it(`${JSON.stringify(given)} ${verdict}`, () => {
      const file = fileOf(kubeconfig({}, { server: given }));
      if (typeof is === 'string') {
        assert.equal(readWebhookTarget(file).url.href, is);
        assert.equal(readTokenReviewServer(file).url, is);
        return;
      }
      for (const read of [readWebhookTarget, readTokenReviewServer]) {
        assert.throws(
          () => read(file),
          ({ message }: Error) => is.test(message) && !message.includes('hunter2'),
        );
      }
    });
  }
});

describe('the kubeconfig of token reviews', () => {
  it('need not say which context is current when it has one', () => {
    const file = fileOf(kubeconfig({}, { server }, { 'current-context': '' }));
    assert.equal(readTokenReviewServer(file).url, server);
  });

  const refused: readonly [string, string, RegExp][] = [
    ['is no object', '[]', /config\.yaml is no client configuration$/],
    ['is no YAML', '[: ', /config\.yaml is no client configuration$/],
    [
      'has no such context',
      kubeconfig({}, { server }, { 'current-context': 'y' }),
      /has no server$/,
    ],
    ['has no such cluster', kubeconfig({}, {}, { clusters: [] }), /has no server$/],
    ['has no URL', kubeconfig({}, { server: 'hook.test' }), /not an http or https URL$/],
    ['names a plugin', kubeconfig({ exec: {} }), /^the field user\.exec is not supported$/],
    [
      'names a proxy',
      kubeconfig({}, { server, 'proxy-url': 'http://p' }),
      /^the field cluster\.proxy-url is not supported$/,
    ],
    ['names a file that is not there', kubeconfig({ tokenFile: 'missing' }), /ENOENT.*missing/],
  ];
  for (const [title, content, message] of refused) {
    it(`is refused when it ${title}`, () => {
      assert.throws(() => readTokenReviewServer(fileOf(content)), { message });
    });
  }
});

describe('the users of a kubeconfig, by the names of the servers that are called', () => {
  const names = [
    'hook.ns.svc:8443',
    '*.ns.svc:443',
    'hook.ns.svc',
    '*.other.svc',
    '*.svc',
    '*.test:8443',
    '[::1]:8443',
    'nobody-in-particular',
  ];
  const users = names.map((name) => ({ name, user: { token: name } }));
  const current = {
    contexts: [{ name: 'c', context: { user: 'nobody-in-particular' } }],
    'current-context': 'c',
  };
  const star = { name: '*', user: { token: '*' } };
  const rows: readonly (readonly [host: string, port: number, user: string])[] = [
    ['hook.ns.svc', 8443, 'hook.ns.svc:8443'],
    // With the port first, whole or by its end; then without it.
    ['hook.ns.svc', 443, '*.ns.svc:443'],
    ['a.other.svc', 443, '*.other.svc'],
    ['a.b.svc', 443, '*.svc'],
    // Without its port only the usual one is looked for.
    ['a.b.svc', 8443, 'nobody-in-particular'],
    ['hook.test', 8443, '*.test:8443'],
    ['a.hook.test', 8443, '*.test:8443'],
    ['hook.test', 443, 'nobody-in-particular'],
    ['test', 8443, 'nobody-in-particular'],
    ['[::1]', 8443, '[::1]:8443'],
  ];
  for (const [host, port, user] of rows) {
    it(`${host}:${port} is called as ${user}`, () => {
      const found = readCallerCredentials(fileOf(JSON.stringify({ users, ...current })))(
        host,
        port,
      );
      assert.equal(found.authorization(), `Bearer ${user}`);
    });
  }

  it('any other is called as *, before the user of the current context', () => {
    const file = fileOf(JSON.stringify({ users: [...users, star], ...current }));
    const credentialsFor = readCallerCredentials(file);
    assert.equal(credentialsFor('x.test', 443).authorization(), 'Bearer *');
    assert.equal(credentialsFor('hook.ns.svc', 8443).authorization(), 'Bearer hook.ns.svc:8443');
  });

  it('nobody is called as anybody where there is no such user', () => {
    const found = readCallerCredentials(fileOf(JSON.stringify({ users })))('x.test', 443);
    assert.deepEqual([found.authorization(), found.certificate], [undefined, undefined]);
  });
});
