/**
 * The ports of one server: HTTPS for everybody, plain HTTP for this machine, one handler behind
 * both.
 *
 * What it is not: the adapters that serve a port (src/transport).
 *
 * Invariants: both are open or none is; stopping stops both.
 */
import type { KeyPair } from '../../pki/certificate-authority.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { chooseTransport } from '../../transport/choose.ts';
import type {
  ExchangeHandler,
  HttpServer,
  TransportLimits,
} from '../../transport/http-exchange.ts';
import type { TransportLoad } from '../../transport/load.ts';
import type { Log } from './log.ts';
import type { CompletedConfig } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';

export interface Listeners {
  /** The secure one, if there is one. */
  readonly url: string;
  /** Of the plain HTTP beside it; undefined when there is no second one. */
  readonly httpUrl: string | undefined;
  /** host:port of `url`. */
  readonly address: string;
  /** Undefined: there is no secure one. */
  readonly securePort: number | undefined;
  /** Adapters and binaries. */
  readonly name: string;
  /** Answers from now on end their connection; new ones are still taken. */
  startClosing(): void;
  stopAccepting(): void;
  close(): Promise<void>;
}

/** Undefined: not served. 0: the system chooses. */
export interface Ports {
  readonly http: number | undefined;
  readonly secure: number | undefined;
  /** Other processes listen on them too. */
  readonly shared: boolean;
}

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
    const onDescriptorsShort = (short: boolean): void => tellOfDescriptors(log, short);
    const calls = { onHandshakeError, onDescriptorsShort };
    const common = { address, ...bounds, sharedPort, ...calls, goawayChance };
    const opened: HttpServer[] = [];
    const open = async (
      flag: string,
      listening: () => Promise<HttpServer>,
    ): Promise<HttpServer> => {
      try {
        const server = await listening();
        opened.push(server);
        return server;
      } catch (cause) {
        for (const server of opened) await server.close();
        throw new OptionsError(`--bind-address, ${flag}: ${messageOf(cause)}`);
      }
    };
    const { secure: securePort, http: httpPort } = ports;
    const secure =
      securePort === undefined
        ? undefined
        : await open('--secure-port', () =>
            listenSecure(config, { ...common, port: securePort }, tls, handler),
          );
    const http =
      httpPort === undefined || plain === undefined
        ? undefined
        : await open('--http-port', () => plain.listen({ ...common, port: httpPort }, handler));
    return listenersOf(address, secure, http);
  };
}

/** Of the port for plain HTTP; the other one refuses each connection by itself. */
function tellOfDescriptors(log: Log, short: boolean): void {
  if (short) {
    const what = 'file descriptors run out: plain HTTP takes no connection until some are free';
    log.error({ remedy: 'raise the limit of open files (ulimit -n, LimitNOFILE=)' }, what);
  } else log.info({}, 'file descriptors are free again: plain HTTP takes connections');
}

async function plainTransport(config: CompletedConfig, log: Log) {
  const transport = await chooseTransport(config.transport, undefined);
  if (transport.kind === 'refused') throw new OptionsError(`--transport: ${transport.why}`);
  for (const note of transport.notes) log.info({ transport: transport.name }, note);
  return transport;
}

async function listenSecure(
  { access }: CompletedConfig,
  options: {
    readonly address: string;
    readonly port: number;
    readonly limits: TransportLimits;
    readonly load: TransportLoad;
    readonly sharedPort: boolean;
    readonly onHandshakeError: () => void;
    readonly onDescriptorsShort: (short: boolean) => void;
    readonly goawayChance: number;
  },
  { serving, clientCaPem }: TlsMaterial,
  handler: ExchangeHandler,
): Promise<HttpServer> {
  const { certificatePem, keyPem } = serving;
  const tls = { certificatePem, keyPem, clientCaPem, minVersion: access.tlsMinVersion };
  const transport = await chooseTransport('auto', tls);
  if (transport.kind === 'refused') throw new Error(transport.why);
  return transport.listen({ ...options, tls }, handler);
}

function listenersOf(
  bindAddress: string,
  secure: HttpServer | undefined,
  http: HttpServer | undefined,
): Listeners {
  const servers = [secure, http].filter((server) => server !== undefined);
  const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
  const httpUrl = http === undefined ? undefined : `http://${host}:${http.port}`;
  const url = secure === undefined ? (httpUrl ?? '') : `https://${host}:${secure.port}`;
  return {
    url,
    httpUrl: secure === undefined ? undefined : httpUrl,
    address: `${host}:${(secure ?? http)?.port ?? 0}`,
    securePort: secure?.port,
    name: servers.map(({ name }) => name).join(', '),
    startClosing() {
      for (const server of servers) server.startClosing();
    },
    stopAccepting() {
      for (const server of servers) server.stopAccepting();
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
