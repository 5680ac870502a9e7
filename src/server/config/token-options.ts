/**
 * Flags of bearer tokens: service accounts, bootstrap tokens, webhooks; and of the controllers that
 * look after them (spec 2, sections 3.1 and 5.2).
 *
 * Elsewhere: reading the files that they name (token-methods.ts).
 */
import { chosenControllers } from '../compose/controller-choice.ts';
import type { ControllerShortName } from '../compose/controller-choice.ts';
import { boolean, duration, fail, list, oneOf, optional } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface TokenConfig {
  /** Undefined: made in the data directory. */
  readonly signingKeyFile: string | undefined;
  /** Whose tokens are accepted beside the signing key's. */
  readonly keyFiles: readonly string[];
  /** The first one is what new tokens say; empty: made from the identity. */
  readonly issuers: readonly string[];
  readonly jwksUri: string | undefined;
  /** Empty: the issuers. */
  readonly apiAudiences: readonly string[];
  readonly lookup: boolean;
  /** Undefined: as long as is asked for. */
  readonly maxExpirationSeconds: number | undefined;
  readonly extendExpiration: boolean;
  readonly bootstrapTokens: boolean;
  readonly webhook:
    | {
        readonly configFile: string;
        readonly version: 'v1' | 'v1beta1';
        readonly cacheTtlMs: number;
      }
    | undefined;
  readonly controllers: ReadonlySet<ControllerShortName>;
}

export const tokenOptionTable = [
  {
    flag: 'service-account-signing-key-file',
    value: 'FILE',
    default: '',
    help: "Key that signs service accounts' tokens, PEM; empty makes one in the data directory.",
  },
  {
    flag: 'service-account-key-file',
    value: 'FILE,...',
    default: '',
    help: 'Further keys that verify service account tokens, PEM; empty: --tls-private-key-file.',
    several: true,
  },
  {
    flag: 'service-account-issuer',
    value: 'URL,...',
    default: '',
    help: 'Issuers of service account tokens; the first one signs, all are accepted.',
    several: true,
  },
  {
    flag: 'service-account-jwks-uri',
    value: 'URL',
    default: '',
    help: "URL of the keys in the issuer's discovery document; empty: this server.",
  },
  {
    flag: 'api-audiences',
    value: 'NAME,...',
    default: '',
    help: 'Audiences of which a token must name one; empty: the issuers.',
    several: true,
  },
  {
    flag: 'service-account-lookup',
    value: 'true|false',
    default: 'true',
    help: 'Tokens are valid only while their account, and the object they are bound to, exist.',
  },
  {
    flag: 'service-account-max-token-expiration',
    value: 'DURATION',
    default: '0',
    help: 'Longest time a token may be given; 0 gives what is asked for.',
  },
  {
    flag: 'service-account-extend-token-expiration',
    value: 'true|false',
    default: 'true',
    help: 'Tokens that clients put into pods last a year, for programs that read them once.',
  },
  {
    flag: 'enable-bootstrap-token-auth',
    value: 'true|false',
    default: 'false',
    help: 'Bootstrap tokens authenticate.',
  },
  {
    flag: 'authentication-token-webhook-config-file',
    value: 'FILE',
    default: '',
    help: 'Client configuration of a server that answers TokenReviews.',
  },
  {
    flag: 'authentication-token-webhook-version',
    value: 'v1|v1beta1',
    default: 'v1beta1',
    help: 'Version of the TokenReviews sent to it.',
  },
  {
    flag: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    default: '2m',
    help: 'How long its answers are cached; 0: not at all.',
  },
  {
    flag: 'controllers',
    value: 'NAME,...',
    default: '*',
    help: '* is those on by default; add tokencleaner, bootstrapsigner; -NAME leaves one out.',
  },
] as const satisfies readonly OptionSpec[];

type TokenFlag = (typeof tokenOptionTable)[number]['flag'];
type Raw = RawValues<TokenFlag>;

/** @throws OptionsError. */
export function completeTokens(raw: Raw): TokenConfig {
  const configFile = optional(raw, 'authentication-token-webhook-config-file');
  const version = oneOf(raw, 'authentication-token-webhook-version', ['v1', 'v1beta1']);
  const cacheTtlMs = duration(raw, 'authentication-token-webhook-cache-ttl', 0);
  return {
    signingKeyFile: optional(raw, 'service-account-signing-key-file'),
    keyFiles: list(raw, 'service-account-key-file'),
    issuers: issuersOf(raw),
    jwksUri: optional(raw, 'service-account-jwks-uri'),
    apiAudiences: list(raw, 'api-audiences'),
    lookup: boolean(raw, 'service-account-lookup'),
    maxExpirationSeconds: maxExpirationOf(raw),
    extendExpiration: boolean(raw, 'service-account-extend-token-expiration'),
    bootstrapTokens: boolean(raw, 'enable-bootstrap-token-auth'),
    webhook: configFile === undefined ? undefined : { configFile, version, cacheTtlMs },
    controllers: chosenControllers(raw.controllers),
  };
}

/** A text with a colon has to be a URL: others compare it as one. */
function issuersOf(raw: Raw): readonly string[] {
  const flag = 'service-account-issuer';
  return list(raw, flag).map((issuer) =>
    issuer.includes(':') && !URL.canParse(issuer) ? fail(flag, issuer, 'a URL') : issuer,
  );
}

function maxExpirationOf(raw: Raw): number | undefined {
  const flag = 'service-account-max-token-expiration';
  const seconds = duration(raw, flag, 0) / 1000;
  if (seconds === 0) return undefined;
  if (seconds >= 3600 && seconds <= 2 ** 32) return seconds;
  return fail(flag, raw[flag], '0, or a duration from 1h to 2^32 seconds');
}
