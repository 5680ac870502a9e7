/**
 * Flags of the server's own signers of certificates (spec 2, section 5.2).
 *
 * What it is not: reading the files that they name (signing.ts).
 */
import { duration, optional, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface SigningConfig {
  /** Undefined: the CA in the data directory. */
  readonly files: { readonly certFile: string; readonly keyFile: string } | undefined;
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
    flag: 'cluster-signing-duration',
    value: 'DURATION',
    default: '8760h',
    help: 'How long certificates last that are signed; a request may ask for less.',
  },
] as const satisfies readonly OptionSpec[];

type SigningFlag = (typeof signingOptionTable)[number]['flag'];

const tenMinutesMs = 10 * 60_000;

/** @throws OptionsError. */
export function completeSigning(raw: RawValues<SigningFlag>): SigningConfig {
  const certFile = optional(raw, 'cluster-signing-cert-file');
  const keyFile = optional(raw, 'cluster-signing-key-file');
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new OptionsError(
      '--cluster-signing-cert-file, --cluster-signing-key-file: one makes no sense alone',
    );
  }
  return {
    files: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    lifeMs: duration(raw, 'cluster-signing-duration', tenMinutesMs),
  };
}
