/** A custom type whose objects may hold anything, up to 2.9 MB. */

/** `conversion`: between the versions, of which the first is stored. */
export function documentsDefinition(
  group: string,
  versions: readonly string[],
  conversion?: object,
): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `documents.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'documents', kind: 'Document' },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === 0,
        schema: { openAPIV3Schema },
      })),
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}
