/**
 * A server over one EncryptionConfiguration and one directory, that can be killed and comes back.
 *
 * Its process is the test's to end.
 */
import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

export const encryptionFlag = '--encryption-provider-config';

export const configuration = (
  resources: readonly string[],
  ...providers: readonly object[]
): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources, providers }],
  });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export class EncryptedServer {
  readonly dataDir: string;
  readonly file: string;
  server!: ServerProcess;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.file = path.join(dataDir, 'keys.json');
  }

  flags(): readonly string[] {
    return [
      '--identity=kubernetes',
      `${encryptionFlag}=${this.file}`,
      `${encryptionFlag}-automatic-reload`,
      '--watch-history=1s',
    ];
  }
  async start(...more: readonly string[]): Promise<void> {
    this.server = await startServer({ dataDir: this.dataDir, flags: [...this.flags(), ...more] });
  }
  /** Whole, as an editor saves it. */
  async save(text: string): Promise<void> {
    await writeFile(`${this.file}.new`, text);
    await rename(`${this.file}.new`, this.file);
  }
  async ask(method: string, target: string, body?: JsonObject): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.server.port}${target}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }
  async reloaded(status: 'success' | 'failure', count: number): Promise<void> {
    const name = 'apiserver_encryption_config_controller_automatic_reloads_total';
    const line = new RegExp(
      `^${name}\\{status="${status}",apiserver_id_hash="[^"]*"\\} ${count}$`,
      'm',
    );
    for (let tries = 0; tries < 1_000; tries += 1) {
      if (line.test((await this.ask('GET', '/metrics')).text)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail(`${String(line)} is not there`);
  }
  async bytes(): Promise<string> {
    return (await readFile(path.join(this.dataDir, 'data.mdb'))).toString('latin1');
  }
}

export function versionOf({ text }: Answer): string {
  return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}
