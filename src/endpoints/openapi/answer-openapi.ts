/** OpenAPI over HTTP: headers, validators, redirects (spec 1, section 4). */
import { acceptsGzip } from '../../apimachinery/codecs/gzip.ts';
import { queryValue } from '../../apimachinery/query.ts';
import { newGenericNotFound, newNotAcceptable } from '../../apimachinery/status-error.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { Header } from '../../transport/http-exchange.ts';
import { documentAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { matchesEntityTag } from '../entity-tags.ts';
import type { ApiRequest } from '../request.ts';
import type { OpenApi, OpenApiDocument } from './openapi.ts';

/** How long a document that was asked for by its hash may be kept. */
const immutableForMs = 365 * 24 * 3600 * 1000;

export async function answerOpenApi(
  openapi: OpenApi,
  clock: Clock,
  { exchange, query }: ApiRequest,
): Promise<Answer> {
  const found = await openapi.find({
    path: exchange.path,
    accept: exchange.header('accept'),
    hash: queryValue(query, 'hash'),
    gzip: acceptsGzip(exchange.header('accept-encoding')),
  });
  switch (found.kind) {
    case 'not-found':
      return newGenericNotFound();
    case 'not-acceptable':
      return newNotAcceptable(found.accepted);
    case 'redirect':
      return documentAnswer(301, [['Location', found.location]], '');
    case 'document': {
      const { document } = found;
      const headers = headersOf(document, clock);
      const fresh = matchesEntityTag(document.etag, exchange.header('if-none-match'));
      if (fresh) return documentAnswer(304, headers, '');
      const { body } = document;
      if ('packed' in body) return { kind: 'packed', headers, packed: body.packed };
      return documentAnswer(200, headers, body);
    }
  }
}

function headersOf(document: OpenApiDocument, clock: Clock): readonly Header[] {
  const { contentType, etag, gzipped, immutable } = document;
  const expires = new Date(clock.nowMs() + immutableForMs).toUTCString();
  return [
    ['Content-Type', contentType],
    ['ETag', etag],
    ['Vary', 'Accept, Accept-Encoding'],
    ...(gzipped ? ([['Content-Encoding', 'gzip']] as const) : []),
    ...(immutable
      ? ([
          ['Cache-Control', 'public, immutable'],
          ['Expires', expires],
        ] as const)
      : []),
  ];
}
