/** What the arguments of `sluice serve` mean, before any of their values is looked at. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCommandLine } from '../../src/server/commands/command-line.ts';
import { completeConfig } from '../../src/server/config/options.ts';
import type { RawOptions } from '../../src/server/config/options.ts';

function served(...args: readonly string[]): RawOptions {
  const command = parseCommandLine(['serve', ...args], '0');
  assert(command.kind === 'serve');
  return command.options;
}

describe('a flag that is true or false', () => {
  const flag = 'enable-bootstrap-token-auth';

  it('is true by its name alone, last or before another flag', () => {
    assert.equal(served()[flag], 'false');
    assert.equal(served(`--${flag}`)[flag], 'true');
    const both = served(`--${flag}`, '--authorization-mode=Node,RBAC');
    assert.equal(both[flag], 'true');
    assert.equal(both['authorization-mode'], 'Node,RBAC');
    assert.equal(served('--inspect-actors')['inspect-actors'], 'true');
  });

  it('takes its value behind = or as the next argument', () => {
    assert.equal(served(`--${flag}=false`)[flag], 'false');
    assert.equal(served('--service-account-lookup', 'false')['service-account-lookup'], 'false');
    assert.equal(served(`--${flag}`, 'true', '--workers', '2')[flag], 'true');
  });
});

describe('the least time of a watch', () => {
  const msOf = (value: string): number =>
    completeConfig(served(`--min-request-timeout=${value}`)).minRequestTimeoutMs;

  it('is a duration, or a number of seconds as other API servers take it', () => {
    assert.deepEqual(['90s', '7', '30m'].map(msOf), [90_000, 7000, 1_800_000]);
    for (const wrong of ['0', '7x', '1.5', '-7', '']) {
      assert.throws(() => msOf(wrong), /is not a duration of at least 1000 ms/, wrong);
    }
  });
});

describe('any other flag', () => {
  it('needs a value', () => {
    assert.throws(() => served('--authorization-mode'), /argument missing/);
    assert.throws(() => served('stray'), /too many arguments/);
  });
});
