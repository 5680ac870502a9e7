/**
 * The keys of service accounts' tokens: from the files that the flags name, or made once in
 * `<data-dir>/pki/sa.key` and `sa.pub`.
 *
 * Invariants: a key is made whole before it has its name, and the first one that has it stays, also
 * when several processes start at once; the file is its owner's alone. An error names the flag and
 * the file, and shows nothing of a key.
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, linkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signingKeyOf, verificationKeysOf } from '../../authentication/jwt-keys.ts';
import type { SigningKey, VerificationKey } from '../../authentication/jwt-keys.ts';
import { makeDirectory } from '../../stdx/make-directory.ts';
import { readFileAtStart } from '../../stdx/regular-file.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { OptionsError } from '../config/option-values.ts';
import type { TokenConfig } from '../config/token-options.ts';

export interface TokenKeys {
  readonly signing: SigningKey;
  /** The signing key's among them, each once. */
  readonly verifying: readonly VerificationKey[];
}

/** `tlsKeyFile`: counts where no other key is named. @throws OptionsError. */
export function readTokenKeys(
  config: TokenConfig,
  dataDir: string,
  tlsKeyFile: string | undefined,
): TokenKeys {
  const own = config.signingKeyFile ?? ensureKey(path.resolve(dataDir, 'pki'));
  const signing = read('service-account-signing-key-file', own, signingKeyOf);
  const named = config.keyFiles.length > 0 || tlsKeyFile === undefined;
  const files = named ? config.keyFiles : [tlsKeyFile];
  const flag = named ? 'service-account-key-file' : 'tls-private-key-file';
  const others = files.flatMap((file) => read(flag, file, verificationKeysOf));
  const all = new Map([signing, ...others].map((key) => [key.id, key] as const));
  return { signing, verifying: [...all.values()] };
}

function read<T>(flag: string, file: string, parse: (pem: string) => T): T {
  try {
    return parse(readFileAtStart(file).toString('utf8'));
  } catch (error) {
    throw new OptionsError(`--${flag}: ${file}: ${messageOf(error)}`);
  }
}

/** The path of the key, which is there afterwards. */
function ensureKey(directory: string): string {
  const file = path.join(directory, 'sa.key');
  if (existsSync(file)) return file;
  makeDirectory(directory, 0o700);
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  if (placeWhole(file, pair.privateKey, 0o600)) {
    placeWhole(path.join(directory, 'sa.pub'), pair.publicKey, 0o644);
  }
  return file;
}

/** False when something has the name already. */
function placeWhole(file: string, text: string, mode: number): boolean {
  const partial = `${file}.${process.pid}.tmp`;
  writeFileSync(partial, text, { mode });
  try {
    linkSync(partial, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(partial);
  }
}
