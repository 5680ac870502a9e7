/** Warnings of services and ingresses: fields that are ignored, and addresses. */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { balancerWarnings, cidrWarnings, ipWarnings } from './addresses.ts';
import { each, noWarnings, onWrite, together } from './kind-warnings.ts';
import type { KindWarnings, Warnings } from './kind-warnings.ts';

export function serviceWarnings({ fill }: Identity): KindWarnings {
  const [hints, mode] = ['topology-aware-hints', 'topology-mode'].map((name) =>
    fill(`service.{labelDomain}/${name}`),
  ) as [string, string];
  const found = (service: ApiObject): Warnings => {
    const spec = part(service, 'spec');
    const deprecated = service.metadata.annotations?.[hints] !== undefined;
    return together(
      deprecated ? [`annotation ${hints} is deprecated, please use ${mode} instead`] : noWarnings,
      isHeadless(spec) ? ignoredByHeadless(spec) : addressWarnings(spec, 'clusterIPs'),
      addressWarnings(spec, 'externalIPs'),
      ipWarnings('spec.loadBalancerIP', text(spec, 'loadBalancerIP')),
      each(texts(spec, 'loadBalancerSourceRanges'), (range, at) =>
        cidrWarnings(`spec.loadBalancerSourceRanges[${at}]`, range.trim()),
      ),
      nameElsewhere(spec),
    );
  };
  return { ...onWrite(found), onStatusUpdate: balancerWarnings };
}

function addressWarnings(spec: JsonObject, list: string): Warnings {
  return each(texts(spec, list), (address, at) => ipWarnings(`spec.${list}[${at}]`, address));
}

function isHeadless(spec: JsonObject): boolean {
  return text(spec, 'type') === 'ClusterIP' && text(spec, 'clusterIP') === 'None';
}

function ignoredByHeadless(spec: JsonObject): Warnings {
  const ignored = (field: string, given: boolean): Warnings =>
    given ? [`spec.${field} is ignored for headless services`] : noWarnings;
  return together(
    ignored('loadBalancerIP', text(spec, 'loadBalancerIP') !== ''),
    ignored('externalIPs', texts(spec, 'externalIPs').length > 0),
    ignored('SessionAffinity', text(spec, 'sessionAffinity') !== 'None'),
  );
}

/** A name outside the cluster has no addresses, and what has addresses no such name. */
function nameElsewhere(spec: JsonObject): Warnings {
  const type = 'ExternalName';
  if (text(spec, 'type') === type) {
    const ignored = `spec.externalIPs is ignored when spec.type is ${quote(type)}`;
    return texts(spec, 'externalIPs').length > 0 ? [ignored] : noWarnings;
  }
  if (text(spec, 'externalName') === '') return noWarnings;
  return [`spec.externalName is ignored when spec.type is not ${quote(type)}`];
}

export function ingressWarnings({ fill }: Identity): KindWarnings {
  const annotation = fill('{labelDomain}/ingress.class');
  return {
    onCreate: (ingress) =>
      ingress.metadata.annotations?.[annotation] !== undefined &&
      part(ingress, 'spec')['ingressClassName'] === undefined
        ? [
            `annotation ${quote(annotation)} is deprecated, ` +
              "please use 'spec.ingressClassName' instead",
          ]
        : noWarnings,
    onStatusUpdate: balancerWarnings,
  };
}
