/**
 * Rules of services.
 *
 * A field that the reference fills in before it validates is not required here.
 */
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/field-error.ts';
import { objects, part, text, textMap, texts } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../apimachinery/validation/names.ts';
import { validateLabels } from '../../../apimachinery/validation/object-meta.ts';
import {
  allErrors,
  checkCidr,
  checkReachableIp,
  each,
  form,
  formEach,
  givenForm,
  noProblems,
  numberOf,
  portNumber,
  portNumberOrName,
  uniqueBy,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { addressRules, addressUpdateRules } from './address-rules.ts';
import { serviceStatusRules } from './balancer-status.ts';

const affinitySecondsMax = 86_400;

const headless = 'None';

export const serviceRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const ports = objects(spec, 'ports');
    const type = text(spec, 'type');
    const needsPorts = type !== 'ExternalName' && text(spec, 'clusterIP') !== headless;
    return allErrors(
      needsPorts && ports.length === 0 ? [required('spec.ports')] : noProblems,
      portsRules(ports, type),
      validateLabels('spec.selector', textMap(spec, 'selector')),
      affinityRules(spec),
      type === 'ExternalName' ? externalRules(spec) : headlessRules(spec, type),
      addressRules(spec),
      formEach('spec.externalIPs', texts(spec, 'externalIPs'), checkReachableIp),
      balancerRules(spec, type),
      trafficRules(spec, type),
    );
  },
  validateUpdate: (next, current) => updateRules(next, current),
  validateStatusUpdate: (next) => serviceStatusRules(next),
};

function portsRules(ports: readonly JsonObject[], type: string): Problems {
  const used = new Set<string>();
  const usedOnNodes = new Set<string>();
  return allErrors(
    each(ports, (port, at) => {
      const path = `spec.ports[${at}]`;
      const name = text(port, 'name');
      const node = numberOf(port['nodePort']) ?? 0;
      const protocol = text(port, 'protocol');
      const taken = `${protocol}/${numberOf(port['port'])}`;
      const takenOnNodes = `${protocol}/${node}`;
      const repeated = used.has(taken);
      const repeatedOnNodes = node !== 0 && usedOnNodes.has(takenOnNodes);
      used.add(taken);
      usedOnNodes.add(takenOnNodes);
      return allErrors(
        name === '' && ports.length > 1 ? [required(`${path}.name`)] : noProblems,
        form(`${path}.name`, name, checkDns1123Label),
        portNumber(`${path}.port`, port['port']),
        portNumberOrName(`${path}.targetPort`, port['targetPort']),
        givenForm(`${path}.appProtocol`, port['appProtocol'], checkQualifiedName),
        node !== 0 && type === 'ClusterIP'
          ? [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
          : noProblems,
        repeatedOnNodes ? [duplicate(`${path}.nodePort`, node)] : noProblems,
        repeated ? [duplicate(path, { protocol, port: port['port'] ?? null })] : noProblems,
      );
    }),
    uniqueBy(ports, 'spec.ports', 'name'),
  );
}

/** A name of elsewhere has no address here. */
function externalRules(spec: JsonObject): Problems {
  const name = text(spec, 'externalName').replace(/\.$/, '');
  const field = 'spec.externalName';
  const detail = 'may not be set for ExternalName services';
  const addressed = text(spec, 'clusterIP') !== '' || texts(spec, 'clusterIPs').length > 0;
  return allErrors(
    addressed ? [forbidden('spec.clusterIPs', detail)] : noProblems,
    each(['ipFamilies', 'ipFamilyPolicy'], (given) =>
      spec[given] === undefined ? noProblems : [forbidden(`spec.${given}`, detail)],
    ),
    name === '' ? [required(field)] : form(field, name, checkDns1123Subdomain),
  );
}

/** Behind what other servers reach there is an address. */
function headlessRules(spec: JsonObject, type: string): Problems {
  const isReached = type === 'LoadBalancer' || type === 'NodePort';
  if (!isReached || texts(spec, 'clusterIPs')[0] !== headless) return noProblems;
  const detail = `may not be set to 'None' for ${type} services`;
  return [invalid('spec.clusterIPs[0]', headless, detail)];
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";

/** What only services behind a load balancer have. */
function balancerRules(spec: JsonObject, type: string): Problems {
  // Begins with a capital in the reference.
  const ranges = 'spec.LoadBalancerSourceRanges';
  const balanced = type === 'LoadBalancer';
  const onlyWhenBalanced = (name: string, field: string): Problems =>
    !balanced && spec[name] !== undefined ? [forbidden(field, onlyBalanced)] : noProblems;
  return allErrors(
    onlyWhenBalanced('loadBalancerSourceRanges', ranges),
    each(texts(spec, 'loadBalancerSourceRanges'), (range, at) =>
      givenForm(`${ranges}[${at}]`, range.trim(), checkCidr),
    ),
    onlyWhenBalanced('allocateLoadBalancerNodePorts', 'spec.allocateLoadBalancerNodePorts'),
    onlyWhenBalanced('loadBalancerClass', 'spec.loadBalancerClass'),
    balanced
      ? givenForm('spec.loadBalancerClass', spec['loadBalancerClass'], checkQualifiedName)
      : noProblems,
  );
}

function trafficRules(spec: JsonObject, type: string): Problems {
  const policy = text(spec, 'externalTrafficPolicy');
  const outside = type === 'NodePort' || type === 'LoadBalancer' || isOutside(spec, type);
  const checked = type === 'LoadBalancer' && policy === 'Local';
  const health = numberOf(spec['healthCheckNodePort']) ?? 0;
  const distribution = spec['trafficDistribution'];
  const onlyLocal =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return allErrors(
    policy !== '' && !outside
      ? [
          invalid(
            'spec.externalTrafficPolicy',
            policy,
            'may only be set for externally-accessible services',
          ),
        ]
      : noProblems,
    health !== 0 && !checked
      ? [invalid('spec.healthCheckNodePort', health, onlyLocal)]
      : noProblems,
    health !== 0 && checked ? portNumber('spec.healthCheckNodePort', health) : noProblems,
    distribution === undefined || distribution === 'PreferClose'
      ? noProblems
      : [notSupported('spec.trafficDistribution', distribution, ['PreferClose'])],
  );
}

function isOutside(spec: JsonObject, type: string): boolean {
  return type === 'ClusterIP' && texts(spec, 'externalIPs').length > 0;
}

function affinityRules(spec: JsonObject): Problems {
  const path = 'spec.sessionAffinityConfig';
  if (text(spec, 'sessionAffinity') !== 'ClientIP') return noProblems;
  const config = part(part(spec, 'sessionAffinityConfig'), 'clientIP');
  const seconds = numberOf(config['timeoutSeconds']);
  if (seconds === undefined || (seconds > 0 && seconds <= affinitySecondsMax)) return noProblems;
  const detail = `must be greater than 0 and less than ${affinitySecondsMax}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, detail)];
}

function updateRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const [type, was] = [text(spec, 'type'), text(before, 'type')];
  const classes = [spec, before].map((of) => text(of, 'loadBalancerClass'));
  const ports = [spec, before].map((of) => numberOf(of['healthCheckNodePort']) ?? 0);
  const balanced = type === 'LoadBalancer' && was === 'LoadBalancer';
  return allErrors(
    addressUpdateRules(spec, before),
    balanced && classes[0] !== classes[1]
      ? [invalid('spec.loadBalancerClass', classes[0] ?? '', 'may not change once set')]
      : noProblems,
    balanced && ports.every((port) => port !== 0) && ports[0] !== ports[1]
      ? [forbidden('spec.healthCheckNodePort', 'field is immutable')]
      : noProblems,
  );
}
