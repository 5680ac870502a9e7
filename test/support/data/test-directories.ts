/**
 * Directories for tests, made and removed by tap's `t.testdir`.
 *
 * Files are written with node:test and have no `t` of tap. Each set of directories gets one that
 * is part of no run: it reports nothing, and its end removes what it has made. So it is the same
 * under tap and in a file that runs alone.
 *
 * Invariant: every directory has a name of its own below `.tap/fixtures`, whichever files share a
 * process. With TAP_SAVE_FIXTURE=1 they are kept.
 */
import path from 'node:path';
import { t, Test } from 'tap';

export interface TestDirectories {
  make(): string;
  /** Resolves when they are gone. */
  removeAll(): Promise<void>;
}

const root = path.join(import.meta.dirname, '..', '..', '..', '..', '.tap', 'fixtures');
let madeCount = 0;

// tap ends what takes 30 s, also where it is asked for directories alone. How long a file may take
// is said by whoever runs it.
t.setTimeout(0);

type Holder = ReturnType<typeof holderOf>;

const holderOf = (name: string) => new Test({ name });

export function testDirectories(prefix: string): TestDirectories {
  let holder: Holder | undefined;
  return {
    make() {
      madeCount += 1;
      holder ??= holderOf(prefix);
      holder.testdirName = path.join(root, `${prefix}-${process.pid}-${madeCount}`);
      return holder.testdir();
    },
    removeAll() {
      const ended = holder;
      holder = undefined;
      if (ended === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        ended.once('end', resolve);
        // Nobody reads what it says; it ends when that has been read.
        ended.resume();
        ended.end();
      });
    },
  };
}
