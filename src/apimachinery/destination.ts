/** Where a connection to a pod, a service or a node leads (spec 1, section 4.1). */
import type { ApiObject } from './unstructured.ts';

export type Destination = ContainerDestination | ProxyDestination;

/** What the kubelet of a node answers about a container or the ports of a pod. */
export interface ContainerDestination {
  readonly kind: 'log' | 'command' | 'ports';
  readonly node: ApiObject;
  /** With its slash. */
  readonly path: string;
  readonly query: string;
  /** The kubelet's certificate does not matter. */
  readonly insecure?: boolean;
}

/** Where a proxied request leads; its path and its query are the request's own. */
export type ProxyDestination =
  | {
      readonly kind: 'network';
      /** 'http', 'https', or '' for the former. */
      readonly scheme: string;
      readonly host: string;
      /** '': that of the scheme. */
      readonly port: string;
    }
  | {
      readonly kind: 'node';
      readonly node: ApiObject;
      readonly scheme: string;
      /** '': its kubelet's. */
      readonly port: string;
    };
