/** ClusterTrustBundles: certificates that everybody in the cluster may trust. */
import { X509Certificate } from 'node:crypto';
import { pemTexts } from '../../apimachinery/codecs/pem.ts';
import { invalid, tooLong, tooMany } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { column, nameColumn, table } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';
import { allErrors, each, noProblems, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { signerNameRules } from '../validation/signer-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

const clusterTrustBundleTable = table([
  nameColumn,
  column(
    'SignerName',
    'Whose certificates are trusted.',
    (object) => printedAt(object, 'spec', 'signerName') || '<none>',
  ),
]);

const clusterTrustBundleRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const signer = text(spec, 'signerName');
    return allErrors(
      bundleNameRules(object, signer),
      signerNameRules('spec.signerName', signer),
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

/** Bytes of a bundle. */
const bundleBytesMax = 1024 * 1024;
/** Certificates that one bundle holds: each is parsed. Policy: more are refused unparsed. */
const anchorsMax = 512;

const omitted = '<value omitted>';

/** What stands between blocks is a comment. */
function trustRules(bundle: string, field: string): Problems {
  if (Buffer.byteLength(bundle) > bundleBytesMax) return [tooLong(field, bundleBytesMax)];
  const seen = new Set<string>();
  const blocks = pemTexts(bundle);
  if (blocks.length > anchorsMax) return [tooMany(field, blocks.length, anchorsMax)];
  if (blocks.length === 0) {
    return [invalid(field, omitted, 'at least one trust anchor must be provided')];
  }
  return each(blocks, ({ type, whole }, at) => {
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

export const clusterTrustBundles: KindDefinition = {
  resource: 'certificates.{domain}/clustertrustbundles',
  schemaExemptions: { optional: 'certificates.ClusterTrustBundleSpec.trustBundle' },
  names: 'trust-bundle',
  conditionalUpdateOnly: true,
  selectableFields: 'spec.signerName',
  validation: clusterTrustBundleRules,
  table: clusterTrustBundleTable,
};
