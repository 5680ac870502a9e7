/**
 * The documents of paths that hold no resources: what is served, which version, and what the issuer
 * of tokens says of itself (spec 1, section 8).
 *
 * Invariants: the same for as long as the program runs; each has one path, which ends with a slash
 * as in the reference, and one operation, whose id client generators know.
 */
import { metaTypes } from '../typed/meta-types.ts';
import type { JsonObject } from '../unstructured.ts';
import { groupWord } from './operations.ts';
import type { BodyType, PathOperations, PlainMedia } from './operation-types.ts';

export interface PlainSection {
  /** In the index. */
  readonly path: string;
  readonly source: object;
  readonly operations: () => readonly PathOperations[];
}

interface PlainPath {
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly type: BodyType;
  readonly media: PlainMedia | undefined;
}

const alwaysTheSame = {};

const json = 'application/json';

const ofIssuer = 'The issuer of service account tokens:';

/** Those that every server has. */
export const plainSections: readonly PlainSection[] = [
  plainSection('version', {
    path: '/version/',
    id: 'getCodeVersion',
    tag: 'version',
    description: 'Which release is served, and by what.',
    type: 'VersionInfo',
    media: { reads: [json], answers: [json] },
  }),
  plainSection('apis', discovered('/apis/', 'getAPIVersions', 'apis', 'APIGroupList')),
  plainSection('.well-known/openid-configuration', {
    path: '/.well-known/openid-configuration/',
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    description: `${ofIssuer} its OpenID discovery document.`,
    type: 'string',
    media: { reads: ['*/*'], answers: [json] },
  }),
  plainSection('openid/v1/jwks', {
    path: '/openid/v1/jwks/',
    id: 'getServiceAccountIssuerOpenIDKeyset',
    tag: 'openid',
    description: `${ofIssuer} the public keys that verify them, as a JSON Web Key Set.`,
    type: 'string',
    media: { reads: ['*/*'], answers: ['application/jwk-set+json'] },
  }),
];

/** Of a group: its versions. `domain` is the identity's. */
export function groupSection(group: string, domain: string): PlainSection {
  const word = groupWord(group, domain);
  if (group === '') {
    const core = discovered('/api/', 'getCoreAPIVersions', 'core', 'APIVersions');
    return plainSection('api', core);
  }
  const tag = `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
  const path = `apis/${group}`;
  return plainSection(path, discovered(`/${path}/`, `get${word}APIGroup`, tag, 'APIGroup'));
}

/** What a version serves, at its root. */
export function resourcesPath(root: string, groupVersion: string, tag: string): PathOperations {
  const id = `get${groupVersion}APIResources`;
  return pathOf(discovered(`${root}/`, id, tag, 'APIResourceList'));
}

type Discovered = 'APIGroup' | 'APIGroupList' | 'APIResourceList' | 'APIVersions';

function discovered(path: string, id: string, tag: string, type: Discovered): PlainPath {
  const what = type === 'APIResourceList' ? 'resources' : 'versions';
  return {
    path,
    id,
    tag,
    description: `The ${what} that are served.`,
    type: metaTypes.object(`meta/v1.${type}`),
    media: undefined,
  };
}

function plainSection(path: string, of: PlainPath): PlainSection {
  return { path, source: alwaysTheSame, operations: () => [pathOf(of)] };
}

function pathOf({ path, ...operation }: PlainPath): PathOperations {
  return {
    path,
    parameters: [],
    operations: [
      {
        ...operation,
        method: 'get',
        action: undefined,
        kind: undefined,
        parameters: [],
        body: undefined,
        responses: [['200', operation.type]],
        streams: false,
        deprecated: false,
      },
    ],
  };
}

const versionTexts = {
  always: [
    ['buildDate', 'When the program was built.'],
    ['compiler', 'The runtime that it runs on.'],
    ['gitCommit', 'What it was built from.'],
    ['gitTreeState', 'Whether what it was built from was changed.'],
    ['gitVersion', 'The semantic version of what is served.'],
    ['goVersion', 'Empty: it is no Go program.'],
    ['major', 'Major release of the program.'],
    ['minor', 'Minor release of the program.'],
    ['platform', 'Operating system and architecture that it runs on.'],
  ],
  sometimes: [
    ['emulationMajor', 'Major release of the API that is served.'],
    ['emulationMinor', 'Minor release of the API that is served.'],
    ['minCompatibilityMajor', 'Major release of the oldest peers that it works with.'],
    ['minCompatibilityMinor', 'Minor release of the oldest peers that it works with.'],
  ],
} as const;

/** Of what /version holds (endpoints/discovery/version.ts). */
export function versionInfoSchema(): JsonObject {
  const { always, sometimes } = versionTexts;
  const properties = [
    ...always.map(([name, description]) => [name, { ...text(description), default: '' }] as const),
    ...sometimes.map(([name, description]) => [name, text(description)] as const),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    description: 'Which release is served, and by what.',
    type: 'object',
    required: always.map(([name]) => name),
    properties: Object.fromEntries(properties),
  };
}

function text(description: string): { readonly type: string; readonly description: string } {
  return { type: 'string', description };
}
