/** Node's own servers for HTTP/1.1, in the clear and over TLS. */
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';

export type HttpServerOfNode = Server | SecureServer;
