/** The file that says what is traced is read strictly, and refused with every problem in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { readTracingConfiguration } from '../../src/tracing/tracing-configuration.ts';

const version = 'apiserver.config.k8s.io/v1';

function read(fields: object, apiVersion = version, kind = 'TracingConfiguration') {
  const bytes = Buffer.from(JSON.stringify({ apiVersion, kind, ...fields }));
  return readTracingConfiguration(bytes, identityOf('kubernetes'));
}

const taken: readonly (readonly [fields: object, endpoint: string, share: number])[] = [
  [{}, 'http://localhost:4317', 0],
  [{ endpoint: 'collector:4317' }, 'http://collector:4317', 0],
  [{ endpoint: '10.0.0.7:1' }, 'http://10.0.0.7:1', 0],
  [{ endpoint: '[::1]:4317' }, 'http://[::1]:4317', 0],
  [{ endpoint: 'dns:collector:4317' }, 'http://collector:4317', 0],
  [{ endpoint: 'dns:///collector:4317' }, 'http://collector:4317', 0],
  [{ endpoint: 'unix:///run/collector.sock' }, 'unix:///run/collector.sock', 0],
  [{ samplingRatePerMillion: 100 }, 'http://localhost:4317', 0.0001],
  [{ samplingRatePerMillion: 1_000_000 }, 'http://localhost:4317', 1],
];

const refused: readonly (readonly [fields: object, problem: RegExp])[] = [
  [{ endpoint: '' }, /^endpoint: /],
  [{ endpoint: 4317 }, /^endpoint: /],
  [{ endpoint: 'collector' }, /^endpoint: /],
  [{ endpoint: 'http://collector:4317' }, /^endpoint: /],
  [{ endpoint: 'https://collector:4317' }, /^endpoint: /],
  [{ endpoint: 'collector:4317/path' }, /^endpoint: /],
  [{ endpoint: 'user:secret@collector:4317' }, /^endpoint: /],
  [{ endpoint: 'collector:99999' }, /^endpoint: /],
  [{ endpoint: 'unix://relative' }, /^endpoint: /],
  [{ endpoint: 'unix-abstract:name' }, /^endpoint: /],
  [{ samplingRatePerMillion: -1 }, /^samplingRatePerMillion: /],
  [{ samplingRatePerMillion: 1_000_001 }, /^samplingRatePerMillion: /],
  [{ samplingRatePerMillion: 0.5 }, /^samplingRatePerMillion: /],
  [{ samplingRatePerMillion: '5' }, /^samplingRatePerMillion: /],
  [{ sampling: 5 }, /^sampling: /],
];

describe('a TracingConfiguration', () => {
  for (const [fields, endpoint, share] of taken) {
    it(`${JSON.stringify(fields)} is taken`, () => {
      assert.deepEqual(read(fields), { kind: 'ok', configuration: { endpoint, share } });
    });
  }
  for (const [fields, problem] of refused) {
    it(`${JSON.stringify(fields)} is refused, once`, () => {
      const result = read(fields);
      assert.ok(result.kind === 'invalid' && result.problems.length === 1);
      assert.match(result.problems[0] ?? '', problem);
    });
  }
  it('tells all of its problems', () => {
    const result = read({ endpoint: 1, samplingRatePerMillion: 'x', more: true });
    assert.equal(result.kind === 'invalid' && result.problems.length, 3);
  });
  it('is taken in each of its versions, and in no other', () => {
    for (const name of ['v1', 'v1beta1', 'v1alpha1']) {
      assert.equal(read({}, `apiserver.config.k8s.io/${name}`).kind, 'ok', name);
    }
    assert.equal(read({}, 'apiserver.config.k8s.io/v2').kind, 'invalid');
    assert.equal(read({}, version, 'Tracing').kind, 'invalid');
  });
});
