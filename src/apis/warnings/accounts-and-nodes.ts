/** Warnings of service accounts, secrets, nodes and runtime classes. */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import { cidrWarnings } from './addresses.ts';
import { keyPairProblem } from './key-pairs.ts';
import { each, noWarnings, onWrite, together } from './kind-warnings.ts';
import type { KindWarnings, Warnings } from './kind-warnings.ts';
import { nodeLabels } from './node-labels.ts';

export function serviceAccountWarnings({ fill }: Identity): KindWarnings {
  const annotation = fill('{labelDomain}/enforce-mountable-secrets');
  const message =
    `metadata.annotations[${annotation}]: deprecated in v1.32+; prefer separate namespaces to ` +
    'isolate access to mounted secrets';
  const found = (annotations: Readonly<Record<string, string>> = {}): Warnings =>
    annotations[annotation] === undefined ? noWarnings : [message];
  return {
    onCreate: ({ metadata }) => found(metadata.annotations),
    onUpdate: (next, current) =>
      found(current.metadata.annotations).length > 0
        ? noWarnings
        : found(next.metadata.annotations),
  };
}

export function secretWarnings({ secretTypes }: Identity): KindWarnings {
  return onWrite((secret) => {
    if (secret['type'] !== secretTypes.tls) return noWarnings;
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) =>
      Buffer.from(text(part(secret, 'data'), name), 'base64').toString('latin1'),
    ) as [string, string];
    const problem = keyPairProblem(certificate, key);
    return problem === undefined ? noWarnings : [problem];
  });
}

export const nodeWarnings: KindWarnings = onWrite((node) => {
  const spec = part(node, 'spec');
  return together(
    spec['configSource'] === undefined ? noWarnings : ['spec.configSource: the feature is removed'],
    text(spec, 'externalID') === ''
      ? noWarnings
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
    each(texts(spec, 'podCIDRs'), (range, at) => cidrWarnings(`spec.podCIDRs[${at}]`, range)),
  );
});

export function runtimeClassWarnings(identity: Identity): KindWarnings {
  const labels = nodeLabels(identity);
  return onWrite((runtimeClass) =>
    labels.ofMap(
      part(part(runtimeClass, 'scheduling'), 'nodeSelector'),
      () => 'scheduling.nodeSelector',
    ),
  );
}
