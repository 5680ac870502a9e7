/** A pod as a workload controller writes it: two containers, probes, volumes, affinity; 2.2 KB. */
function container(index: number): object {
  return {
    name: `c${index}`,
    image: `registry.example.io/team/service-${index}:1.2.3`,
    args: ['--port=8080', '--level=info'],
    ports: [{ name: 'http', containerPort: 8080 }],
    env: Array.from({ length: 6 }, (_, i) => ({ name: `VAR_${i}`, value: `value-${i}` })),
    resources: {
      limits: { cpu: '500m', memory: '128Mi' },
      requests: { cpu: '250m', memory: '64Mi' },
    },
    livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config' },
      { name: 'data', mountPath: '/data' },
    ],
  };
}

const antiAffinity = {
  weight: 100,
  podAffinityTerm: {
    topologyKey: 'example.io/zone',
    labelSelector: { matchLabels: { app: 'service' } },
  },
};

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'service-5d9c', uid: 'a-b-c' };

export function podBody(): Buffer {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'service-5d9c-x2x4z',
      namespace: 'default',
      labels: { app: 'service', tier: 'backend', 'pod-template-hash': '5d9c' },
      annotations: { 'example.io/note': 'n'.repeat(100) },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      containers: [container(0), container(1)],
      volumes: [
        { name: 'config', configMap: { name: 'service' } },
        { name: 'data', emptyDir: {} },
      ],
      tolerations: [{ key: 'example.io/spot', operator: 'Exists', effect: 'NoSchedule' }],
      nodeSelector: { 'example.io/pool': 'general' },
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [antiAffinity] },
      },
      serviceAccountName: 'default',
    },
  };
  return Buffer.from(JSON.stringify(pod));
}
