/** OpenAPI of groups in which this server has nothing of its own. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { openApiDocuments } from '../../src/apimachinery/openapi/documents.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { finished } from '../../src/stdx/stepwise.ts';

it('what is said of a group of others is known without its document', () => {
  const others = new Set(['far.example', 'near.example']);
  const built = buildScheme({
    identity: identityOf('kubernetes'),
    runtimeConfig: undefined,
    featureGates: new Set(),
  });
  assert.ok(built.kind === 'ok');
  const otherGroups = { has: (group: string) => others.has(group), all: () => [...others] };
  const documents = openApiDocuments({
    scheme: built.scheme,
    domain: 'k8s.io',
    protobufMediaType: 'application/vnd.kubernetes.protobuf',
    openValues: new Set(),
    version: 'v1.33.0',
    otherGroups,
  });
  assert.ok(finished(documents.paths()).includes('apis/far.example'));
  const [piece, ...more] = documents.piecesOf('apis/far.example') ?? [];
  assert.ok(piece !== undefined && more.length === 0);
  const { own, paths, shared } = finished(piece.make('v3'));
  assert.deepEqual(Object.keys(paths), ['/apis/far.example/']);
  assert.ok(Object.keys(shared).some((name) => name.endsWith('.APIGroup')));
  assert.deepEqual(own, {});
  const [again] = documents.piecesOf('apis/far.example') ?? [];
  assert.equal(again, piece, 'it is the same for as long as the group is there');
  const [near] = documents.piecesOf('apis/near.example') ?? [];
  assert.notEqual(near?.stamp, piece.stamp);
  others.delete('far.example');
  finished(documents.paths());
  assert.equal(documents.piecesOf('apis/far.example'), undefined);
});
