/** Defaults of services. Allocated addresses and ports are not defaults. */
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import { when } from '../../../apimachinery/typed/defaulting.ts';
import type { JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';

const clientIpTimeoutSeconds = 10_800;

export const serviceDefaults: DefaultTable = {
  fields: {
    'core/v1.ServiceSpec': {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      sessionAffinityConfig: when({ sessionAffinity: 'ClientIP' }, { clientIP: {} }),
      externalTrafficPolicy: (spec) => (isReachedFromOutside(spec) ? 'Cluster' : undefined),
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
  complete: {
    'core/v1.Service': withIpModes,
    'core/v1.ServiceSpec': withoutUnusedAffinity,
  },
};

function isReachedFromOutside({ type, externalIPs }: JsonObject): boolean {
  if (type === 'NodePort' || type === 'LoadBalancer') return true;
  return type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0;
}

function withoutUnusedAffinity(spec: JsonObject): JsonObject {
  if (spec['sessionAffinity'] !== 'None' || !('sessionAffinityConfig' in spec)) return spec;
  const { sessionAffinityConfig: _unused, ...rest } = spec;
  return rest;
}

/** An address of a load balancer is a virtual one unless it says otherwise. */
function withIpModes(service: JsonObject): JsonObject {
  const { spec, status } = service;
  if (!isJsonObject(spec) || spec['type'] !== 'LoadBalancer') return service;
  const balancer = isJsonObject(status) ? status['loadBalancer'] : undefined;
  const ingress = isJsonObject(balancer) ? balancer['ingress'] : undefined;
  if (!Array.isArray(ingress) || !isJsonObject(status) || !isJsonObject(balancer)) return service;
  const items = ingress as readonly JsonValue[];
  const lacks = (item: JsonValue): boolean =>
    isJsonObject(item) && item['ip'] !== undefined && item['ipMode'] === undefined;
  if (!items.some(lacks)) return service;
  const made = items.map((item) =>
    isJsonObject(item) && lacks(item) ? { ...item, ipMode: 'VIP' } : item,
  );
  return { ...service, status: { ...status, loadBalancer: { ...balancer, ingress: made } } };
}
