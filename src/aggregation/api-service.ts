/**
 * What an APIService says, as those need it who pass requests on: which group and version, where
 * they stand among others, and which server is behind them.
 *
 * Invariant: pure. What cannot be read as it should be counts as not said.
 */
import { objects, part, text } from '../apimachinery/members.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { versionOrderKey } from '../apimachinery/version-order.ts';

/** Another server, behind a service of the cluster. */
export interface Backend {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Who signs its certificate, PEM; '': the CAs that everybody knows. */
  readonly ca: string;
  readonly insecureSkipVerify: boolean;
}

export interface ApiService {
  /** `<version>.<group>` */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Undefined: this server itself answers. */
  readonly backend: Backend | undefined;
  /** Its condition Available is True. */
  readonly isAvailable: boolean;
}

/** One that another server answers for. */
export interface RemoteService extends ApiService {
  readonly backend: Backend;
}

const standardPort = 443;

export const availableCondition = 'Available';

export function readApiService(object: ApiObject): ApiService {
  const spec = part(object, 'spec');
  const conditions = objects(part(object, 'status'), 'conditions');
  const available = conditions.find(({ type }) => type === availableCondition);
  return {
    name: object.metadata.name ?? '',
    group: text(spec, 'group'),
    version: text(spec, 'version'),
    groupPriority: Number(spec['groupPriorityMinimum'] ?? 0),
    versionPriority: Number(spec['versionPriority'] ?? 0),
    backend: spec['service'] === undefined ? undefined : backendOf(object),
    isAvailable: available?.['status'] === 'True',
  };
}

export function isRemote(service: ApiService | undefined): service is RemoteService {
  return service?.backend !== undefined;
}

function backendOf(object: ApiObject): Backend {
  const spec = part(object, 'spec');
  const service = part(spec, 'service');
  const bundle = text(spec, 'caBundle');
  return {
    namespace: text(service, 'namespace'),
    name: text(service, 'name'),
    port: Number(service['port'] ?? standardPort),
    ca: bundle === '' ? '' : Buffer.from(bundle, 'base64').toString('utf8'),
    insecureSkipVerify: spec['insecureSkipTLSVerify'] === true,
  };
}

/** The name that its certificate has. */
export function serverNameOf({ name, namespace }: Backend): string {
  return `${name}.${namespace}.svc`;
}

/** Where a server serves a version. */
export function pathOf({ group, version }: Pick<ApiService, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** A version comes before another one in its group: the higher priority, then the newer one. */
export function isPreferred(a: VersionPlace, b: VersionPlace): boolean {
  if (a.versionPriority !== b.versionPriority) return a.versionPriority > b.versionPriority;
  return versionOrderKey(a.version) < versionOrderKey(b.version);
}

export type VersionPlace = Pick<ApiService, 'version' | 'versionPriority'>;
