/**
 * The real kubectl, an old and a new one, on a kind that its user defines: everything that people do
 * with custom resources, and what must be printed.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { definition } from '../support/data/custom-definitions.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const crontab = definition({
  plural: 'crontabs',
  kind: 'CronTab',
  names: { shortNames: ['ct'], categories: ['all'] },
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    additionalPrinterColumns: [
      { name: 'Spec', type: 'string', jsonPath: '.spec.cron' },
      { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
      { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  },
  properties: {
    spec: {
      type: 'object',
      description: 'What is asked for.',
      required: ['cron'],
      properties: {
        cron: { type: 'string', description: 'When it runs.' },
        image: { type: 'string', default: 'busybox' },
        replicas: { type: 'integer', minimum: 0, default: 1 },
      },
    },
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        ready: { type: 'boolean' },
      },
    },
  },
});

const object = (spec: object): string =>
  JSON.stringify({
    apiVersion: 'shop.example/v1',
    kind: 'CronTab',
    metadata: { name: 'nightly', labels: { app: 'n' } },
    spec: { cron: '0 3 * * *', ...spec },
  });

/** Command lines, in order, and what they print; `exit`: how they end, if not well. */
interface Step {
  readonly line: string;
  readonly input?: string;
  readonly prints: RegExp;
  readonly exit?: number;
}

const steps: readonly Step[] = [
  { line: 'get crontabs', prints: /No resources found in default namespace/ },
  { line: 'apply -f -', input: object({}), prints: /crontab.shop.example\/nightly created/ },
  { line: 'apply -f -', input: object({}), prints: /nightly unchanged/ },
  { line: 'diff -f -', input: object({}), prints: /^$/ },
  { line: 'diff -f -', input: object({ image: 'new' }), prints: /\+ {2}image: new/, exit: 1 },
  {
    line: 'apply -f -',
    input: object({ image: 'new' }),
    prints: /nightly configured/,
  },
  {
    line: 'get ct',
    prints: /^NAME +SPEC +REPLICAS +AGE\s+nightly +0 3 \* \* \* +1 +\d+s\s*$/,
  },
  { line: 'get ct -o wide', prints: /IMAGE +AGE\s+nightly .* new +\d+s/ },
  { line: 'get ct nightly -o yaml', prints: /^kind: CronTab$[^]*^ {2}image: new$/m },
  { line: 'get ct nightly -o json', prints: /"replicas": 1/ },
  { line: 'get ct -l app=n -o name', prints: /^crontab.shop.example\/nightly\s*$/ },
  { line: 'get all', prints: /crontab.shop.example\/nightly/ },
  { line: 'describe ct nightly', prints: /Kind: +CronTab/ },
  {
    line: 'explain crontab --recursive',
    prints: /cron\t<string> -required-[^]*replicas\t<integer>/,
  },
  { line: 'explain ct.spec.cron', prints: /When it runs\./ },
  {
    line: 'explain ct',
    prints:
      /apiVersion\t<string>\s+APIVersion defines.*metadata\t<ObjectMeta>\s+Standard object's metadata/s,
  },
  {
    line: 'explain ct.metadata',
    prints: /creationTimestamp\t<string>\s+CreationTimestamp is a timestamp/,
  },
  {
    line: 'api-resources --api-group=shop.example',
    prints: /crontabs +ct +shop.example\/v1 +true +CronTab/,
  },
  {
    line: 'apply -f -',
    input: object({ wrong: 1 }),
    prints: /unknown field "spec.wrong"/,
    exit: 1,
  },
  {
    line: 'apply -f -',
    input: object({ replicas: -1 }),
    prints: /spec.replicas in body should be greater than or equal to 0/,
    exit: 1,
  },
  {
    line: `patch ct nightly --type=merge -p {"spec":{"image":"patched"}}`,
    prints: /nightly patched/,
  },
  {
    line: `patch ct nightly --type=json -p [{"op":"remove","path":"/spec/image"}]`,
    prints: /nightly patched/,
  },
  { line: 'get ct nightly -o jsonpath={.spec.image}', prints: /^busybox$/ },
  { line: 'scale ct nightly --replicas=3', prints: /nightly scaled/ },
  { line: 'label ct nightly tier=one', prints: /nightly labeled/ },
  { line: 'annotate ct nightly note=x', prints: /nightly annotate/ },
  {
    line: `patch ct nightly --subresource=status --type=merge -p {"status":{"ready":true}}`,
    prints: /nightly patched/,
  },
  { line: 'wait ct/nightly --for=jsonpath={.status.ready}=true', prints: /condition met/ },
  { line: 'get ct nightly --subresource=scale -o jsonpath={.spec.replicas}', prints: /^3$/ },
  {
    line: 'apply --server-side --force-conflicts --field-manager=ssa -f -',
    input: object({ image: 'other' }),
    prints: /serverside-applied/,
  },
  {
    line: 'apply --server-side --field-manager=late -f -',
    input: object({ image: 'late' }),
    prints: /conflict with "ssa": .spec.image/,
    exit: 1,
  },
  {
    line: 'apply --server-side --force-conflicts --field-manager=late -f -',
    input: object({ image: 'late' }),
    prints: /serverside-applied/,
  },
  { line: 'replace -f -', input: object({ image: 'put' }), prints: /nightly replaced/ },
  { line: 'delete ct nightly --cascade=foreground', prints: /"nightly" deleted/ },
  { line: 'get ct nightly', prints: /crontabs.shop.example "nightly" not found/, exit: 1 },
];

for (const release of ['1.27', '1.33']) {
  const program = findKubectl(release);
  const skip = program === undefined && `no kubectl ${release} beside the one that is installed`;

  describe(`kubectl ${release} on a kind that its user defines`, { skip }, () => {
    let server: ChildServer;
    let home: string;
    const run = (line: string, input = '', more = {}): Promise<Ran> => {
      const { kubeconfig } = server;
      return runKubectl(program ?? '', { home, kubeconfig }, line.split(' '), input, more);
    };
    before(async () => {
      home = directories.make();
      const dataDir = path.join(home, 'data');
      const flags = ['--http-port=0', `--data-dir=${dataDir}`, '--identity=kubernetes'];
      server = await startChildServer(flags);
    });
    after(async () => {
      assert.equal(await server.stop('SIGTERM'), 0);
      await directories.removeAll();
    });

    test('defines it, on both ways to apply', async () => {
      const text = JSON.stringify(crontab);
      const made = await run('apply -f -', text);
      assert.match(made.stdout, /crontabs.shop.example created/, made.stderr);
      const waited = await run('wait --for=condition=Established crd/crontabs.shop.example');
      assert.match(waited.stdout, /condition met/, waited.stderr);
      const again = await run('apply --server-side --force-conflicts -f -', text);
      assert.match(again.stdout, /serverside-applied/, again.stderr);
    });

    test('makes, shows, changes and deletes objects of it', async () => {
      for (const { exit = 0, input, line, prints } of steps) {
        const { code, stderr, stdout } = await run(line, input);
        assert.equal(code, exit, `${line}: ${stdout}${stderr}`);
        assert.match(`${stdout}${stderr}`, prints, line);
      }
    });

    test('edits an object by a program', async () => {
      await run('create -f -', object({}));
      const editor = path.join(home, 'editor.sh');
      await writeFile(editor, '#!/bin/sh\nsed -i "s/busybox/edited/" "$1"\n', { mode: 0o755 });
      const edited = await run('edit ct nightly', '', { KUBE_EDITOR: editor });
      assert.match(edited.stdout, /nightly edited/, edited.stderr);
      const { stdout } = await run('get ct nightly -o jsonpath={.spec.image}');
      assert.equal(stdout, 'edited');
    });

    test('deletes the definition, and its objects with it', async () => {
      const deleted = await run('delete crd crontabs.shop.example');
      assert.match(deleted.stdout, /deleted/, deleted.stderr);
      const { code, stderr } = await run('get crontabs');
      assert.equal(code, 1);
      assert.match(stderr, /doesn't have a resource type|could not find the requested resource/);
    });
  });
}
