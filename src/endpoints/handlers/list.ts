/** list: a collection, whole or in pages (spec 1, sections 4.9 and 4.10). */
import { StatusError } from '../../apimachinery/status-error.ts';
import { listObjects } from '../../registry/read.ts';
import { listOptionsOf, listQueryOf } from '../collection-query.ts';
import { listAnswer } from '../list-answer.ts';
import { negotiateRepresentation } from '../representation.ts';
import { convertedList } from '../response-conversion.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';

export async function handleList(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    holds: 'list',
  });
  if (representation.kind === 'refused') return representation.error;
  const options = listOptionsOf(deps, request.query);
  if (options instanceof StatusError) return options;
  const query = listQueryOf(deps, kind, options);
  if (query.kind === 'refused') return query.error;
  const target = { kind, namespace: resource.namespace };
  const listed = await listObjects(deps.registry, target, query.value, request.exchange);
  if (listed.kind === 'refused') {
    return listed.error;
  }
  const { convert } = representation.value;
  if (convert === undefined || query.value.selectShown !== undefined) {
    return listAnswer(deps, request, representation.value, listed.value);
  }
  const { registry } = deps;
  const list = await convertedList(registry.turns, convert, listed.value, request.exchange);
  if (list instanceof StatusError) return list;
  return listAnswer(deps, request, representation.value, list);
}
