/** create: POST to a collection (spec 1, sections 4.1, 4.6). */
import { createObject } from '../../registry/create.ts';
import { negotiateRepresentation } from '../representation.ts';
import { objectAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { inRequestNamespace, readObject } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';

export async function handleCreate(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const submitted = await readObject(deps, request, kind);
  if (submitted.kind === 'refused') return submitted.error;
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    holds: 'object',
  });
  if (representation.kind === 'refused') return representation.error;
  const options = readWriteOptions(deps, request, 'CreateOptions');
  if (options.kind === 'refused') return options.error;
  const object = inRequestNamespace(submitted.value, request);
  if (object.kind === 'refused') return object.error;
  const target = { kind, namespace: resource.namespace };
  const created = await createObject(deps.registry, target, object.value, options.value);
  if (created.kind === 'refused') {
    return created.error;
  }
  request.warnings.push(...created.value.warnings);
  return objectAnswer(201, representation.value, created.value);
}
