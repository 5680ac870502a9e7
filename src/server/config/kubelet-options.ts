/**
 * Flags of connections to the kubelets of nodes, and of those to pods and services.
 *
 * Elsewhere: the files that they name are read by src/server/compose/connections.ts.
 */
import { addressTypes } from '../../proxy/kubelet-address.ts';
import type { AddressType } from '../../proxy/kubelet-address.ts';
import { duration, fail, integer, optional } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface KubeletConfig {
  /** Who has signed their certificates. Undefined: any is taken. */
  readonly caFile: string | undefined;
  /** What this server shows them. Undefined: a certificate of the CA in the data directory. */
  readonly client: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly addressTypes: readonly AddressType[];
  readonly dialTimeoutMs: number;
  /** Connections that are passed on at a time. */
  readonly connectionsMax: number;
}

export const kubeletOptionTable = [
  {
    flag: 'kubelet-certificate-authority',
    value: 'FILE',
    default: '',
    help: 'CAs of the certificates of kubelets, PEM; empty: any certificate is taken.',
  },
  {
    flag: 'kubelet-client-certificate',
    value: 'FILE',
    default: '',
    help: 'Shown to kubelets, PEM; empty: one that the CA in the data directory has signed.',
  },
  {
    flag: 'kubelet-client-key',
    value: 'FILE',
    default: '',
    help: 'The key of --kubelet-client-certificate, PEM.',
  },
  {
    flag: 'kubelet-preferred-address-types',
    value: 'LIST',
    default: addressTypes.join(','),
    help: 'Which addresses of a node its kubelet is reached at, the best first.',
  },
  {
    flag: 'kubelet-timeout',
    value: 'DURATION',
    default: '5s',
    help: 'How long connecting to a kubelet may take.',
  },
  {
    flag: 'max-passed-connections',
    value: 'N',
    default: '500',
    help: 'Streams to containers and proxied requests at a time, a quarter for one; then 429.',
  },
] as const satisfies readonly OptionSpec[];

type Raw = RawValues<(typeof kubeletOptionTable)[number]['flag']>;

/** @throws OptionsError. */
export function completeKubelet(raw: Raw): KubeletConfig {
  return {
    caFile: optional(raw, 'kubelet-certificate-authority'),
    client: clientOf(raw),
    addressTypes: addressTypesOf(raw['kubelet-preferred-address-types']),
    dialTimeoutMs: duration(raw, 'kubelet-timeout', 1),
    connectionsMax: integer(raw, 'max-passed-connections', 1, 100_000),
  };
}

function clientOf(raw: Raw): KubeletConfig['client'] {
  const certFile = optional(raw, 'kubelet-client-certificate');
  const keyFile = optional(raw, 'kubelet-client-key');
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    fail('kubelet-client-key', keyFile ?? '', 'the key of --kubelet-client-certificate');
  }
  return { certFile, keyFile };
}

function addressTypesOf(text: string): readonly AddressType[] {
  const wanted = `a list of ${addressTypes.join(', ')}`;
  const types = text.split(',').map((each) => {
    const found = addressTypes.find((type) => type === each.trim());
    return found ?? fail('kubelet-preferred-address-types', each, wanted);
  });
  return [...new Set(types)];
}
