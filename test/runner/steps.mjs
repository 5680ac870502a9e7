/**
 * What `npm test` does before and beside the tests: types, lint, format, the bundle. Each step counts
 * as one test.
 */
import { spawn } from 'node:child_process';

/** Resolves with whether the program ended well. `take` gets its output, where `output` is 'pipe'. */
export function run(args, output = 'inherit', take = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', output, 'inherit'] });
    take(child.stdout);
    child.on('exit', (code) => resolve(code === 0));
  });
}

const programs = {
  types: ['node_modules/typescript/bin/tsc', '-p', '.'],
  build: ['bundle.mjs'],
  lint: ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'],
  format: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
};

/** Resolves with whether there is something to run. `whole`: with lint and format. */
export async function checkAndBuild(tally, whole) {
  const step = async (title) => {
    const ok = await run(programs[title]);
    tally.stepEnded(title, ok);
    return ok;
  };
  const compile = async () => {
    const ok = await step('types');
    if (whole) await step('format');
    return ok && (await step('build'));
  };
  // Two cores: the linter takes as long on one as the compiler and the formatter do on the other.
  const [built] = await Promise.all([compile(), whole && step('lint')]);
  return built;
}
