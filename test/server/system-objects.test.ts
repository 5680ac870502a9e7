/** What a server itself makes, over HTTP: in each identity and release, and from start to start. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { systemControllers } from '../support/data/system-names.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';

const directories = testDirectories('sluice-system');
after(() => directories.removeAll());

const own = { controllers: systemControllers, 'secure-port': '0', 'http-port': '0' } as const;

async function withServer(
  options: TestOptions,
  use: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ ...own, ...options });
  try {
    await use(server);
  } finally {
    await (options['data-dir'] === undefined ? server.remove() : server.stop());
  }
}

interface Shown extends JsonObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly fieldsV1: JsonObject;
    }[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, string>>[] };
}

async function get(server: TestServer, target: string): Promise<Shown> {
  const reply = await server.request('GET', target);
  assert.equal(reply.status, 200, `${target}: ${reply.text}`);
  return reply.body as unknown as Shown;
}

async function names(server: TestServer, target: string): Promise<readonly string[]> {
  const { items } = (await get(server, target)) as unknown as { items: readonly Shown[] };
  return items.map(({ metadata }) => metadata.name);
}

async function change(server: TestServer, target: string, patch: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const reply = await server.request('PATCH', target, { body: patch, headers });
  assert.equal(reply.status, 200, reply.text);
}

/** Each with the members of which it owns something. */
function ownersOf({ metadata }: Shown): string {
  return (metadata.managedFields ?? [])
    .map(({ fieldsV1, manager, operation }) => {
      const parts = Object.keys(fieldsV1).map((name) => name.slice(2));
      return `${manager} ${operation}: ${parts.sort().join(', ')}`;
    })
    .join('; ');
}

const levelNames =
  'catch-all exempt global-default leader-election node-high system workload-high workload-low';
const schemaNames =
  'catch-all endpoint-controller exempt global-default kube-controller-manager kube-scheduler ' +
  'kube-system-service-accounts probes service-accounts system-leader-election system-node-high ' +
  'system-nodes workload-leader-election';

describe('the objects of the system', () => {
  for (const [identity, domain, flowcontrol, labels] of [
    ['kubernetes', 'k8s.io', 'flowcontrol.apiserver.k8s.io', 'kubernetes.io'],
    ['svc', 'svc.io', 'flowcontrol.svc.io', 'svc.io'],
  ] as const) {
    it(`are there when the server answers (${identity})`, () =>
      withServer({ identity }, async (server) => {
        const classes = `/apis/scheduling.${domain}/v1/priorityclasses`;
        const values = ((await get(server, classes))['items'] as readonly JsonObject[]).map(
          ({ value }) => value,
        );
        assert.deepEqual(values, [2_000_000_000, 2_000_001_000]);
        const flow = `/apis/${flowcontrol}/v1`;
        const levels = `${flow}/prioritylevelconfigurations`;
        assert.equal((await names(server, levels)).join(' '), levelNames);
        assert.equal((await names(server, `${flow}/flowschemas`)).join(' '), schemaNames);
        const { metadata } = await get(server, `${flow}/flowschemas/probes`);
        assert.equal(metadata.annotations?.[`apf.${labels}/autoupdate-spec`], 'true');
        const range = await get(server, `/apis/networking.${domain}/v1/servicecidrs/kubernetes`);
        assert.deepEqual(range.spec?.['cidrs'], ['10.0.0.0/24']);
        assert.equal(range.status?.conditions?.[0]?.['status'], 'True');
        const finalizer = `networking.${domain}/service-cidr-finalizer`;
        assert.deepEqual(range.metadata.finalizers, [finalizer]);
        const trust =
          '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
        const tracking = 'kube-apiserver-legacy-service-account-token-tracking';
        const { data } = await get(server, `/api/v1/namespaces/kube-system/configmaps/${tracking}`);
        assert.match(data?.['since'] ?? '', /^\d{4}-\d\d-\d\d$/);
        const own = (name: string): string =>
          readFileSync(path.join(server.dataDir, 'pki', name), 'utf8');
        assert.deepEqual((await get(server, trust)).data, {
          'client-ca-file': own('ca.crt'),
          'requestheader-allowed-names': '["front-proxy-client"]',
          'requestheader-client-ca-file': own('front-proxy-ca.crt'),
          'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
          'requestheader-group-headers': '["X-Remote-Group"]',
          'requestheader-uid-headers': '["X-Remote-Uid"]',
          'requestheader-username-headers': '["X-Remote-User"]',
        });
      }));
  }

  it("are owned by whose work they are, and what the kind adds is nobody's", () =>
    withServer({ identity: 'kubernetes' }, async (server) => {
      const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
      const prefix = 'api-priority-and-fairness-config';
      const producer = `${prefix}-producer-v1 Update: metadata, spec`;
      const consumer = `${prefix}-consumer-v1 Apply: status`;
      const rows = [
        ['/api/v1/namespaces/default', 'kube-apiserver Update: metadata'],
        [`${flow}/prioritylevelconfigurations/catch-all`, producer],
        [`${flow}/flowschemas/catch-all`, `${consumer}; ${producer}`],
        [
          '/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1',
          'kube-apiserver Update: metadata, spec',
        ],
        [
          '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
          'kubernetes-service-cidr-controller Apply: status; kube-apiserver Update: metadata, spec',
        ],
      ] as const;
      for (const [target, owners] of rows) {
        // Conditions come a moment later.
        await eventually(target, async () => ownersOf(await get(server, target)) === owners);
      }
      const whole = (await server.request('GET', '/apis/networking.k8s.io/v1/ipaddresses')).body;
      assert.equal((whole['items'] as readonly unknown[]).length, 1);
    }));

  it('are what the release had that is emulated, in its version', async () => {
    const rows = [
      // release, version of flow control, levels, whether there are service ranges
      ['1.19', undefined, 0, false],
      ['1.20', 'v1beta1', 7, false],
      ['1.23', 'v1beta2', 8, false],
      ['1.26', 'v1beta3', 8, false],
      ['1.32', 'v1', 8, false],
      ['1.33', 'v1', 8, true],
    ] as const;
    for (const [release, version, levels, ranges] of rows) {
      await withServer({ 'emulated-version': release }, async (server) => {
        const flow = `/apis/flowcontrol.apiserver.k8s.io/${version ?? 'v1'}`;
        const reply = await server.request('GET', `${flow}/prioritylevelconfigurations`);
        const { items = [] } = reply.body as unknown as { items?: readonly Shown[] };
        assert.equal(items.length, levels, release);
        const shares = version?.startsWith('v1beta') === true && version !== 'v1beta3';
        for (const { spec } of items) {
          const { limited } = spec as { limited?: JsonObject };
          if (limited === undefined) continue;
          assert.ok((shares ? 'assured' : 'nominal') + 'ConcurrencyShares' in limited, release);
        }
        const range = await server.request('GET', '/apis/networking.k8s.io/v1/servicecidrs');
        assert.equal(range.status, ranges ? 200 : 404, release);
        const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
        await eventually('the service is there', async () => {
          const service = '/api/v1/namespaces/default/endpoints/kubernetes';
          return (await server.request('GET', service)).status === 200;
        });
        if (Number(release.slice(2)) >= 21) {
          await eventually('its slice is there', async () =>
            (await names(server, slices)).includes('kubernetes'),
          );
        }
      });
    }
  });

  it('say of a flow schema whether its level is there', () =>
    withServer({}, async (server) => {
      const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
      const dangling = async (name: string): Promise<string> => {
        const { status } = await get(server, `${schemas}/${name}`);
        const found = status?.conditions?.find(({ type }) => type === 'Dangling');
        return `${found?.['status']} ${found?.['reason']}: ${found?.['message']}`;
      };
      const about = 'This FlowSchema references the PriorityLevelConfiguration object named';
      await eventually('the default says so', async () => {
        return (await dangling('probes')) === `False Found: ${about} "exempt" and it exists`;
      });
      const mine = {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'FlowSchema',
        metadata: { name: 'mine' },
        spec: { priorityLevelConfiguration: { name: 'nowhere' }, matchingPrecedence: 5000 },
      };
      const made = await server.request('POST', schemas, { body: mine });
      assert.equal(made.status, 201, made.text);
      const absent = `True NotFound: ${about} "nowhere" but there is no such object`;
      await eventually('the new one is dangling', async () => (await dangling('mine')) === absent);
      const levels = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
      const level = {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'nowhere' },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      };
      const levelMade = await server.request('POST', levels, { body: level });
      assert.equal(levelMade.status, 201, levelMade.text);
      await eventually('not any more', async () => (await dangling('mine')).startsWith('False'));
      await server.request('DELETE', `${levels}/nowhere`);
      await eventually('and again', async () => (await dangling('mine')) === absent);
    }));

  it('come back at the next start, unless an operator has said that they are his', async () => {
    const options = { store: 'lmdb', 'data-dir': directories.make() };
    const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
    const level = (name: string): string => `${flow}/prioritylevelconfigurations/${name}`;
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const auto = 'apf.kubernetes.io/autoupdate-spec';
    const shares = (n: number) => ({ spec: { limited: { nominalConcurrencyShares: n } } });
    let before = '';
    await withServer(options, async (server) => {
      await change(server, level('catch-all'), {
        ...shares(77),
        metadata: { annotations: { [auto]: 'false' } },
      });
      await change(server, level('workload-low'), {
        ...shares(78),
        metadata: { annotations: { [auto]: 'false' } },
      });
      await change(server, level('system'), shares(79));
      await change(server, level('workload-high'), { metadata: { annotations: { [auto]: null } } });
      await server.request('DELETE', `${flow}/flowschemas/probes`);
      const kept = await server.request('DELETE', `${classes}/system-node-critical`);
      assert.equal(kept.status, 403, kept.text);
      before = (await get(server, level('leader-election'))).metadata.resourceVersion;
    });
    await withServer(options, async (server) => {
      const now = async (name: string): Promise<readonly unknown[]> => {
        const { spec, metadata } = await get(server, level(name));
        const { limited } = spec as { limited: { nominalConcurrencyShares: number } };
        return [limited.nominalConcurrencyShares, metadata.annotations?.[auto]];
      };
      assert.deepEqual(await now('catch-all'), [5, 'true'], 'mandatory');
      assert.deepEqual(await now('workload-low'), [78, 'false'], 'the operator’s');
      assert.deepEqual(await now('system'), [30, 'true'], 'put right');
      assert.deepEqual(await now('workload-high'), [40, 'true'], 'never changed');
      assert.ok((await names(server, `${flow}/flowschemas`)).includes('probes'));
      assert.ok((await names(server, classes)).includes('system-node-critical'));
      const { metadata } = await get(server, level('leader-election'));
      assert.equal(metadata.resourceVersion, before, 'what is right is not written');
    });
  });

  it('tell since when uses of tokens are marked: the first day stays, nonsense does not', async () => {
    const options = { store: 'lmdb', 'data-dir': directories.make() };
    const name = 'kube-apiserver-legacy-service-account-token-tracking';
    const tracking = `/api/v1/namespaces/kube-system/configmaps/${name}`;
    const since = async (server: TestServer): Promise<string> =>
      (await get(server, tracking)).data?.['since'] ?? '';
    await withServer(options, (server) =>
      change(server, tracking, { data: { since: '2024-02-29' } }),
    );
    await withServer(options, async (server) => {
      assert.equal(await since(server), '2024-02-29');
      await change(server, tracking, { data: { since: '2024-13-01' } });
    });
    await withServer(options, async (server) => {
      assert.ok(Math.abs(Date.parse(await since(server)) - Date.now()) < 2 * 86_400_000);
    });
    await withServer({ 'emulated-version': '1.26' }, async (server) => {
      assert.equal((await server.request('GET', tracking)).status, 404);
    });
  });

  it('hold no more certificates of others than there may be: then their own alone', () =>
    withServer({}, async (server) => {
      const trust = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
      const { data } = await get(server, trust);
      const own = (data as Record<string, string>)['client-ca-file'] ?? '';
      const block = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
      await change(server, trust, { data: { 'client-ca-file': own + block.repeat(1000) } });
      await eventually('it is as it was', async () => {
        const reply = await get(server, trust);
        return JSON.stringify(reply.data) === JSON.stringify(data);
      });
    }));

  it('are put right while the server runs: whom to trust, at once', () =>
    withServer({}, async (server) => {
      const trust = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
      const { data } = await get(server, trust);
      await change(server, trust, { data: { 'client-ca-file': 'nonsense', other: 'x' } });
      await eventually('it is as it was', async () => {
        const reply = await get(server, trust);
        return JSON.stringify(reply.data) === JSON.stringify(data);
      });
      await server.request('DELETE', trust);
      await eventually(
        'it is back',
        async () => (await server.request('GET', trust)).status === 200,
      );
    }));

  it('tell of proxies that are trusted, as JSON lists', async () => {
    const first = await startTestServer();
    const ca = path.join(first.dataDir, 'pki', 'ca.crt');
    const options = {
      'requestheader-client-ca-file': ca,
      'requestheader-allowed-names': 'front,"back"',
      'requestheader-username-headers': 'X-Remote-User,X-User',
    };
    try {
      await withServer(options, async (server) => {
        const name = 'extension-apiserver-authentication';
        const { data } = await get(server, `/api/v1/namespaces/kube-system/configmaps/${name}`);
        const { 'client-ca-file': clients, ...proxies } = data ?? {};
        assert.match(clients ?? '', /BEGIN CERTIFICATE/);
        assert.deepEqual(proxies, {
          'requestheader-allowed-names': '["front","\\"back\\""]',
          'requestheader-client-ca-file': readFileSync(ca, 'utf8'),
          'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
          'requestheader-group-headers': '["X-Remote-Group"]',
          'requestheader-uid-headers': '["X-Remote-Uid"]',
          'requestheader-username-headers': '["X-Remote-User","X-User"]',
        });
      });
    } finally {
      await first.remove();
    }
  });

  it('publish the address that others reach, and none that they do not', async () => {
    const rows = [
      [{ 'advertise-address': '192.0.2.7' }, '192.0.2.7', '10.0.0.1'],
      [{}, undefined, '10.0.0.1'],
      [
        { 'advertise-address': '2001:db8::7', 'service-cluster-ip-range': 'fd00:10::/108' },
        '2001:db8::7',
        'fd00:10::1',
      ],
    ] as const;
    for (const [options, address, clusterIp] of rows) {
      await withServer(options, async (server) => {
        const port = Number(new URL(server.running.url).port);
        const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
        await eventually(
          'the slice is there',
          async () => (await server.request('GET', slice)).status === 200,
        );
        const { endpoints, ports, metadata } = await get(server, slice);
        assert.equal(metadata.labels?.['kubernetes.io/service-name'], 'kubernetes');
        assert.deepEqual(ports, [{ name: 'https', port, protocol: 'TCP' }]);
        const conditions = { ready: true };
        const wanted = address === undefined ? [] : [{ addresses: [address], conditions }];
        assert.deepEqual(endpoints, wanted);
        const older = await get(server, '/api/v1/namespaces/default/endpoints/kubernetes');
        const subset = [{ addresses: [{ ip: address }], ports }];
        assert.deepEqual(older['subsets'], address === undefined ? undefined : subset);
        const service = await get(server, '/api/v1/namespaces/default/services/kubernetes');
        assert.equal(service.spec?.['clusterIP'], clusterIp);
        assert.deepEqual(service.metadata.labels, {
          component: 'apiserver',
          provider: 'kubernetes',
        });
        const ips = await names(server, '/apis/networking.k8s.io/v1/ipaddresses');
        assert.deepEqual(ips, [clusterIp]);
      });
    }
  });

  it('are left out with the controllers that keep them', () =>
    withServer({ controllers: '*,-flowcontrol,-servicecidr' }, async (server) => {
      const flow = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
      assert.deepEqual(await names(server, flow), []);
      const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
      assert.deepEqual(await names(server, ranges), []);
    }));
});

describe('flags of the system’s objects', () => {
  const refusals = [
    ['advertise-address', '127.0.0.1', 'an IP address that other machines can reach'],
    ['advertise-address', '0.0.0.0', 'an IP address that other machines can reach'],
    ['advertise-address', 'server-a', 'an IP address that other machines can reach'],
    ['service-cluster-ip-range', '', 'one CIDR, or one of each address family'],
    ['service-cluster-ip-range', '10.0.0.0/24,10.1.0.0/24', 'one CIDR, or one of each'],
    ['service-cluster-ip-range', '10.0.0.0/8', 'a CIDR with a prefix of 12 to 29 bits'],
    ['service-cluster-ip-range', '10.0.0.0', 'a CIDR with a prefix of 12 to 29 bits'],
    ['service-cluster-ip-range', '10.0.0.1/24', 'bits behind the prefix are set'],
    ['service-cluster-ip-range', 'fd00::1/108', 'bits behind the prefix are set'],
    ['service-cluster-ip-range', 'fd00::/48', 'a CIDR with a prefix of 64 to 125 bits'],
  ] as const;
  for (const [flag, value, why] of refusals) {
    it(`--${flag}=${value} is refused`, async () => {
      await assert.rejects(startTestServer({ [flag]: value }), (error: Error) => {
        assert.ok(error.message.startsWith(`--${flag}: `), error.message);
        return error.message.includes(why);
      });
    });
  }
});
