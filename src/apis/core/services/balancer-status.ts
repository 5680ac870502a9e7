/**
 * Rules of what a load balancer has, which it writes into the status of a Service or an Ingress:
 * where traffic is taken. The schema does not look into a status.
 */
import { forbidden, invalid, notSupported, required } from '../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/names.ts';
import { allErrors, checkIp, each, form, ipFamily, noProblems } from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';

const field = 'status.loadBalancer.ingress';

function pointsOf(object: ApiObject): readonly JsonObject[] {
  return objects(part(part(object, 'status'), 'loadBalancer'), 'ingress');
}

/** Of both kinds. */
export function balancerStatusRules(object: ApiObject): Problems {
  return each(pointsOf(object), (point, at) => {
    const host = text(point, 'hostname');
    const detail = 'must be a DNS name, not an IP address';
    return allErrors(
      form(`${field}[${at}].ip`, text(point, 'ip'), checkIp),
      form(`${field}[${at}].hostname`, host, checkDns1123Subdomain),
      ipFamily(host) === 0 ? noProblems : [invalid(`${field}[${at}].hostname`, host, detail)],
    );
  });
}

const modes: readonly string[] = ['Proxy', 'VIP'];

/** Of a service: it has one only where its type says so, and says how traffic arrives. */
export function serviceStatusRules(service: ApiObject): Problems {
  const points = pointsOf(service);
  if (text(part(service, 'spec'), 'type') !== 'LoadBalancer') {
    const detail = "may only be used when `spec.type` is 'LoadBalancer'";
    return points.length === 0 ? noProblems : [forbidden(field, detail)];
  }
  return allErrors(
    balancerStatusRules(service),
    each(points, (point, at) => modeRules(point, `${field}[${at}].ipMode`)),
  );
}

function modeRules({ ip, ipMode }: JsonObject, path: string): Problems {
  const isAddressed = ip !== undefined && ip !== '';
  if (ipMode === undefined) {
    return isAddressed ? [required(path, 'must be specified when `ip` is set')] : noProblems;
  }
  if (!isAddressed) return [forbidden(path, 'may not be specified when `ip` is not set')];
  return typeof ipMode === 'string' && !modes.includes(ipMode)
    ? [notSupported(path, ipMode, modes)]
    : noProblems;
}
