/**
 * NamespaceAutoProvision creates the missing namespace of an object, NamespaceExists refuses the
 * write.
 *
 * Invariants: a dry run creates no namespace. If several writes create the same one at once, all of
 * them succeed.
 */
import { newNamespaceNotFound } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { after } from '../stdx/awaitable.ts';
import type { AdmissionObjects, AdmissionPlugin, AdmissionTarget } from './admission.ts';

const namespaces = { group: '', resource: 'namespaces' } as const;

/** Makes an empty one. Undefined: it is there, whoever has made it. */
export type MakeNamespace = (name: string) => Promise<StatusError | undefined>;

type Known = Pick<AdmissionObjects, 'current' | 'get'>;

function isMissing(known: Known, namespace: string): boolean {
  return known.get(namespaces, '', namespace) === undefined;
}

/** One that has just been made may not have come through the log. */
function currentOf(known: Known): AdmissionPlugin['current'] {
  return ({ namespace }) => (isMissing(known, namespace) ? known.current() : undefined);
}

function isInNamespace({ namespace, resource }: AdmissionTarget): boolean {
  const isNamespace =
    resource.group === namespaces.group && resource.resource === namespaces.resource;
  return namespace !== '' && !isNamespace;
}

export function autoProvision(known: Known, make: MakeNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    concerns: (_user, target) => target.operations.includes('CREATE') && isInNamespace(target),
    current: currentOf(known),
    admits: ['CREATE'],
    admit({ dryRun, namespace, next }) {
      if (dryRun || !isMissing(known, namespace)) return next;
      return after(make(namespace), (error) => error?.message ?? next);
    },
  };
}

export function namespaceExists(known: Known): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    concerns: (_user, target) => !target.operations.includes('CONNECT') && isInNamespace(target),
    current: currentOf(known),
    async validate({ namespace }) {
      if (!isMissing(known, namespace)) return undefined;
      // Made for this very write, perhaps.
      await known.current();
      return isMissing(known, namespace) ? newNamespaceNotFound(namespace) : undefined;
    },
  };
}
