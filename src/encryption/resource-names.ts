/**
 * How an EncryptionConfiguration names resources, and what is wrong with a list of such names.
 *
 *     secrets    deployments.apps    *.apps    *.    *.*
 *
 * `*.` stands for all of the core group, `*.*` for all. Within one entry no name may hide another,
 * and none may be hidden by that of an earlier entry.
 */

/** Kept by the server alone: nobody reads or writes them through the API. */
const withoutApi = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

/** Each problem begins with its place. `eventsGroups`: their objects are those of the
 * core group. */
export function resourceProblems(
  names: readonly string[],
  path: string,
  eventsGroups: readonly string[],
): readonly string[] {
  const problems = names.flatMap((name, at) => {
    const problem = nameProblem(name, eventsGroups);
    return problem === undefined ? [] : [`${path}[${at}]: ${problem}`];
  });
  if (new Set(names).size < names.length) {
    problems.push(`${path}: the same resource cannot be specified multiple times`);
  }
  if (isOverlapping(names)) {
    problems.push(
      `${path}: using overlapping resources such as 'secrets' and '*.' in the same resource list` +
        ' is not allowed as they will be masked',
    );
  }
  return problems;
}

function nameProblem(name: string, eventsGroups: readonly string[]): string | undefined {
  const { group, resource } = partsOf(name);
  if (name !== name.toLowerCase()) return 'resource name should not contain capital letters';
  if (name === '*') {
    return "use '*.' to encrypt all resources of the core API group or *.* to encrypt all";
  }
  if (withoutApi.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  if (resource === '') return 'a resource is required';
  if (eventsGroups.includes(group)) {
    return `'*.${group}' objects are stored in the core group. Use 'events' instead`;
  }
  if (group === 'extensions') {
    return "'extensions' group has been removed and cannot be used for encryption";
  }
  if (group === '*' && resource !== '*') {
    return 'encrypting the same resource across groups is not supported';
  }
  return undefined;
}

function isOverlapping(names: readonly string[]): boolean {
  const distinct = new Set(names);
  if (distinct.size > 1 && distinct.has('*.*')) return true;
  const groups = new Set<string>();
  for (const name of distinct) {
    const { group, resource } = partsOf(name);
    if (resource === '*') groups.add(group);
  }
  return [...distinct].some((name) => {
    const { group, resource } = partsOf(name);
    return resource !== '*' && groups.has(group);
  });
}

/** Each problem begins with its place: `resources[1].resources[0]`. */
export function maskedNames(lists: readonly (readonly string[])[]): readonly string[] {
  const earlier = new Set<string>();
  return lists.flatMap((names, entry) => {
    const problems = names.flatMap((name, at) => {
      const mask = ['*.*', name, `*.${partsOf(name).group}`].find((each) => earlier.has(each));
      const place = `resources[${entry}].resources[${at}]`;
      return mask === undefined ? [] : [`${place}: ${name} is masked by earlier rule ${mask}`];
    });
    for (const name of names) earlier.add(name);
    return problems;
  });
}

function partsOf(name: string): { readonly group: string; readonly resource: string } {
  const dot = name.indexOf('.');
  if (dot < 0) return { group: '', resource: name };
  return { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}
