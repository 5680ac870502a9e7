/**
 * The resources of other servers, each once, at the version that its group prefers: what this
 * server's own controllers look after there.
 *
 *     index of APIServices ─┐
 *     what servers say ─────┴▶ resources, and the versions of which nothing is known now
 *
 * Invariants: a name that cannot stand in a path as it is is no resource, whatever a server says.
 * Made when it is asked for, once for each state, in steps.
 */
import { part, text, texts } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../apimachinery/validation/names.ts';
import { inSteps } from '../stdx/in-steps.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { RemoteDocuments } from './aggregation.ts';
import { isPreferred, isRemote } from './api-service.ts';
import type { RemoteService } from './api-service.ts';
import type { ApiServices } from './api-services.ts';

export interface RemoteResource {
  readonly service: RemoteService;
  /** In the plural, as in paths. */
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: ReadonlySet<string>;
}

export interface RemoteResources {
  readonly resources: readonly RemoteResource[];
  /** Versions of which nothing is known now: their server could not be asked. */
  readonly unknown: readonly RemoteService[];
}

export interface RemoteResourcesDeps {
  readonly services: ApiServices;
  readonly documents: Pick<RemoteDocuments, 'discoveryOf' | 'generation'>;
  readonly turns: Pick<Turns, 'run'>;
}

/** Those of now. The same object for as long as nothing has changed. */
export type FindRemoteResources = () => Promise<RemoteResources>;

const none: RemoteResources = { resources: [], unknown: [] };

export function remoteResources(deps: RemoteResourcesDeps): FindRemoteResources {
  const { documents, services, turns } = deps;
  let kept: { readonly source: string; readonly made: Promise<RemoteResources> } | undefined;
  return () => {
    if (services.isEmpty) return Promise.resolve(none);
    const source = `${services.generation} ${documents.generation}`;
    if (kept?.source !== source) kept = { source, made: runToEnd(turns, resourcesOf(deps)) };
    return kept.made;
  };
}

function* resourcesOf({ documents, services }: RemoteResourcesDeps): Steps<RemoteResources> {
  const resources: RemoteResource[] = [];
  const unknown: RemoteService[] = [];
  for (const group of [...services.remoteGroups()]) {
    const known = new Set<string>();
    const versions = [...services.ofGroup(group)].filter(isRemote);
    for (const service of versions.sort((a, b) => (isPreferred(a, b) ? -1 : 1))) {
      yield;
      const said = documents.discoveryOf(service);
      if (said.freshness === 'Stale') unknown.push(service);
      yield* inSteps(said.resources, (each) => {
        const found = resourceOf(service, each);
        if (found === undefined || known.has(found.resource)) return undefined;
        known.add(found.resource);
        resources.push(found);
        return undefined;
      });
    }
  }
  return { resources, unknown };
}

/** As aggregated discovery says it (discovery-answers.ts). */
function resourceOf(service: RemoteService, said: JsonObject): RemoteResource | undefined {
  const resource = text(said, 'resource');
  if (checkDns1123Subdomain(resource).length > 0) return undefined;
  return {
    service,
    resource,
    kind: text(part(said, 'responseKind'), 'kind'),
    isNamespaced: text(said, 'scope') === 'Namespaced',
    verbs: new Set(texts(said, 'verbs')),
  };
}
