/** Defaults of services. Allocated addresses and ports are not defaults. */
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';

const clientIpTimeoutSeconds = 10_800;

export const serviceDefaults: DefaultTable = {
  fields: {
    'core/v1.ServiceSpec': {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      sessionAffinityConfig: when({ sessionAffinity: 'ClientIP' }, { clientIP: {} }),
      externalTrafficPolicy: when({ type: ['NodePort', 'LoadBalancer'] }, 'Cluster'),
      internalTrafficPolicy: when({ type: ['ClusterIP', 'NodePort', 'LoadBalancer'] }, 'Cluster'),
      allocateLoadBalancerNodePorts: when({ type: 'LoadBalancer' }, true),
    },
    'core/v1.SessionAffinityConfig': { clientIP: {} },
    'core/v1.ClientIPConfig': { timeoutSeconds: clientIpTimeoutSeconds },
    'core/v1.ServicePort': {
      protocol: 'TCP',
      targetPort: (port) => port['port'],
    },
  },
};
