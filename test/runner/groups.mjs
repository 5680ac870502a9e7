/**
 * Files of tests that share a process. To load a server's modules takes longer than most files
 * then run, so up to `filesMax` files of a folder are run by one process, each in a suite of its
 * own that bears its name. Their tests run one after the other, as those of one file do.
 *
 * Files whose tests are mostly processes that they start run alone: nothing would be saved. So does
 * one that limits its own process, and one whose goldens bear its name. Whoever wants one file alone
 * names it: `npm test -- test/x.test.ts`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const filesMax = 12;
const alone =
  /^dist\/test\/(bench\/|simulation\/|storage\/lmdb-full\.|conformance\/wire-goldens\.)/;
const groupsFolder = path.join('dist', 'test', 'groups');

export const isGroup = (file) => file.startsWith(groupsFolder);

/** Of compiled files: what to run in their place. Writes a program a group. */
export function inGroups(files) {
  rmSync(groupsFolder, { recursive: true, force: true });
  mkdirSync(groupsFolder, { recursive: true });
  const folders = new Map();
  for (const file of files.filter((each) => !alone.test(each))) {
    const [, , folder] = file.split(path.sep);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const grouped = [...folders].flatMap(([folder, those]) => groupsOf(folder, those));
  return [...files.filter((each) => alone.test(each)), ...grouped];
}

function groupsOf(folder, files) {
  const count = Math.ceil(files.length / filesMax);
  return Array.from({ length: count }, (_, number) => {
    const group = path.join(groupsFolder, `${folder}-${number + 1}.js`);
    // Neighbours are alike, so each group gets some of all.
    writeFileSync(group, program(files.filter((_, at) => at % count === number)));
    return group;
  });
}

/** Loads the files in order, each as if its suite's body did: that suite then has its tests. */
function program(files) {
  const entries = files.map((file) => [file, path.relative(groupsFolder, file)]);
  return `import { AsyncResource } from 'node:async_hooks';
import { describe } from 'node:test';

const suites = ${JSON.stringify(entries)}.map(([name, module]) => {
  const suite = { module };
  describe(name, () => new Promise((loaded, failed) => {
    Object.assign(suite, { loaded, failed, body: new AsyncResource(name) });
  }));
  return suite;
});
for (const { module, loaded, failed, body } of suites) {
  await body.runInAsyncScope(() => import(module)).then(loaded, failed);
}
`;
}
