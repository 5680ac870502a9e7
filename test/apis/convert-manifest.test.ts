/** `sluice convert`: files, stdin, documents, lists; what it refuses. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { parseCommandLine } from '../../src/server/commands/command-line.ts';
import { convertText } from '../../src/server/commands/convert-command.ts';
import { OptionsError } from '../../src/server/config/option-values.ts';

function converted(input: string, ...flags: readonly string[]) {
  const command = parseCommandLine(['convert', '-f', '-', ...flags], '0');
  assert.ok(command.kind === 'convert');
  return convertText(command.options, (file) => {
    assert.equal(file, '-');
    return Buffer.from(input);
  });
}

function run(input: string, ...flags: readonly string[]): string {
  return converted(input, ...flags).text;
}

function value(text: string): JsonObject {
  const decoded = decodeYaml(Buffer.from(text));
  assert.ok(decoded.kind === 'value');
  return decoded.value as JsonObject;
}

const ingress = `
apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: i
spec:
  rules:
  - http:
      paths:
      - path: /a
        backend: {serviceName: s, servicePort: 80}
`;
const budget = (name: string) =>
  `apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: ${name}}\nspec: {selector: {matchLabels: {a: b}}}\n`;

describe('sluice convert', () => {
  it('prints one object as YAML, with the defaults of the version it was written in', () => {
    const text = run(ingress, '--output-version', 'networking.k8s.io/v1');
    assert.match(text, /^kind: Ingress\napiVersion: networking\.k8s\.io\/v1\n/);
    assert.deepEqual(value(text)['spec'], {
      rules: [
        {
          http: {
            paths: [
              {
                path: '/a',
                backend: { service: { name: 's', port: { number: 80 } } },
                pathType: 'ImplementationSpecific',
              },
            ],
          },
        },
      ],
    });
  });

  it('prints JSON when asked', () => {
    const text = run(ingress, '--output-version=networking.k8s.io/v1', '-o', 'json');
    assert.equal((JSON.parse(text) as JsonObject)['apiVersion'], 'networking.k8s.io/v1');
  });

  it('takes the preferred version when none is named', () => {
    assert.equal(value(run(ingress))['apiVersion'], 'networking.svc.io/v1');
    assert.equal(
      value(run(ingress, '--identity', 'kubernetes'))['apiVersion'],
      'networking.k8s.io/v1',
    );
  });

  it('makes a List of several documents, and leaves what has no such version as it is', () => {
    const stream = `# first\n${budget('a')}---\n${ingress}--- # and an empty one\n---\n${budget('b')}`;
    const list = value(run(stream, '--output-version', 'policy/v1'));
    assert.deepEqual([list['kind'], list['apiVersion']], ['List', 'v1']);
    const items = list['items'] as unknown as JsonObject[];
    assert.deepEqual(
      items.map((item) => item['apiVersion']),
      ['policy/v1', 'extensions/v1beta1', 'policy/v1'],
    );
  });

  it('takes lists apart, those of a kind too', () => {
    const item = { metadata: { name: 'x' }, spec: { maxReplicas: 2 } };
    const kind = 'HorizontalPodAutoscaler';
    const typed = { apiVersion: 'autoscaling/v1', kind: `${kind}List`, items: [item] };
    const list = { apiVersion: 'v1', kind: 'List', items: [typed] };
    for (const document of [typed, list]) {
      const shown = value(run(JSON.stringify(document), '--output-version', 'autoscaling/v2'));
      assert.equal(shown['kind'], 'List');
      const [only] = shown['items'] as unknown as JsonObject[];
      assert.deepEqual([only?.['apiVersion'], only?.['kind']], ['autoscaling/v2', kind]);
    }
  });

  it('reads several files', () => {
    const command = parseCommandLine(
      ['convert', '-f', 'a.yaml', '-f', 'b.yaml', '--output-version', 'policy/v1'],
      '0',
    );
    assert.ok(command.kind === 'convert');
    const { text } = convertText(command.options, (file) => Buffer.from(budget(file.charAt(0))));
    const list = value(text);
    assert.equal((list['items'] as unknown as JsonObject[]).length, 2);
  });

  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, lables: {}}\ndta: {a: b}\n';
  const warned: readonly (readonly [string, string, readonly string[]])[] = [
    ['nothing of what is right', budget('a'), []],
    [
      'fields that the version does not have, in YAML',
      map,
      ['document 1: unknown field "metadata.lables"', 'document 1: unknown field "dta"'],
    ],
    [
      'fields below lists, in JSON',
      '{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c"},{"nme":"d"}]}}',
      ['document 1: unknown field "spec.containers[1].nme"'],
    ],
    [
      'fields that are there twice, in YAML',
      `${budget('a')}---\n${map.replace('dta: {a: b}', 'data: {a: b, a: c}\ndata: {}')}`,
      [
        'document 2: duplicate field "data.a"',
        'document 2: duplicate field "data"',
        'document 2: unknown field "metadata.lables"',
      ],
    ],
    [
      'fields that are there twice, in JSON',
      '{"apiVersion":"v1","kind":"Secret","type":"a","type":"b"}',
      ['document 1: duplicate field "type"'],
    ],
    [
      'the item that has them',
      `{apiVersion: v1, kind: List, items: [${['a: 1', 'b: 1'].map((wrong) => `{apiVersion: v1, kind: Secret, ${wrong}}`).join(', ')}]}`,
      ['document 1, item 1: unknown field "a"', 'document 1, item 2: unknown field "b"'],
    ],
    [
      'a field that only another version has',
      ingress.replace('rules:', 'defaultBackend: {service: {name: s}}\n  rules:'),
      ['document 1: unknown field "spec.defaultBackend"'],
    ],
  ];
  for (const [title, input, warnings] of warned) {
    it(`warns of ${title}, and converts the rest`, () => {
      const made = converted(input);
      assert.deepEqual([...made.warnings].sort(), [...warnings].sort());
      assert.ok(value(made.text)['kind']);
    });
  }

  const refusals: readonly (readonly [string, string, readonly string[], RegExp])[] = [
    [
      'a version that does not exist',
      ingress,
      ['--output-version', 'apps/v9'],
      /apps\/v9 is no version/,
    ],
    [
      'a kind that does not exist',
      'apiVersion: v1\nkind: Wheel\n',
      [],
      /document 1: no kind Wheel in version v1/,
    ],
    ['a document without a kind', 'apiVersion: v1\n', [], /document 1 has no kind/],
    ['a document without a version', 'kind: Pod\n', [], /document 1 has no apiVersion/],
    ['what is no object', '- 1\n', [], /document 1 is not an object/],
    ['nothing', '---\n---\n', [], /there is no object in it/],
    ['what is no YAML', 'a: [', [], /-: .*YAML/],
    [
      'a field of the wrong type',
      ingress.replace('name: i', 'name: i\n  labels: 3'),
      [],
      /document 1: .*labels/,
    ],
    ['another output', ingress, ['-o', 'xml'], /--output: yaml or json/],
    ['another identity', ingress, ['--identity', 'x'], /--identity: one of svc, kubernetes/],
  ];
  for (const [title, input, flags, message] of refusals) {
    it(`refuses ${title}, in one line`, () => {
      assert.throws(
        () => run(input, ...flags),
        (error: unknown) => {
          assert.ok(error instanceof OptionsError);
          assert.match(error.message, message);
          assert.ok(!error.message.includes('\n'));
          return true;
        },
      );
    });
  }

  it('wants a file', () => {
    assert.throws(() => parseCommandLine(['convert'], '0'), OptionsError);
  });
});
