/**
 * Deployments of about 5 KB for writes of every kind: created, replaced, patched, applied. Each
 * write has a sequence number that makes it another one than the write before.
 */
import { objectName } from './objects.ts';

const PATH = '/apis/apps/v1/namespaces/default/deployments';
const CONTAINERS = 4;
const VARIABLES = 12;

/** JSON of 5 KB once the server has completed it, ownership left aside. */
function deployment(name: string, sequence: number): object {
  const labels = { app: name, 'example.com/part': 'bench' };
  const containers = Array.from({ length: CONTAINERS }, (_, c) => ({
    name: `container-${c}`,
    image: `example.io/bench/container-${c}:1.${sequence}`,
    ports: [{ containerPort: 8000 + c, name: `port-${c}` }],
    env: Array.from({ length: VARIABLES }, (_, v) => ({
      name: `VARIABLE_${c}_${v}`,
      value: `value ${v} of container ${c}, long enough to be one`,
    })),
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
  }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

export interface DeploymentWrites {
  /** How many objects the writes go to, in turn. */
  readonly objects: number;
  readonly prefix: string;
}

function request(method: string, path: string, type: string, body: object): Buffer {
  const text = JSON.stringify(body);
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const json = 'application/json';

export type WriteForm = 'create' | 'replace' | 'merge' | 'apply';

/** The request of the `index`-th write, which is the `sequence`-th to its object. */
export function deploymentRequest(
  form: WriteForm,
  { objects, prefix }: DeploymentWrites,
  index: number,
  sequence: number,
): Buffer {
  const name = objectName(prefix, index % objects);
  const path = `${PATH}/${name}?fieldManager=bench`;
  switch (form) {
    case 'create':
      return request('POST', `${PATH}?fieldManager=bench`, json, deployment(name, sequence));
    case 'replace':
      return request('PUT', path, json, deployment(name, sequence));
    case 'merge':
      return request('PATCH', path, 'application/merge-patch+json', {
        metadata: { annotations: { 'example.com/sequence': String(sequence) } },
      });
    case 'apply':
      return request(
        'PATCH',
        `${path}&force=true`,
        'application/apply-patch+yaml',
        deployment(name, sequence),
      );
  }
}
