/**
 * The attack list on each store: suites that are defined once and run over a server of their own for
 * each, and at the end of each run one question of all that the server has said.
 *
 * What it is not: the attacks, or the server (attack-bench.ts). The store that needs a server of its
 * own is asked in its own suites.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AttackBench } from '../servers/attack-bench.ts';
import { tokens } from '../servers/secure-server.ts';

const attackedStores = ['memory', 'lmdb'] as const;
export type AttackedStore = (typeof attackedStores)[number];

export interface AttackSuites {
  /** As `describe`, once for each store. */
  suite(title: string, define: () => void): void;
  /** At the end of the file. */
  run(): void;
}

/** `start` gives the bench that the suites use; `stop` removes what else it made. */
export function attackSuites(
  start: (store: AttackedStore) => Promise<AttackBench>,
  stop: () => Promise<void> = () => Promise.resolve(),
): AttackSuites {
  const suites: (readonly [string, () => void])[] = [];
  return {
    suite: (title, define) => void suites.push([title, define]),
    run() {
      for (const store of attackedStores) {
        void describe(`attacks on a server over ${store}:`, () => {
          let bench: AttackBench;
          before(async () => {
            bench = await start(store);
          });
          after(async () => {
            await bench.close();
            await stop();
          });
          for (const [title, define] of suites) void describe(title, define);
          void it('nothing that was answered, logged, audited or counted holds a secret', () =>
            saysNoSecret(bench));
        });
      }
    },
  };
}

async function saysNoSecret(bench: AttackBench): Promise<void> {
  const metrics = await bench.send('plain', { path: '/metrics', token: tokens.admin });
  assert.equal(metrics.status, 200);
  const text = `${bench.everythingSaid()}\n${metrics.text}`;
  assert.ok(text.includes('"audit.k8s.io/v1"'), 'the audit log of the run is there');
  const secrets = bench.secrets();
  assert.ok(
    secrets.includes(tokens.admin) && secrets.length > 10,
    'there is something to look for',
  );
  for (const secret of secrets) assert.ok(!text.includes(secret), `it holds ${secret}`);
}
