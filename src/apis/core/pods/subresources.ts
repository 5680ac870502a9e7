/** The subresources of pods: the kind of their body, and what a write may change. */
import type { SubresourceDefinition, WrittenKind, KindDefinition } from '../../kind-definition.ts';
import { proxySubresource, objectParts, writtenKind } from '../../subresources.ts';
import { lookup } from '../../../stdx/lookup.ts';
import { bindNamedPod, bindPod } from './binding.ts';
import { containerStream, podLog, podProxy, portForward } from './connection.ts';
import type { Connect } from '../../../registry/registry.ts';
import { evict } from './eviction.ts';
import { ephemeralContainerRules } from './ephemeral-containers.ts';
import { resizeRules } from './resize.ts';
import { mirrorAnnotation } from './validation/pod-annotations.ts';

const resized = ['f:resources', 'f:resizePolicy'];

export const podSubresources: Readonly<Record<string, SubresourceDefinition>> = lookup({
  attach: stream('PodAttachOptions', containerStream('attach')),
  exec: stream('PodExecOptions', containerStream('exec')),
  log: { verbs: ['get'], connects: 'here', connection: podLog },
  portforward: stream('PodPortForwardOptions', portForward),
  proxy: proxySubresource('PodProxyOptions', podProxy),
  binding: { verbs: ['create'], kinds: () => [bindingKind], operation: bindPod },
  eviction: { verbs: ['create'], kinds: evictionKinds, operation: evict },
  ephemeralcontainers: {
    verbs: objectParts,
    since: 23,
    writes: [['f:spec', 'f:ephemeralContainers']],
    rules: (identity) => ephemeralContainerRules(mirrorAnnotation(identity)),
  },
  resize: {
    verbs: objectParts,
    since: 33,
    writes: ['f:containers', 'f:initContainers'].flatMap((list) =>
      resized.map((field) => ['f:spec', list, '*', field]),
    ),
    rules: (identity) => resizeRules(mirrorAnnotation(identity)),
  },
});

function stream(kind: string, connection: Connect): SubresourceDefinition {
  const kinds = [writtenKind('', 'v1', kind, 'core')];
  return { verbs: ['create', 'get'], kinds: () => kinds, connects: 'here', connection };
}

/** Since this minor release of 1 an eviction is a stable kind; clients still send the older one. */
const stableEvictionSince = 22;

function evictionKinds(release: number): readonly WrittenKind[] {
  const beta = writtenKind('policy', 'v1beta1', 'Eviction', 'policy');
  if (release < stableEvictionSince) return [beta];
  return [writtenKind('policy', 'v1', 'Eviction', 'policy'), beta];
}

const bindingKind = writtenKind('', 'v1', 'Binding', 'core');

/** Posted to a collection of their own they name their pod themselves. */
export const bindings: KindDefinition = {
  resource: '/bindings',
  added: { kinds: 'v1 Binding bindings namespaced since=0', types: '' },
  serving: 'operation',
  operation: bindNamedPod,
};
