/**
 * Logs, terminals, forwarded ports and proxies: what is wrong is said, and nobody is told that an
 * object is gone which is there (spec 1, section 4.1).
 */
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const pods = '/api/v1/namespaces/$ns/pods';
const services = '/api/v1/namespaces/$ns/services';
const container = (name: string) => ({ name, image: 'example.io/c:1' });

const upgrades: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  spdy: {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'v4.channel.k8s.io',
  },
  websocket: {
    connection: 'keep-alive, Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
  },
};

function createPod(name: string, spec: object): Step {
  return { request: `POST ${pods}`, body: { metadata: { name }, spec }, status: 201 };
}

function refused(request: string, message: string, headers?: Step['headers']): Step {
  return { request, status: 400, reason: 'BadRequest', message, headers };
}

const streams = ['log', 'exec', 'attach', 'portforward'] as const;

/** Each way in which a subresource is asked for. */
function ways(name: string, subresource: string): readonly (readonly [string, Step['headers']])[] {
  const path = `${pods}/${name}/${subresource}`;
  if (subresource === 'log') return [[`GET ${path}`, undefined]];
  return Object.values(upgrades).flatMap((headers) => [
    [`POST ${path}`, headers] as const,
    [`GET ${path}`, headers] as const,
  ]);
}

/** A container that no node has got yet has written nothing. */
function emptyLog(request: string): Step {
  return {
    request,
    status: 200,
    headersExpected: { 'content-type': 'text/plain', 'content-length': '0' },
  };
}

const ofPods: readonly Scenario[] = [
  {
    title:
      'a pod without a host says so to whoever wants into it, upgrade or not; its log is empty',
    steps: [
      createPod('p', podSpec()),
      ...streams
        .slice(1)
        .flatMap((subresource) =>
          ways('p', subresource).map(([request, headers]) =>
            refused(request, 'pod p does not have a host assigned', headers),
          ),
        ),
      refused(`POST ${pods}/p/exec?command=ls`, 'pod p does not have a host assigned'),
      emptyLog(`GET ${pods}/p/log`),
      emptyLog(`GET ${pods}/p/log?follow=true&watch=1`),
    ],
  },
  {
    title: 'only a pod that is not there is not found',
    steps: streams.flatMap((subresource) =>
      ways('gone', subresource).map(([request, headers]): Step => ({
        request,
        headers,
        status: 404,
        reason: 'NotFound',
        message: 'pods "gone" not found',
        expect: { details: { kind: 'pods', name: 'gone' } },
      })),
    ),
  },
  {
    title: 'the container is one of the pod, and is named where there are several',
    steps: [
      createPod(
        'two',
        podSpec({
          initContainers: [container('first')],
          containers: [container('a'), container('b')],
        }),
      ),
      createPod('one', podSpec({ containers: [container('c')] })),
      ...['log', 'exec', 'attach'].flatMap((subresource) => [
        refused(
          `GET ${pods}/two/${subresource}`,
          'a container name must be specified for pod two, choose one of: [first a b]',
        ),
        refused(
          `GET ${pods}/two/${subresource}?container=z`,
          'container z is not valid for pod two',
        ),
        refused(
          `GET ${pods}/one/${subresource}?container=z`,
          'container z is not valid for pod one',
        ),
      ]),
      ...['exec', 'attach'].map((subresource) =>
        refused(
          `GET ${pods}/two/${subresource}?container=first`,
          'pod two does not have a host assigned',
        ),
      ),
      emptyLog(`GET ${pods}/two/log?container=first`),
      refused(`GET ${pods}/two/portforward`, 'pod two does not have a host assigned'),
    ],
  },
  {
    title: 'the node of a pod is there, and has an address',
    steps: [
      createPod('placed', podSpec({ nodeName: 'node-$ns' })),
      ...streams.flatMap((subresource) =>
        ways('placed', subresource).map(([request, headers]): Step => ({
          request,
          headers,
          status: 404,
          reason: 'NotFound',
          message: /^nodes "node-.*" not found$/,
        })),
      ),
      { request: 'POST /api/v1/nodes', body: { metadata: { name: 'node-$ns' } }, status: 201 },
      ...['exec', 'attach', 'portforward'].flatMap((subresource) => [
        refused(`POST ${pods}/placed/${subresource}`, 'Upgrade request required'),
        refused(`GET ${pods}/placed/${subresource}`, 'Upgrade request required'),
      ]),
      ...streams.flatMap((subresource) =>
        ways('placed', subresource).map(([request, headers]): Step => ({
          request,
          headers,
          status: 500,
          message: 'no preferred addresses found; known addresses: []',
        })),
      ),
    ],
  },
  {
    title: 'what is wrong with a request is said first',
    steps: [
      createPod('p', podSpec()),
      ...streams
        .slice(1)
        .map((subresource) =>
          refused(`POST ${pods}/p/${subresource}?dryRun=All`, 'dryRun is not supported'),
        ),
      {
        request: `GET ${pods}/p/log?tailLines=-1&limitBytes=0&sinceSeconds=0&stream=x`,
        status: 422,
        reason: 'Invalid',
        expect: {
          details: {
            kind: 'PodLogOptions',
            name: 'p',
            causes: [
              { field: 'tailLines', message: /must be greater than or equal to 0$/ },
              { field: 'limitBytes', message: /must be greater than 0$/ },
              { field: 'sinceSeconds', message: /must be greater than 0$/ },
              { field: 'stream', message: /Unsupported value: "x"/ },
            ],
          },
        },
      },
      {
        request: `GET ${pods}/p/log?sinceSeconds=5&sinceTime=2020-01-01T00:00:00Z`,
        status: 422,
        message: /at most one of `sinceTime` or `sinceSeconds` may be specified/,
      },
      { request: `GET ${pods}/p/log?tailLines=x`, status: 400, message: /tailLines/ },
      { request: `GET ${pods}/p/log?sinceTime=noon`, status: 400, message: /sinceTime/ },
      ...['PUT', 'PATCH', 'DELETE', 'POST'].map((method): Step => ({
        request: `${method} ${pods}/p/log`,
        status: 405,
        reason: 'MethodNotAllowed',
      })),
      { request: `PUT ${pods}/p/exec`, status: 405, reason: 'MethodNotAllowed' },
    ],
  },
];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const proxies: readonly Scenario[] = [
  {
    title: 'a proxy to a pod takes every method and any path, and leads to an address of its own',
    steps: [
      createPod('p', podSpec()),
      ...methods.map((method) => refused(`${method} ${pods}/p/proxy`, 'address not allowed')),
      ...['p:80', 'http:p:80', 'https:p:', 'p:web'].map((name) =>
        refused(`GET ${pods}/${name}/proxy/a//b%2Fc/?x=1`, 'address not allowed'),
      ),
      ...['a:b:c:d', 'ftp:p:80', ':80', 'http::80'].map((name) =>
        refused(`GET ${pods}/${name}/proxy/`, `invalid pod request "${name}"`),
      ),
      {
        request: `GET ${pods}/http:gone:80/proxy/x`,
        status: 404,
        message: 'pods "gone" not found',
      },
      ...[
        ['127.0.0.1', 400],
        ['169.254.169.254', 400],
        ['::1', 400],
        ['fe80::1', 400],
      ].flatMap(([ip, status]): Step[] => [
        {
          request: `PATCH ${pods}/p/status`,
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { status: { podIP: ip, podIPs: [{ ip }] } },
          status: 200,
        },
        { request: `GET ${pods}/p:80/proxy/x`, status: Number(status) },
      ]),
    ],
  },
  {
    title: 'a proxy to a service wants a port and an endpoint',
    steps: [
      {
        request: `POST ${services}`,
        body: { metadata: { name: 's' }, spec: { ports: [{ name: 'web', port: 80 }] } },
        status: 201,
      },
      ...['s', 's:80', 's:web', 'https:s:web'].map((name): Step => ({
        request: `POST ${services}/${name}/proxy/x`,
        status: 503,
        reason: 'ServiceUnavailable',
        message: 'no endpoints available for service "s"',
      })),
      {
        request: `GET ${services}/s:81/proxy`,
        status: 503,
        message: 'no service port 81 found for service "s"',
      },
      refused(`GET ${services}/x:s:80/proxy`, 'invalid service request "x:s:80"'),
      { request: `GET ${services}/gone/proxy`, status: 404, message: 'services "gone" not found' },
      {
        request: 'POST /api/v1/namespaces/$ns/endpoints',
        body: {
          metadata: { name: 's' },
          subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'web', port: 8080 }] }],
        },
        status: 201,
      },
      // An address that is no pod's is not led to.
      {
        request: `GET ${services}/s:80/proxy/x`,
        status: 503,
        message: 'no endpoints available for service "s"',
      },
      { request: `GET ${services}/s:other/proxy/x`, status: 503 },
    ],
  },
  {
    title: 'a proxy to a node leads to an address of its own',
    steps: [
      { request: 'POST /api/v1/nodes', body: { metadata: { name: 'node-$ns' } }, status: 201 },
      ...methods.map((method): Step => ({
        request: `${method} /api/v1/nodes/node-$ns:10250/proxy/metrics/cadvisor`,
        status: 500,
        message: 'no preferred addresses found; known addresses: []',
      })),
      {
        request: 'PATCH /api/v1/nodes/node-$ns/status',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] } },
        status: 200,
      },
      refused('GET /api/v1/nodes/node-$ns/proxy/metrics', 'address not allowed'),
      refused('GET /api/v1/nodes/node-$ns:80/proxy/metrics', 'address not allowed'),
      refused('GET /api/v1/nodes/a:b:c/proxy/x', 'invalid node request "a:b:c"'),
      { request: 'GET /api/v1/nodes/gone/proxy/x', status: 404, message: 'nodes "gone" not found' },
    ],
  },
];

runScenarios('connections', [...ofPods, ...proxies]);
