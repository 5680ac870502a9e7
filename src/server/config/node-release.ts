/**
 * Which releases of Node run this program.
 *
 * Elsewhere: package.json says the same to npm, which only warns.
 */

/** The first minor release that will do, of each major one. Above the last one all will do. */
const firstMinors: ReadonlyMap<number, number> = new Map([
  [20, 15],
  [22, 2],
]);
const lastMajor = Math.max(...firstMinors.keys());

/** `version`: as in process.versions.node. Undefined: it will do. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFit = major > lastMajor || minor >= (firstMinors.get(major) ?? Infinity);
  if (isFit) return undefined;
  return `Node.js ${version} is too old: it needs 20.15 or a later 20, or 22.2 or later`;
}
