/** Rules of kinds that record something for others: revisions, trust bundles, migrations. */
import { X509Certificate } from 'node:crypto';
import { invalid, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { each, form, needed, nonNegative, noProblems, together } from './checks.ts';
import { unchanged } from './checks.ts';
import type { Problems } from './checks.ts';
import { checkDomainPath } from './domain-path.ts';
import type { KindRules } from './kind-rules.ts';

export const controllerRevisionRules: KindRules = {
  validate: (object) =>
    together(
      object['data'] === undefined ? [required('data', 'data is mandatory')] : noProblems,
      nonNegative({ revision: object['revision'] }, '', ['revision']).map((problem) => ({
        ...problem,
        field: 'revision',
      })),
    ),
  validateUpdate: (next, current) => unchanged('data', next['data'], current['data']),
};

export const storageVersionMigrationRules: KindRules = {
  validate: (object) => {
    const resource = part(part(object, 'spec'), 'resource');
    const path = 'spec.resource';
    return together(
      form(`${path}.group`, text(resource, 'group'), checkDns1123Subdomain),
      needed(resource, path, 'version'),
      form(`${path}.version`, text(resource, 'version'), checkDns1035Label),
      needed(resource, path, 'resource'),
      form(`${path}.resource`, text(resource, 'resource'), checkPathSegmentName),
    );
  },
  validateUpdate: (next, current) =>
    unchanged('spec.resource', part(next, 'spec')['resource'], part(current, 'spec')['resource']),
};

export const clusterTrustBundleRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const signer = text(spec, 'signerName');
    return together(
      bundleNameRules(object, signer),
      form('spec.signerName', signer, checkDomainPath),
      trustRules(text(spec, 'trustBundle'), 'spec.trustBundle'),
    );
  },
  validateUpdate: (next, current) =>
    unchanged(
      'spec.signerName',
      part(next, 'spec')['signerName'],
      part(current, 'spec')['signerName'],
    ),
};

/** A bundle of a signer carries the signer's name in its own. */
function bundleNameRules(object: ApiObject, signer: string): Problems {
  const { name = '' } = object.metadata;
  const prefix = `${signer.replaceAll('/', ':')}:`;
  if (signer === '') {
    const detail = 'ClusterTrustBundle without signer name must not have ":" in its name';
    return name.includes(':') ? [invalid('metadata.name', name, detail)] : noProblems;
  }
  const detail = `ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`;
  return name.startsWith(prefix) ? noProblems : [invalid('metadata.name', name, detail)];
}

const block = /-----BEGIN ([^-]*)-----\r?\n([\s\S]*?)-----END \1-----/g;
const omitted = '<value omitted>';

/** What stands between blocks is a comment. */
function trustRules(bundle: string, field: string): Problems {
  if (bundle === '') return noProblems;
  const seen = new Set<string>();
  const blocks = [...bundle.matchAll(block)];
  if (blocks.length === 0) {
    return [invalid(field, omitted, 'at least one trust anchor must be provided')];
  }
  return each(blocks, ([whole, type = ''], at) => {
    const say = (problem: string): Problems => [invalid(field, omitted, problem)];
    if (type !== 'CERTIFICATE') return say(`entry ${at} has bad block type: ${type}`);
    const print = fingerprintOf(whole);
    if (print === undefined) return say(`entry ${at} does not parse as a certificate`);
    const repeated = seen.has(print);
    seen.add(print);
    return repeated ? say(`duplicate trust anchor (index ${at})`) : noProblems;
  });
}

function fingerprintOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return undefined;
  }
}
