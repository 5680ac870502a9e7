/**
 * Decides which adapter serves, and says why.
 *
 * It opens nothing.
 */
import type { Listen, TlsOptions } from './http-exchange.ts';
import { listenNode } from './node/listen-node.ts';
import { systemClock, systemTimers } from '../stdx/clock.ts';
import type { UwsLoad } from './uws/uws-binding.ts';
import { loadUws, replacementPackage } from './uws/uws-binding.ts';
import { createUwsListen } from './uws/listen-uws.ts';
import { uwsRefusal } from './uws/secure-app.ts';

export const transportChoices = ['auto', 'uws', 'node'] as const;
export type TransportChoice = (typeof transportChoices)[number];

export interface ChosenTransport {
  readonly kind: 'chosen';
  readonly listen: Listen;
  readonly name: string;
  /** Sentences for the log: why this one. Empty when there is nothing to say. */
  readonly notes: readonly string[];
}

export interface RefusedTransport {
  readonly kind: 'refused';
  /** One line for the person who started the server. */
  readonly why: string;
}

/**
 * `auto`: the first native uWebSockets.js that loads, else node; node also for TLS that only it can
 * serve: client certificates, and 1.3 as the lowest version. An explicit choice that is not
 * available is refused, never replaced.
 */
export async function chooseTransport(
  choice: TransportChoice,
  tls: TlsOptions | undefined,
  load: () => Promise<UwsLoad> = loadUws,
): Promise<ChosenTransport | RefusedTransport> {
  if (choice === 'node') return chosenNode([]);
  const onlyNode = tls && uwsRefusal(tls);
  if (onlyNode !== undefined) {
    if (choice === 'uws') return { kind: 'refused', why: onlyNode };
    return chosenNode([`served by node: ${onlyNode}`]);
  }
  const uws = await load();
  if (uws.ok) {
    const listen = createUwsListen(uws.uws, uws.name, systemClock, systemTimers);
    return { kind: 'chosen', listen, name: uws.name, notes: [] };
  }
  if (choice === 'uws') {
    return { kind: 'refused', why: `the uws transport is not available: ${uws.why}` };
  }
  return chosenNode([
    `served by node, slower: no uWebSockets.js loads here (${uws.why})`,
    replacementHint(),
  ]);
}

/** The default package ends with Node 20; the other one is for systems that are newer. */
function replacementHint(): string {
  const glibc = glibcVersion();
  const here = glibc === undefined ? '' : `, here is ${glibc}`;
  return (
    `npm install ${replacementPackage} brings it back for Node ${process.versions.node} ` +
    `where glibc is 2.38 or newer${here}`
  );
}

/** Undefined on other systems. */
function glibcVersion(): string | undefined {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime;
}

function chosenNode(notes: readonly string[]): ChosenTransport {
  return { kind: 'chosen', listen: listenNode, name: 'node', notes };
}
