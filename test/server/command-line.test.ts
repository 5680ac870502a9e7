/** What the arguments of `sluice serve` mean, before any of their values is looked at. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCommandLine } from '../../src/server/commands/command-line.ts';
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

describe('any other flag', () => {
  it('needs a value', () => {
    assert.throws(() => served('--authorization-mode'), /argument missing/);
    assert.throws(() => served('stray'), /too many arguments/);
  });
});
