/** The version of this program, from its manifest: one place to change it. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export function programVersion(): string {
  const manifest = readFileSync(manifestAbove(import.meta.dirname), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** How deep this file lies depends on whether it was built alone or into one with others. */
function manifestAbove(folder: string): string {
  const manifest = path.join(folder, 'package.json');
  return existsSync(manifest) ? manifest : manifestAbove(path.dirname(folder));
}
