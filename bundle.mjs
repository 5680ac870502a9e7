#!/usr/bin/env node
/**
 * Makes the `sluice` executable, dist/bin/sluice.js, out of src/: the server and the libraries it
 * uses, in a few files. Loading its thousand modules one by one took half of a start. Seconds, for
 * types are not looked at: `npm test` and `npm run typecheck` do that.
 *
 * What is machine code, or loads some, stays in node_modules.
 */
import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// As older releases of Node have it, so that the executable can say that they are too old.
const root = path.dirname(fileURLToPath(import.meta.url));
const outdir = path.join(root, 'dist', 'bin');
const requireBanner = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`;

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    sluice: 'src/server/main.ts',
    // A thread of its own. Who starts it looks beside itself, so all files lie in one folder.
    'watchdog-thread': 'src/server/watchdog/watchdog-thread.ts',
  },
  outdir,
  bundle: true,
  // What a command alone needs is loaded by that command alone.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['cbor-x', 'foundationdb', 'lmdb', 'uWebSockets.js'],
  // Libraries that are CommonJS ask for node's modules with `require`.
  banner: { js: requireBanner },
  sourcemap: true,
  logLevel: 'warning',
});
// Its first line has the flags that the engine takes only when it starts.
chmodSync(path.join(outdir, 'sluice.js'), 0o755);
