/**
 * Flags of the server's own signers of certificates (spec 2, section 5.2).
 *
 * Elsewhere: reading the files that they name (signing.ts).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { duration, optional, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

/** As `identity.signers` names them. */
export type Signer = keyof Identity['signers'];

export interface SigningFiles {
  readonly certFlag: string;
  readonly keyFlag: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface SigningConfig {
  /** Of each signer that signs; undefined: the CA in the data directory. */
  readonly files: ReadonlyMap<Signer, SigningFiles | undefined>;
  readonly lifeMs: number;
}

export const signingOptionTable = [
  {
    flag: 'cluster-signing-cert-file',
    value: 'FILE',
    default: '',
    help: 'CA that signs approved signing requests, PEM; empty: the one in the data directory.',
  },
  {
    flag: 'cluster-signing-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --cluster-signing-cert-file, PEM: RSA or ECDSA.',
  },
  {
    flag: 'cluster-signing-kube-apiserver-client-cert-file',
    value: 'FILE',
    default: '',
    help: 'CA of kube-apiserver-client only; signers without one then sign nothing.',
  },
  {
    flag: 'cluster-signing-kube-apiserver-client-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --cluster-signing-kube-apiserver-client-cert-file, PEM.',
  },
  {
    flag: 'cluster-signing-kubelet-client-cert-file',
    value: 'FILE',
    default: '',
    help: 'CA of kube-apiserver-client-kubelet only; signers without one then sign nothing.',
  },
  {
    flag: 'cluster-signing-kubelet-client-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --cluster-signing-kubelet-client-cert-file, PEM.',
  },
  {
    flag: 'cluster-signing-kubelet-serving-cert-file',
    value: 'FILE',
    default: '',
    help: 'CA of kubelet-serving only; signers without one then sign nothing.',
  },
  {
    flag: 'cluster-signing-kubelet-serving-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --cluster-signing-kubelet-serving-cert-file, PEM.',
  },
  {
    flag: 'cluster-signing-legacy-unknown-cert-file',
    value: 'FILE',
    default: '',
    help: 'CA of legacy-unknown only; signers without one then sign nothing.',
  },
  {
    flag: 'cluster-signing-legacy-unknown-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --cluster-signing-legacy-unknown-cert-file, PEM.',
  },
  {
    flag: 'cluster-signing-duration',
    value: 'DURATION',
    default: '8760h',
    help: 'How long certificates last that are signed; a request may ask for less.',
  },
] as const satisfies readonly OptionSpec[];

type SigningFlag = (typeof signingOptionTable)[number]['flag'];

const tenMinutesMs = 10 * 60_000;

type Raw = RawValues<SigningFlag>;

const formOf = {
  client: 'kube-apiserver-client-',
  kubeletClient: 'kubelet-client-',
  kubeletServing: 'kubelet-serving-',
  legacyUnknown: 'legacy-unknown-',
} as const satisfies Readonly<Record<Signer, string>>;
const allSigners = Object.keys(formOf) as readonly Signer[];

/** @throws OptionsError. */
export function completeSigning(raw: Raw): SigningConfig {
  return { files: filesOf(raw), lifeMs: duration(raw, 'cluster-signing-duration', tenMinutesMs) };
}

function filesOf(raw: Raw): SigningConfig['files'] {
  const common = pairOf(raw, '');
  const own = allSigners.flatMap((signer): readonly [Signer, SigningFiles][] => {
    const pair = pairOf(raw, formOf[signer]);
    return pair === undefined ? [] : [[signer, pair]];
  });
  if (own.length === 0) return new Map(allSigners.map((signer) => [signer, common]));
  if (common === undefined) return new Map(own);
  const flags = own.map(([, { certFlag }]) => `--${certFlag}`).join(', ');
  throw new OptionsError(`${flags}: cannot be given with --${common.certFlag}`);
}

function pairOf(raw: Raw, form: '' | (typeof formOf)[Signer]): SigningFiles | undefined {
  const certFlag = `cluster-signing-${form}cert-file` as const;
  const keyFlag = `cluster-signing-${form}key-file` as const;
  const [certFile, keyFile] = [optional(raw, certFlag), optional(raw, keyFlag)];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) {
    return { certFlag, keyFlag, certFile, keyFile };
  }
  throw new OptionsError(`--${certFlag}, --${keyFlag}: give both or neither`);
}
