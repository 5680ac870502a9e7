/**
 * Reads what the test runner says (TAP), tells how each file went, and counts tests: those with
 * tests inside, and suites, are not counted but for what goes wrong in themselves.
 *
 * Invariant: whatever ends badly is counted as a failure: a test, a hook, a file that crashes, takes
 * too long or has no tests in it.
 */
import { Parser } from 'tap-parser';
import { isGroup } from './groups.mjs';

const source = (name) => name.replace(/^dist\//, '').replace(/\.js$/, '.ts');

/** Why a test failed, in the lines that the runner has kept. */
function reasonOf(diag) {
  const { error, stack, location, exitCode, signal, failureType, ...more } = diag ?? {};
  const ended = [exitCode && `exit code ${exitCode}`, signal && `signal ${signal}`];
  const why = [error ?? more.message ?? failureType, ...ended, stack ?? location];
  return why.filter(Boolean).join('\n');
}

export function createTally() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** Title and reason of each failure; reason of each skip and how often it was given. */
  const failures = [];
  const skips = new Map();
  const files = new Set();

  function failed(title, reason) {
    counts.failed += 1;
    failures.push({ title, reason });
  }

  /** Follows one level of tests; `own` counts what is in it and below. */
  function follow(parser, file, titles, own) {
    const inside = new Map();
    parser.on('child', (child) => {
      const below = { failed: 0, tests: 0 };
      inside.set(child.name, below);
      const of = file ?? (isGroup(child.name) ? undefined : source(child.name));
      follow(child, of, file ? [...titles, child.name] : [], below);
      child.on('complete', () => {
        own.failed += below.failed;
        own.tests += below.tests;
      });
    });
    parser.on('assert', (result) => {
      const below = result.closingTestPoint ? inside.get(result.name) : undefined;
      if (isGroup(result.name)) return groupEnded(result, below);
      if (file === undefined) return fileEnded(source(result.name), result, below);
      const skip = result.skip || result.todo;
      if (skip) {
        own.tests += 1;
        counts.skipped += 1;
        const reason = skip === true ? 'no reason given' : skip;
        skips.set(reason, (skips.get(reason) ?? 0) + 1);
      } else if (result.ok && below === undefined) {
        own.tests += 1;
        counts.passed += 1;
      } else if (!result.ok && !below?.failed) {
        own.tests += 1;
        own.failed += 1;
        failed([file, ...titles, result.name].join(' > '), reasonOf(result.diag));
      }
    });
  }

  /** Its files have told the rest. */
  function groupEnded(group, below) {
    if (!group.ok && !below?.failed) failed(source(group.name), reasonOf(group.diag));
  }

  function fileEnded(file, result, below = { failed: 0, tests: 0 }) {
    // The runner says this beside the file's own end, and in the place of another's.
    if (result.diag?.expired) return failed(source(result.diag.expired), 'it takes too long');
    files.add(file);
    if (!result.ok && below.failed === 0) failed(file, reasonOf(result.diag));
    else if (result.ok && below.tests === 0) failed(file, 'there is no test in it');
    const went = result.ok && below.tests > 0 ? 'ok  ' : 'FAIL';
    const tookMs = result.time ?? result.diag?.duration_ms;
    const seconds = tookMs === undefined ? '' : `, ${(tookMs / 1000).toFixed(1)} s`;
    console.log(`${went} ${file} (${below.tests} tests${seconds})`);
  }

  function stepEnded(title, ok) {
    if (ok) counts.passed += 1;
    else failed(title, 'see what it says above');
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}`);
  }

  /** Prints the reasons and, last, the counts. Returns whether nothing failed. */
  function report() {
    for (const [reason, count] of skips) console.log(`SKIP ${count} of: ${reason}`);
    for (const { title, reason } of failures) {
      console.log(`FAIL ${title}\n${reason.replace(/^/gm, '       ')}`);
    }
    const { passed, failed: failedCount, skipped } = counts;
    const ofSkips = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${passed} passed, ${failedCount} failed${ofSkips}`);
    return failedCount === 0;
  }

  const parser = new Parser();
  follow(parser, undefined, [], { failed: 0, tests: 0 });
  return { parser, failures, files, failed, stepEnded, report };
}
