/** A server in this process whose admission plugins are told something. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { startTestServer } from './test-server.ts';
import type { TestOptions, TestServer } from './test-server.ts';
import { testDirectories } from '../data/test-directories.ts';

/** `told`: by the name of the plugin. The file is gone when the server has read it. */
export async function startConfigured(
  options: TestOptions,
  told: Readonly<Record<string, JsonObject>>,
): Promise<TestServer> {
  const directories = testDirectories('sluice-admission');
  const folder = directories.make();
  const file = path.join(folder, 'admission.json');
  const document = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: Object.entries(told).map(([name, configuration]) => ({ name, configuration })),
  };
  writeFileSync(file, JSON.stringify(document));
  try {
    return await startTestServer({ ...options, 'admission-control-config-file': file });
  } finally {
    await directories.removeAll();
  }
}
