/** The version of this program, from its manifest: one place to change it. */
import { readFileSync } from 'node:fs';

export function programVersion(): string {
  const manifest = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
