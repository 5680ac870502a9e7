/**
 * Signatures of one text under the secrets of many tokens (authentication/detached-jws.ts): what
 * was signed last is kept, so that a new token costs one signature and not all of them.
 *
 * Elsewhere: which tokens sign what (bootstrap-signer.ts).
 *
 * Invariant: what is kept is of the text and the tokens of the last call, and of no others.
 * Bounds: as many as there were tokens; each that is made has a turn.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { BootstrapToken } from '../authentication/bootstrap-token.ts';
import { detachedSigner, tokenSigningSecret } from '../authentication/detached-jws.ts';
import type { DetachedSigner } from '../authentication/detached-jws.ts';
import type { Turns } from '../stdx/turns.ts';

export interface KeptSignatures {
  /** By the ids of the tokens, in their order. */
  of(
    content: string,
    tokens: readonly BootstrapToken[],
  ): Promise<readonly (readonly [id: string, signature: string])[]>;
}

/** Characters that are encoded in a millisecond, or signed. */
const signedPerMs = 400_000;

export function createKeptSignatures({
  identity,
  turns,
}: {
  readonly identity: Identity;
  readonly turns: Pick<Turns, 'pause'>;
}): KeptSignatures {
  let signed = '';
  let known: ReadonlyMap<string, string> = new Map();
  return {
    async of(content, tokens) {
      const before = content === signed ? known : new Map<string, string>();
      const now = new Map<string, string>();
      let signer: DetachedSigner | undefined;
      const found: [string, string][] = [];
      for (const token of tokens) {
        const { id } = token;
        const secret = tokenSigningSecret(identity, token);
        const key = `${id} ${secret}`;
        let signature = before.get(key);
        if (signature === undefined) {
          await turns.pause(content.length / signedPerMs);
          signer ??= detachedSigner(content);
          signature = signer(id, secret);
        }
        now.set(key, signature);
        found.push([id, signature]);
      }
      signed = content;
      known = now;
      return found;
    },
  };
}
