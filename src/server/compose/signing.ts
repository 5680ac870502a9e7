/**
 * The server's own signers put together: their CAs, read at the start and when their files change,
 * and the controllers that approve, sign and clean up.
 *
 * Elsewhere: the rules of each signer (controllers/signing) and the rights of those who approve by
 * hand.
 *
 * Invariants: certificate and key are taken together or not at all, so it does not matter which is
 * written first. A pair that could not sign at a start, or has ended, changes nothing; the log says
 * so.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { openAuthority } from '../../pki/certificate-requests.ts';
import type { SigningAuthority } from '../../pki/certificate-requests.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createApprover, NotPermitted } from '../../controllers/signing/approver.ts';
import { createSigningCleaner } from '../../controllers/signing/cleaner.ts';
import { createSigner } from '../../controllers/signing/signer.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { Timers } from '../../stdx/clock.ts';
import { followFiles } from '../../stdx/followed-files.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { ControllerShortName } from './controller-choice.ts';
import type { Log } from './log.ts';
import { readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import type { Pki } from './pki.ts';
import type { SigningConfig, SigningFiles } from '../config/signing-options.ts';

/** By the signer's name; those that are not in it sign nothing. */
export interface SigningAuthorities {
  readonly authorities: ReadonlyMap<string, SigningAuthority>;
  /** Follows their files. */
  follow(deps: Pick<SigningControllersDeps, 'log' | 'registry' | 'timers'>): { stop(): void };
}

/** @throws OptionsError. */
export async function readSigningAuthorities(
  { files }: SigningConfig,
  pki: Pki,
  { signers }: Identity,
): Promise<SigningAuthorities> {
  const own = await openAuthority(pki.authority);
  const authorities = new Map<string, SigningAuthority>();
  const followed: FollowedPair[] = [];
  for (const [signer, given] of files) {
    const name = signers[signer];
    if (given === undefined) {
      authorities.set(name, own);
      continue;
    }
    const pair = readPair(given);
    authorities.set(name, await openFiles(given, pair));
    followed.push({ name, files: given, pair });
  }
  return {
    authorities,
    follow(deps) {
      const following = followed.map((each) => followPair(each, authorities, deps));
      return { stop: () => following.forEach((each) => each.stop()) };
    },
  };
}

interface FollowedPair {
  /** Of the signer. */
  readonly name: string;
  readonly files: SigningFiles;
  /** As it was read at first. */
  readonly pair: KeyPair;
}

function followPair(
  { files: { certFile, keyFile }, name, pair }: FollowedPair,
  authorities: Map<string, SigningAuthority>,
  { log, registry: { clock }, timers }: Pick<SigningControllersDeps, 'log' | 'registry' | 'timers'>,
): { stop(): void } {
  return followFiles({
    files: [
      { file: certFile, bytes: Buffer.from(pair.certificatePem) },
      { file: keyFile, bytes: Buffer.from(pair.keyPem) },
    ],
    timers,
    async onChange([certificate, key]) {
      const changed = { certificatePem: String(certificate), keyPem: String(key) };
      const authority = await openAuthority(changed).catch((error: unknown) => {
        throw new Error(`${certFile}, ${keyFile}: ${messageOf(error)}`);
      });
      if (authority.notAfterMs <= clock.nowMs()) {
        throw new Error(`${certFile}: the certificate has ended`);
      }
      authorities.set(name, authority);
      log.info({ signer: name, file: certFile }, 'certificates are signed by the changed CA');
    },
    onError(error) {
      log.error({ err: error, signer: name }, 'the changed CA of a signer is not in force');
    },
  });
}

function readPair({ certFile, certFlag, keyFile, keyFlag }: SigningFiles): KeyPair {
  return {
    certificatePem: readOptionText(certFlag, certFile),
    keyPem: readOptionText(keyFlag, keyFile),
  };
}

async function openFiles(
  { certFlag, keyFlag }: SigningFiles,
  pair: KeyPair,
): Promise<SigningAuthority> {
  try {
    return await openAuthority(pair);
  } catch (error) {
    throw new OptionsError(`--${certFlag}, --${keyFlag}: ${messageOf(error)}`);
  }
}

export interface SigningControllersDeps {
  readonly chosen: ReadonlySet<ControllerShortName>;
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly log: Log;
  readonly access: AccessChecker;
  readonly signing: SigningAuthorities;
  readonly lifeMs: number;
}

/** Those that were chosen. */
export function createSigningControllers(deps: SigningControllersDeps): Controller {
  const { access, chosen, lifeMs, log, queues, registry, signing, timers } = deps;
  const running: Controller[] = [];
  if (chosen.has('csrapproving')) {
    const onError = (name: string, error: unknown): void => {
      const what = 'a signing request was not approved; it is tried again';
      if (error instanceof NotPermitted) log.debug({ name, why: error.message }, what);
      else log.warn({ err: error, name }, what);
    };
    running.push(createApprover({ registry, timers, queues, access, onError }));
  }
  if (chosen.has('csrsigning')) {
    const onError = (name: string, error: unknown): void =>
      log.warn({ err: error, name }, 'a certificate could not be signed; it is tried again');
    const { authorities } = signing;
    running.push(createSigner({ registry, timers, queues, authorities, lifeMs, onError }));
    running.push(whileRunning(() => signing.follow(deps)));
  }
  if (chosen.has('csrcleaner')) {
    const onError = (error: unknown): void =>
      log.warn({ err: error }, 'old signing requests were not removed; it is tried again');
    running.push(createSigningCleaner({ registry, timers, onError }));
  }
  return controllerManager(running);
}

/** Followed for as long as anything is signed here. */
function whileRunning(follow: () => { stop(): void }): Controller {
  let following: { stop(): void } | undefined;
  return {
    start: () => void (following = follow()),
    async stop() {
      following?.stop();
    },
  };
}
