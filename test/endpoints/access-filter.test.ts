import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../src/authentication/authenticator.ts';
import type { UserInfo } from '../../src/apimachinery/user-info.ts';
import type { AccessChecker, Attributes, Decision } from '../../src/authorization/authorizer.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { parseQuery, queryBoolean } from '../../src/apimachinery/query.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { createAccessCounts } from '../../src/endpoints/filters/access-counts.ts';
import { createAccessFilter } from '../../src/endpoints/filters/access.ts';
import type { AccessVerdict } from '../../src/endpoints/filters/access.ts';
import { attributesOf, forbiddenError } from '../../src/endpoints/filters/attributes.ts';
import { parseRequestInfo } from '../../src/endpoints/request-info.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import type { Header, HttpExchange } from '../../src/transport/http-exchange.ts';

const jane: UserInfo = { name: 'jane', uid: 'u', groups: ['system:authenticated'], extra: {} };

/** Only what the filter asks of an exchange. */
function exchangeOf(method: string, target: string, headers: readonly Header[]): HttpExchange {
  let left = headers;
  const [path = '', query = ''] = target.split('?');
  const exchange = {
    method,
    path,
    query,
    peerCertificate: undefined,
    remoteAddress: '127.0.0.1',
    closed: false as boolean,
    onAbort: () => undefined,
    offAbort: () => undefined,
    headers: () => left,
    headerValues: (name: string) => left.filter(([each]) => each === name).map(([, v]) => v),
    someHeader: (test: (name: string) => boolean) => left.some(([name]) => test(name)),
    forgetHeaders: (test: (name: string) => boolean) =>
      void (left = left.filter(([name]) => !test(name))),
  };
  return exchange as unknown as HttpExchange;
}

interface Asked {
  readonly admission: AccessVerdict;
  /** `verb group/resource/subresource ns/name as user` of every question, in order. */
  readonly questions: readonly string[];
  readonly left: readonly Header[];
  /** How often it let others have a turn. */
  readonly pauses: number;
}

type Answer = (attributes: Attributes) => boolean;

interface AskOptions {
  readonly method?: string;
  readonly later?: boolean;
  readonly caller?: Caller;
  readonly hasSeat?: boolean;
}

const janeHerself: Caller = { kind: 'caller', user: jane };

async function ask(
  target: string,
  headers: readonly Header[] = [],
  answer: Answer = () => true,
  { method = 'GET', later = false, caller = janeHerself, hasSeat = true }: AskOptions = {},
): Promise<Asked> {
  const questions: string[] = [];
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses += 1;
    return Promise.resolve();
  };
  const access: AccessChecker = {
    check(attributes) {
      questions.push(questionOf(attributes));
      const decision: Decision = { kind: answer(attributes) ? 'allow' : 'no-opinion', reason: '' };
      return later ? Promise.resolve(decision) : decision;
    },
    rulesFor: () => assert.fail(),
  };
  const exchange = exchangeOf(method, target, headers);
  const filter = createAccessFilter({
    access,
    authentication: {
      authenticate: () => (later ? Promise.resolve(caller) : caller),
      isCredentialHeader: (name) => name === 'authorization' || name.startsWith('x-remote-'),
    },
    identity: identityOf('kubernetes'),
    onRejected: () => undefined,
    onAuthorizationError: () => undefined,
    clock: systemClock,
    turns: { pause },
    counts: createAccessCounts(),
  });
  const query = parseQuery(exchange.query);
  assert(!(query instanceof StatusError));
  const parsed = parseRequestInfo(method, exchange.path, queryBoolean(query, 'watch') === true);
  assert(parsed.kind === 'ok');
  const head = { info: parsed.info, query, startMs: 0 };
  const admission = filter.admit(exchange, head, undefined, { enter: () => hasSeat });
  const waits = admission instanceof Promise;
  const known = await admission;
  assert.equal(waits, later || pauses > 0, 'it waits only for what comes later');
  return { admission: known, questions, left: exchange.headers(), pauses };
}

function questionOf(attributes: Attributes): string {
  const { user, verb, isResourceRequest, path, namespace, apiGroup, resource, subresource, name } =
    attributes;
  if (!isResourceRequest) return `${verb} ${path} as ${user.name}`;
  const what = [apiGroup, resource, subresource].join('/');
  return `${verb} ${what} ${namespace}/${name} as ${user.name}`;
}

const pods = '/api/v1/namespaces/n/pods/p';
const podQuestion = (user: string): string => `get /pods/ n/p as ${user}`;

describe('attributes of a request', () => {
  const cases: readonly [string, string, string][] = [
    ['GET', '/api/v1/namespaces/n/pods', 'list /pods/ n/ as jane'],
    ['GET', '/api/v1/pods?watch=1', 'watch /pods/ / as jane'],
    ['GET', '/api/v1/watch/namespaces/n/pods', 'watch /pods/ n/ as jane'],
    ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Dp', 'list /pods/ n/p as jane'],
    [
      'GET',
      '/api/v1/namespaces/n/pods?watch=1&fieldSelector=metadata.name=p',
      'watch /pods/ n/p as jane',
    ],
    ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name!=p', 'list /pods/ n/ as jane'],
    [
      'GET',
      '/api/v1/namespaces/n/pods?fieldSelector=&fieldSelector=metadata.name=p',
      'list /pods/ n/ as jane',
    ],
    ['GET', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name=a/b', 'list /pods/ n/ as jane'],
    [
      'DELETE',
      '/api/v1/namespaces/n/pods?fieldSelector=metadata.name=p',
      'deletecollection /pods/ n/ as jane',
    ],
    ['DELETE', pods, 'delete /pods/ n/p as jane'],
    ['HEAD', pods, 'get /pods/ n/p as jane'],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/n/deployments/d/status',
      'patch apps/deployments/status n/d as jane',
    ],
    [
      'PUT',
      '/apis/apps/v1/namespaces/n/deployments/d/scale',
      'update apps/deployments/scale n/d as jane',
    ],
    [
      'POST',
      '/api/v1/namespaces/n/serviceaccounts/s/token',
      'create /serviceaccounts/token n/s as jane',
    ],
    ['GET', '/api/v1/namespaces/n', 'get /namespaces/ n/n as jane'],
    ['PUT', '/api/v1/namespaces/n/finalize', 'update /namespaces/finalize n/n as jane'],
    ['GET', '/api/v1/nodes/x', 'get /nodes/ /x as jane'],
    ['GET', '/healthz/ping', 'get /healthz/ping as jane'],
    ['POST', '/version', 'post /version as jane'],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1 as jane'],
    ['GET', '/api/v1//pods', 'get // /pods as jane'],
    ['GET', '/api/v1/namespaces//pods', 'list /pods/ / as jane'],
    ['GET', '/api/v1/namespaces/n/pods/p/proxy/a/b', 'get /pods/proxy n/p as jane'],
    [
      'POST',
      '/api/v1/namespaces/n/services/http:s:80/proxy/',
      'create /services/proxy n/http:s:80 as jane',
    ],
    ['GET', '/api/v1/proxy/namespaces/n/pods/p/a', 'proxy /pods/ n/p as jane'],
    ['POST', '/api/v1/watch/namespaces/n/pods', 'watch /pods/ n/ as jane'],
    ['GET', '/api/v1/watch/pods?fieldSelector=metadata.name=p', 'watch /pods/ / as jane'],
    ['OPTIONS', pods, ' /pods/ n/p as jane'],
    ['GET', '/api/v1/namespaces/a%2Fb/pods', 'get /api/v1/namespaces/a%2Fb/pods as jane'],
    ['GET', '/api/v1/namespaces/n/pods/%2e%2e', 'get /pods/ n/.. as jane'],
    ['GET', '/API/v1/pods', 'get /API/v1/pods as jane'],
    ['GET', '/api/v1/Pods', 'list /Pods/ / as jane'],
    ['GET', '/api/v1/%70ods', 'list /pods/ / as jane'],
  ];
  for (const [method, target, expected] of cases) {
    it(`${method} ${target}`, async () => {
      const { questions } = await ask(target, [], () => true, { method });
      assert.deepEqual(questions, [expected]);
    });
  }
});

describe('the selectors of a request', () => {
  const pods = '/api/v1/namespaces/n/pods';
  const running = { key: 'status.phase', operator: 'In', values: ['Running'] };
  const web = { key: 'app', operator: 'In', values: ['web'] };
  const rows: readonly [string, string, object | undefined][] = [
    ['GET', `${pods}?fieldSelector=status.phase=Running`, { fields: [running], labels: [] }],
    ['GET', `${pods}?watch=1&labelSelector=app=web`, { fields: [], labels: [web] }],
    [
      'DELETE',
      `${pods}?labelSelector=app==web&fieldSelector=metadata.name!=p,status.phase==Running`,
      {
        fields: [{ key: 'metadata.name', operator: 'NotIn', values: ['p'] }, running],
        labels: [web],
      },
    ],
    [
      'GET',
      `${pods}?labelSelector=z notin (b,a),!y,x,w!=1,v in (c),u>1,t<2`,
      {
        fields: [],
        labels: [
          { key: 'v', operator: 'In', values: ['c'] },
          { key: 'w', operator: 'NotIn', values: ['1'] },
          { key: 'x', operator: 'Exists' },
          { key: 'y', operator: 'DoesNotExist' },
          { key: 'z', operator: 'NotIn', values: ['a', 'b'] },
        ],
      },
    ],
    // One that cannot be parsed limits nothing, and does not take the other along.
    [
      'GET',
      `${pods}?labelSelector=app=web&fieldSelector=status.phase`,
      { fields: [], labels: [web] },
    ],
    [
      'GET',
      `${pods}?labelSelector=%26&fieldSelector=status.phase=Running`,
      { fields: [running], labels: [] },
    ],
    ['GET', `${pods}?labelSelector=${'a,'.repeat(1_024)}a`, { fields: [], labels: [] }],
    ['GET', `${pods}?fieldSelector=x=${'y'.repeat(20_000)}`, { fields: [], labels: [] }],
    ['GET', `${pods}?labelSelector=&fieldSelector=`, undefined],
    ['GET', `/api/v1/watch/namespaces/n/pods?labelSelector=app=web`, undefined],
    ['GET', `${pods}/p?labelSelector=app=web`, undefined],
    ['DELETE', `${pods}/p?fieldSelector=status.phase=Running`, undefined],
    ['POST', `${pods}?labelSelector=app=web`, undefined],
    ['GET', '/version?labelSelector=app=web', undefined],
  ];
  for (const [method, target, wanted] of rows) {
    it(`are what authorizers are told: ${method} ${target.slice(0, 120)}`, async () => {
      let told: object | undefined;
      const allow = (attributes: Attributes) => {
        told = attributes.selectors?.();
        return true;
      };
      await ask(target.replaceAll(' ', '+'), [], allow, { method });
      assert.deepEqual(told, wanted);
    });
  }
});

describe('a refusal', () => {
  const textOf = (method: string, target: string): string => {
    const parsed = parseRequestInfo(method, target, false);
    assert(parsed.kind === 'ok');
    return forbiddenError(attributesOf(jane, parsed.info, new Map()), '').message;
  };

  it('reads as clients expect it', () => {
    const cases: readonly [string, string, string][] = [
      [
        'GET',
        pods,
        'pods "p" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "n"',
      ],
      [
        'GET',
        '/api/v1/pods',
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
      ],
      [
        'PUT',
        '/apis/apps/v1/namespaces/n/deployments/d/scale',
        'deployments.apps "d" is forbidden: User "jane" cannot update resource "deployments/scale" in API group "apps" in the namespace "n"',
      ],
      ['GET', '/metrics', 'forbidden: User "jane" cannot get path "/metrics"'],
      ['GET', '/<b>&', 'forbidden: User "jane" cannot get path "/&lt;b&gt;&amp;"'],
    ];
    for (const [method, target, text] of cases) assert.equal(textOf(method, target), text);
  });

  it('ends with the reason, and has the details of the resource', () => {
    const parsed = parseRequestInfo('GET', '/apis/apps/v1/namespaces/n/deployments/d', false);
    assert(parsed.kind === 'ok');
    const error = forbiddenError(attributesOf(jane, parsed.info, new Map()), 'not today');
    assert.match(error.message, /in the namespace "n": not today$/);
    assert.equal(error.code, 403);
    assert.deepEqual(error.toStatus()['details'], {
      name: 'd',
      group: 'apps',
      kind: 'deployments',
    });
  });

  it('for want of a caller is 401, and says nothing of why', async () => {
    const caller: Caller = { kind: 'rejected', why: 'the secret reason' };
    const { admission, questions } = await ask(pods, [['authorization', 'x']], () => true, {
      caller,
    });
    assert(admission.kind === 'refused');
    assert.equal(admission.error.code, 401);
    assert.equal(admission.error.message, 'Unauthorized');
    assert.deepEqual(questions, []);
  });
});

describe('impersonation', () => {
  const user = (name: string): Header => ['impersonate-user', name];
  const group = (name: string): Header => ['impersonate-group', name];

  it('asks for the user, each group, each extra value and the uid, about the caller', async () => {
    const headers: Header[] = [
      ['impersonate-uid', '42'],
      ['impersonate-extra-scopes', 'view'],
      group('devs'),
      ['impersonate-extra-acme.com%2fproject', 'x'],
      group('ops'),
      ['impersonate-extra-scopes', 'edit'],
      user('joe'),
    ];
    for (const later of [false, true]) {
      const { admission, questions, left } = await ask(pods, headers, () => true, { later });
      const extra = 'authentication.k8s.io/userextras';
      assert.deepEqual(questions, [
        'impersonate /users/ /joe as jane',
        'impersonate /groups/ /devs as jane',
        'impersonate /groups/ /ops as jane',
        `impersonate ${extra}/scopes /view as jane`,
        `impersonate ${extra}/acme.com/project /x as jane`,
        `impersonate ${extra}/scopes /edit as jane`,
        'impersonate authentication.k8s.io/uids/ /42 as jane',
        podQuestion('joe'),
      ]);
      assert(admission.kind === 'admitted');
      assert.deepEqual(admission.user, {
        name: 'joe',
        uid: '42',
        groups: ['devs', 'ops', 'system:authenticated'],
        extra: { scopes: ['view', 'edit'], 'acme.com/project': ['x'] },
      });
      assert.deepEqual(left, []);
    }
  });

  const groupsOf: readonly [string, readonly Header[], readonly string[]][] = [
    ['a user', [user('joe')], ['system:authenticated']],
    ['a user with groups', [user('joe'), group('g')], ['g', 'system:authenticated']],
    [
      'authenticated already',
      [user('joe'), group('system:authenticated')],
      ['system:authenticated'],
    ],
    [
      'unauthenticated by wish',
      [user('joe'), group('system:unauthenticated')],
      ['system:unauthenticated'],
    ],
    ['anonymous', [user('system:anonymous')], ['system:unauthenticated']],
    [
      'anonymous with a group',
      [user('system:anonymous'), group('g')],
      ['g', 'system:unauthenticated'],
    ],
    [
      'a service account',
      [user('system:serviceaccount:ns:sa')],
      ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    ],
    [
      'a service account with groups',
      [user('system:serviceaccount:ns:sa'), group('g')],
      ['g', 'system:authenticated'],
    ],
    ['no service account', [user('system:serviceaccount:Ns:sa')], ['system:authenticated']],
    [
      '__proto__ as extra',
      [user('joe'), ['impersonate-extra-__proto__', 'x']],
      ['system:authenticated'],
    ],
  ];
  for (const [what, headers, groups] of groupsOf) {
    it(`of ${what} has the groups ${groups.join(' ')}`, async () => {
      const { admission } = await ask(pods, headers);
      assert(admission.kind === 'admitted');
      assert.deepEqual(admission.user.groups, groups);
    });
  }

  it('of very many groups lets others have a turn now and then', async () => {
    const names = Array.from({ length: 380 }, (_, at) => `g${at}`);
    for (const later of [false, true]) {
      const few = await ask(pods, [user('joe'), ...names.slice(0, 15).map(group)], undefined, {
        later,
      });
      assert.equal(few.pauses, 0);
      const many = await ask(pods, [user('joe'), ...names.map(group)], undefined, { later });
      assert.equal(many.questions.length, 382);
      assert.ok(many.pauses >= (later ? 0 : 23), `${many.pauses} pauses`);
      assert(many.admission.kind === 'admitted');
      assert.deepEqual(many.admission.user.groups, [...names, 'system:authenticated']);
    }
  });

  it('of a service account asks for it in its namespace', async () => {
    const { questions } = await ask(pods, [user('system:serviceaccount:ns:sa')]);
    assert.equal(questions[0], 'impersonate /serviceaccounts/ ns/sa as jane');
    for (const name of [
      'system:serviceaccount:ns',
      'system:serviceaccount:ns:a:b',
      'system:serviceaccount:ns:',
    ]) {
      const other = await ask(pods, [user(name)]);
      assert.equal(other.questions[0], `impersonate /users/ /${name} as jane`);
    }
  });

  it('ends at the first right that is missing, with its own refusal', async () => {
    const headers = [user('joe'), group('devs'), group('ops')];
    for (const later of [false, true]) {
      const { admission, questions } = await ask(pods, headers, ({ name }) => name !== 'devs', {
        later,
      });
      assert.equal(questions.length, 2);
      assert(admission.kind === 'refused');
      assert.equal(admission.error.code, 403);
      assert.equal(
        admission.error.message,
        'groups "devs" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope',
      );
    }
  });

  it('tells credentials that nobody has looked at to come again', async () => {
    for (const later of [false, true]) {
      const caller: Caller = { kind: 'rejected', why: 'no time', unlooked: true };
      const { admission, questions } = await ask(pods, [], () => true, { later, caller });
      assert(admission.kind === 'refused');
      assert.equal(admission.error.code, 429);
      assert.equal(admission.error.details?.retryAfterSeconds, 1);
      assert.deepEqual(questions, []);
    }
  });

  it('asks nobody about anything before there is a seat', async () => {
    for (const headers of [[], [user('joe')]]) {
      const asked = await ask(pods, headers, () => true, { hasSeat: false });
      assert.equal(asked.admission.kind, 'busy');
      assert.deepEqual(asked.questions, []);
    }
  });

  it('does not make good what the one who is played may not do', async () => {
    const { admission } = await ask(pods, [user('joe')], ({ verb }) => verb === 'impersonate');
    assert(admission.kind === 'refused');
    assert.match(admission.error.message, /^pods "p" is forbidden: User "joe" cannot get/);
  });

  const empty: readonly (readonly Header[])[] = [
    [user('')],
    [user(''), group('g')],
    [user('joe'), group('')],
    [user('joe'), ['impersonate-uid', '']],
  ];
  for (const headers of empty) {
    const name = (headers.find(([, value]) => value === '') as Header)[0];
    it(`with an empty ${name}, of ${headers.length}, is nobody, and not the caller`, async () => {
      const { admission, questions } = await ask(pods, headers);
      assert(admission.kind === 'refused');
      assert.equal(admission.error.code, 400);
      assert.equal(admission.error.message, `the header ${name} is empty`);
      assert.deepEqual(questions, []);
    });
  }

  const without: readonly (readonly Header[])[] = [
    [group('g')],
    [['impersonate-extra-x', 'y']],
    [['impersonate-uid', '1']],
  ];
  for (const headers of without) {
    it(`without a user is a bad request: ${headers.map(([name]) => name).join(' ')}`, async () => {
      const { admission, questions } = await ask(pods, headers);
      assert(admission.kind === 'refused');
      assert.equal(admission.error.code, 400);
      assert.match(admission.error.message, /^requested \[.*\] without impersonating a user$/);
      assert.deepEqual(questions, []);
    });
  }

  it('of two users at once is a bad request', async () => {
    const { admission } = await ask(pods, [user('joe'), user('ann')]);
    assert(admission.kind === 'refused');
    assert.equal(admission.error.code, 400);
  });
});

describe('headers with credentials', () => {
  it('are gone when the handler gets the exchange; the others are there', async () => {
    const headers: Header[] = [
      ['authorization', 'Bearer x'],
      ['accept', '*/*'],
      ['x-remote-user', 'admin'],
      ['impersonate-proxy', 'not one of them'],
    ];
    const { left } = await ask(pods, headers);
    assert.deepEqual(
      left.map(([name]) => name),
      ['accept', 'impersonate-proxy'],
    );
  });
});
