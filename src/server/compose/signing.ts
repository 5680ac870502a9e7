/**
 * The server's own signers put together: their CAs, read at the start, and the controllers that
 * approve, sign and clean up.
 *
 * Elsewhere: the rules of each signer (controllers/signing) and the rights of those who approve by
 * hand.
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
import type { Timers } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { ControllerShortName } from './controller-choice.ts';
import type { Log } from './log.ts';
import { readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import type { Pki } from './pki.ts';
import type { SigningConfig, SigningFiles } from '../config/signing-options.ts';

/** By the signer's name; those that are not in it sign nothing. @throws OptionsError. */
export async function readSigningAuthorities(
  { files }: SigningConfig,
  pki: Pki,
  { signers }: Identity,
): Promise<ReadonlyMap<string, SigningAuthority>> {
  const own = await openAuthority(pki.authority);
  const read = new Map<string, SigningAuthority>();
  for (const [signer, given] of files) {
    read.set(signers[signer], given === undefined ? own : await openFiles(given));
  }
  return read;
}

async function openFiles({
  certFile,
  certFlag,
  keyFile,
  keyFlag,
}: SigningFiles): Promise<SigningAuthority> {
  const pair = {
    certificatePem: readOptionText(certFlag, certFile),
    keyPem: readOptionText(keyFlag, keyFile),
  };
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
  readonly authorities: ReadonlyMap<string, SigningAuthority>;
  readonly lifeMs: number;
}

/** Those that were chosen. */
export function createSigningControllers(deps: SigningControllersDeps): Controller {
  const { access, authorities, chosen, lifeMs, log, queues, registry, timers } = deps;
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
    running.push(createSigner({ registry, timers, queues, authorities, lifeMs, onError }));
  }
  if (chosen.has('csrcleaner')) {
    const onError = (error: unknown): void =>
      log.warn({ err: error }, 'old signing requests were not removed; it is tried again');
    running.push(createSigningCleaner({ registry, timers, onError }));
  }
  return controllerManager(running);
}
