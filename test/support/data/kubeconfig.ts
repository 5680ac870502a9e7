/** A kubeconfig of one cluster and one user, as JSON (which is YAML, too). */
export interface KubeconfigCluster {
  readonly server: string;
  readonly 'certificate-authority-data'?: string | undefined;
  readonly 'tls-server-name'?: string | undefined;
}

export function kubeconfigFor(cluster: KubeconfigCluster, user: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
