/** The parameters of operations, by name (spec 1, section 4.2). Data. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'boolean' | 'integer' | 'string';
  readonly description: string;
}

function query(name: string, type: Parameter['type'], description: string): Parameter {
  return { name, in: 'query', type, description };
}

function inPath(name: string, description: string): Parameter {
  return { name, in: 'path', type: 'string', description };
}

export const nameParameter = inPath('name', 'Name of the object.');
export const namespaceParameter = inPath('namespace', 'Namespace of the object.');
export const pathParameter = inPath('path', 'What is asked of the program behind the proxy.');
export const prettyParameter = query('pretty', 'string', 'true: the answer is indented.');

export const listParameters: readonly Parameter[] = [
  query('continue', 'string', 'Token of the next page, from the page before.'),
  query('fieldSelector', 'string', 'Only objects whose fields have these values.'),
  query('labelSelector', 'string', 'Only objects whose labels fit.'),
  query('limit', 'integer', 'Most objects in one answer; more come with continue.'),
  query('resourceVersion', 'string', 'State to read, as resourceVersionMatch says.'),
  query('resourceVersionMatch', 'string', 'Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'A watch begins with the state, as events.'),
  query('timeoutSeconds', 'integer', 'Longest time the request may take.'),
];

export const watchOnlyParameters: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'A watch may send events that only say how far it is.'),
  query('watch', 'boolean', 'Changes as events, instead of the list.'),
];

const dryRun = query('dryRun', 'string', 'All: checks everything and stores nothing.');

export const fieldManagementParameters: readonly Parameter[] = [
  dryRun,
  query('fieldManager', 'string', 'Who makes the change, for the ownership of fields.'),
  query('fieldValidation', 'string', 'Ignore, Warn or Strict: what unknown fields lead to.'),
];

export const patchParameters: readonly Parameter[] = [
  ...fieldManagementParameters,
  query('force', 'boolean', 'Apply takes fields that others own. Only for apply.'),
];

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'Time before the object is removed; 0 is at once.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Removes an object that cannot be read from the store, without its finalizers.',
  ),
  query('orphanDependents', 'boolean', 'Older form of propagationPolicy.'),
  query('propagationPolicy', 'string', 'Orphan, Background or Foreground.'),
];
