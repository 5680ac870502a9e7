/** The least that a pod or a workload must say, for tests of something else. */

export function podSpec(more: object = {}): object {
  return { containers: [{ name: 'c', image: 'example.io/c:1' }], ...more };
}

const labels = { app: 'x' };

/** Of a deployment, a replica set, a daemon set: selector and template agree. */
export function workloadSpec(more: object = {}): object {
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec() },
    ...more,
  };
}
