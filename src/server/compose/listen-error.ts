/**
 * Why a port cannot be opened, as one line for the operator: the flag, the place, and what to do.
 */
import { messageOf } from '../../stdx/message-of.ts';
import { bracketed } from '../../stdx/url-host.ts';
import { probePort } from '../../transport/probe-port.ts';
import { OptionsError } from '../config/option-values.ts';

/** `flag`: the one that names the port. */
export async function listenError(
  flag: string,
  { address, port }: { readonly address: string; readonly port: number },
  cause: unknown,
): Promise<OptionsError> {
  const place = `${bracketed(address)}:${port}`;
  // uWebSockets.js does not say why: node is asked.
  const why = codeOf(cause) === undefined ? await probePort(address, port).catch(thrown) : cause;
  switch (codeOf(why)) {
    case 'EADDRINUSE':
      return new OptionsError(
        `${flag}: ${place} is in use by another program: ` +
          'stop it, or choose another port (0 picks a free one)',
      );
    case 'EACCES':
      return new OptionsError(
        `${flag}: ${place} may not be opened by this user: choose a port of 1024 or above`,
      );
    case 'EADDRNOTAVAIL':
      return new OptionsError(`--bind-address: this machine does not have the address ${address}`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OptionsError(`--bind-address: the name ${address} has no address`);
    default:
      return new OptionsError(`--bind-address, ${flag}: ${messageOf(cause)}`);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function thrown(error: unknown): unknown {
  return error;
}
