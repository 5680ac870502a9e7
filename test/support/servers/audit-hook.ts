/**
 * A webhook for audit events that holds its answers: a test sees what the server does while an event
 * is on its way.
 *
 * What it is not: a store of events. What was answered with an error is not in `taken`.
 */
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { kubeconfigFor } from '../data/kubeconfig.ts';
import { startRemoteService } from './remote-service.ts';

export interface AuditHook {
  /** In the order in which they were answered. */
  readonly taken: JsonObject[];
  /** Events of this stage wait for their answer from now on. */
  hold(stage: string): void;
  /** Events of this stage are answered with this from now on. */
  answer(stage: string, status: number): void;
  /** Resolves when an event of the stage is held. */
  held(stage: string): Promise<void>;
  /** What is held is answered; nothing is held any more. */
  release(): void;
  /** A kubeconfig that leads here. */
  writeConfig(file: string): Promise<void>;
  close(): void;
}

export async function startAuditHook(): Promise<AuditHook> {
  const holding = new Set<string>();
  const statuses = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  let open: (() => void)[] = [];
  const taken: JsonObject[] = [];
  const conclude = (response: ServerResponse, events: readonly JsonObject[]): void => {
    const stages = events.map((event) => String(event['stage']));
    const status = stages.map((stage) => statuses.get(stage)).find((each) => each !== undefined);
    if (status === undefined) taken.push(...events);
    response.writeHead(status ?? 200).end();
  };
  const service = await startRemoteService((body, _request, response) => {
    const { items } = JSON.parse(body) as { items: JsonObject[] };
    const stage = items.map((event) => String(event['stage'])).find((each) => holding.has(each));
    if (stage === undefined) return conclude(response, items);
    open.push(() => conclude(response, items));
    for (const wake of waiting.get(stage) ?? []) wake();
    waiting.delete(stage);
  });
  return {
    taken,
    hold: (stage) => void holding.add(stage),
    answer: (stage, status) => void statuses.set(stage, status),
    held: (stage) =>
      new Promise((resolve) => waiting.set(stage, [...(waiting.get(stage) ?? []), resolve])),
    release() {
      holding.clear();
      const ready = open;
      open = [];
      for (const each of ready) each();
    },
    writeConfig: (file) => writeFile(file, kubeconfigFor({ server: `${service.url}/audit` })),
    close: () => service.close(),
  };
}
