/**
 * The ports of one server, one handler behind all of them:
 *
 *     --secure-port   HTTPS for everybody: client certificates, tokens, HTTP/2
 *     --token-port    HTTPS for who has a token: no client certificates, served by uWebSockets.js
 *     --http-port     plain HTTP for this machine
 *
 * Elsewhere: the adapters that serve a port (src/transport).
 *
 * Invariants: all are open or none is (but for a token port that nobody has asked for and that is
 * not to be had); stopping stops all.
 */
import type { KeyPair } from '../../pki/certificate-authority.ts';
import { systemClock } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { bracketed } from '../../stdx/url-host.ts';
import { chooseTransport } from '../../transport/choose.ts';
import type {
  ExchangeHandler,
  HttpServer,
  ListenOptions,
  TlsOptions,
  TransportLimits,
} from '../../transport/http-exchange.ts';
import type { TransportLoad } from '../../transport/load.ts';
import { probePort } from '../../transport/probe-port.ts';
import { listenError } from './listen-error.ts';
import type { TokenPort } from '../config/access-options.ts';
import type { Log } from './log.ts';
import { pkiDirectory } from './pki.ts';
import type { CompletedConfig } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';

export interface Listeners {
  /** The secure one, if there is one. */
  readonly url: string;
  /** Of the plain HTTP beside it; undefined when there is no second one. */
  readonly httpUrl: string | undefined;
  /** HTTPS for callers with tokens. */
  readonly tokenUrl: string | undefined;
  /** host:port at which others reach `url`, so far as it is known. */
  readonly address: string;
  /** Undefined: there is no secure one. */
  readonly securePort: number | undefined;
  /** Adapters and binaries. */
  readonly name: string;
  /** For connections from now on. @throws when it cannot be used; then nothing has changed. */
  changeTls(tls: TlsMaterial): void;
  /** Answers from now on end their connection; new ones are still taken. */
  startClosing(): void;
  stopAccepting(): void;
  close(processEnds: boolean): Promise<void>;
}

/** Undefined: not served. 0: the system chooses. */
export interface Ports {
  readonly http: number | undefined;
  readonly secure: number | undefined;
  readonly tokens: TokenPort | undefined;
  /** Other processes listen on them too. */
  readonly shared: boolean;
}

const longCertificatesLogMs = 60_000;

export interface TlsMaterial {
  readonly serving: KeyPair;
  /** Who may have signed client certificates: clients are told, and choose by it. */
  readonly clientCaPem: string;
}

/** Of each port, and of all together. */
interface TransportBounds {
  readonly limits: TransportLimits;
  readonly load: TransportLoad;
}

export type OpenPorts = (
  tls: TlsMaterial,
  handler: ExchangeHandler,
  onHandshakeError: () => void,
) => Promise<Listeners>;

/** Finds out what can be served before anything is started. @throws OptionsError. */
export async function prepareListeners(
  config: CompletedConfig,
  ports: Ports,
  bounds: TransportBounds,
  log: Log,
): Promise<OpenPorts> {
  const { bindAddress: address } = config;
  const plain = ports.http === undefined ? undefined : await plainTransport(config, log);
  return async (tls, handler, onHandshakeError) => {
    const { goawayChance } = config;
    const sharedPort = ports.shared;
    const common = {
      address,
      ...bounds,
      sharedPort,
      onHandshakeError,
      goawayChance,
      conversationPaths,
    };
    const portOf = (port: number, name: string): PortOptions => ({
      ...common,
      port,
      onDescriptorsShort: (short) => logDescriptorShortage(log, name, short),
      onCertificatesTooLong: longCertificatesLog(config, log),
      onUnserved: (error) => log.error({ err: error }, `${name}: a connection is cut unserved`),
    });
    const opened: HttpServer[] = [];
    const open = async (
      flag: string,
      port: number,
      listening: Promise<HttpServer>,
    ): Promise<HttpServer> => {
      try {
        const server = await listening;
        opened.push(server);
        return server;
      } catch (cause) {
        for (const server of opened) await server.close();
        throw await listenError(flag, { address, port }, cause);
      }
    };
    const secure =
      ports.secure === undefined
        ? undefined
        : await open(
            '--secure-port',
            ports.secure,
            listenSecure(config, portOf(ports.secure, 'the secure port'), tls, handler),
          );
    const tokens =
      ports.tokens === undefined
        ? undefined
        : await openTokens(ports.tokens, address, log, (port) => {
            const options = portOf(port, 'the port for tokens');
            return open('--token-port', port, listenTokens(config, options, tls, handler, log));
          });
    const http =
      ports.http === undefined || plain === undefined
        ? undefined
        : await open(
            '--http-port',
            ports.http,
            plain.listen(portOf(ports.http, 'plain HTTP'), handler),
          );
    return listenersOf(config, secure, tokens, http);
  };
}

/** Where clients in WebSocket are listened to: they speak with containers. */
const conversationPaths: readonly string[] = ['attach', 'exec', 'portforward'].map(
  (subresource) => `/api/v1/namespaces/:namespace/pods/:name/${subresource}`,
);

type PortOptions = Omit<ListenOptions, 'tls'>;

/** What nobody has asked for does not keep the server from starting. */
async function openTokens(
  { number, ifFree }: TokenPort,
  address: string,
  log: Log,
  open: (port: number) => Promise<HttpServer>,
): Promise<HttpServer | undefined> {
  if (!ifFree || number === 0) return open(number);
  const why = await probePort(address, number).then(() => undefined, messageOf);
  if (why === undefined) return open(number);
  log.warn({ why }, `--token-port: ${number} is not to be had: tokens go to the secure port`);
  return undefined;
}

/** Of the ports that uWebSockets.js serves; the others refuse each connection by themselves. */
function logDescriptorShortage(log: Log, port: string, short: boolean): void {
  if (short) {
    const what = `file descriptors run out: ${port} takes no connection until some are free`;
    log.error({ remedy: 'raise the limit of open files (ulimit -n, LimitNOFILE=)' }, what);
  } else log.info({}, `file descriptors are free again: ${port} takes connections`);
}

/** Anybody can have it written: once in a while, for the first address. */
function longCertificatesLog({ load }: CompletedConfig, log: Log): (address: string) => void {
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  return (address) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs < silentUntilMs) return;
    silentUntilMs = nowMs + longCertificatesLogMs;
    const facts = { address, limitBytes: load.clientCertificateBytesMax };
    const remedy = 'send no root certificate, or raise --tls-client-certificate-bytes';
    log.warn({ ...facts, remedy }, 'a client was cut: its certificates are too long');
  };
}

async function plainTransport(config: CompletedConfig, log: Log) {
  const transport = await chooseTransport(config.transport, undefined);
  if (transport.kind === 'refused') throw new OptionsError(`--transport: ${transport.why}`);
  for (const note of transport.notes) log.info({ transport: transport.name }, note);
  return transport;
}

function secureTls({ access }: CompletedConfig, { serving, clientCaPem }: TlsMaterial): TlsOptions {
  const { certificatePem, keyPem } = serving;
  return { certificatePem, keyPem, clientCaPem, minVersion: access.tlsMinVersion };
}

function tokenTls({ access, dataDir }: CompletedConfig, { serving }: TlsMaterial): TlsOptions {
  const { certificatePem, keyPem } = serving;
  // Where keys are kept anyway.
  const scratchDirectory = pkiDirectory(dataDir);
  return { certificatePem, keyPem, minVersion: access.tlsMinVersion, scratchDirectory };
}

async function listenSecure(
  config: CompletedConfig,
  options: PortOptions,
  material: TlsMaterial,
  handler: ExchangeHandler,
): Promise<HttpServer> {
  const tls = secureTls(config, material);
  const transport = await chooseTransport('node', tls);
  if (transport.kind === 'refused') throw new Error(transport.why);
  return transport.listen({ ...options, tls }, handler);
}

/** What uWebSockets.js cannot serve is served by node, so that the port is there all the same. */
async function listenTokens(
  config: CompletedConfig,
  options: PortOptions,
  material: TlsMaterial,
  handler: ExchangeHandler,
  log: Log,
): Promise<HttpServer> {
  const tls = tokenTls(config, material);
  const transport = await chooseTransport(config.transport === 'node' ? 'node' : 'auto', tls);
  if (transport.kind === 'refused') throw new Error(transport.why);
  for (const note of transport.notes) log.info({ port: 'tokens' }, note);
  return transport.listen({ ...options, tls }, handler);
}

function listenersOf(
  config: CompletedConfig,
  secure: HttpServer | undefined,
  tokens: HttpServer | undefined,
  http: HttpServer | undefined,
): Listeners {
  const servers = [secure, tokens, http].filter((server) => server !== undefined);
  const { bindAddress, system } = config;
  const host = bracketed(bindAddress);
  const published = bracketed(system.advertisedAddress ?? bindAddress);
  const httpUrl = http === undefined ? undefined : `http://${host}:${http.port}`;
  const url = secure === undefined ? (httpUrl ?? '') : `https://${host}:${secure.port}`;
  return {
    url,
    httpUrl: secure === undefined ? undefined : httpUrl,
    tokenUrl: tokens === undefined ? undefined : `https://${host}:${tokens.port}`,
    address: `${published}:${(secure ?? http)?.port ?? 0}`,
    securePort: secure?.port,
    name: servers.map(({ name }) => name).join(', '),
    changeTls(material) {
      // First the one that needs a file: what the other takes has been looked at by then.
      tokens?.changeTls(tokenTls(config, material));
      secure?.changeTls(secureTls(config, material));
    },
    startClosing() {
      for (const server of servers) server.startClosing();
    },
    stopAccepting() {
      for (const server of servers) server.stopAccepting();
    },
    async close(processEnds) {
      await Promise.all(servers.map((server) => server.close(processEnds)));
    },
  };
}
