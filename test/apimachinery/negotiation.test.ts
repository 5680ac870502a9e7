/** Which media type and form a request gets, with the headers that real clients send. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseType,
  mediaTypeOf,
  negotiate,
  parseAccept,
  parseContentType,
  supportedTypes,
  wantsPretty,
} from '../../src/apimachinery/negotiation.ts';
import type { NegotiationOptions } from '../../src/apimachinery/negotiation.ts';

const full: NegotiationOptions = {
  supported: supportedTypes,
  allowTable: true,
  allowPartial: true,
  domain: 'k8s.io',
};

/** `json`, `yaml table/v1`, `json partial-list/v1 pretty`, or `406`. */
function outcome(accept: string | undefined, options: NegotiationOptions = full): string {
  const result = negotiate(accept, options);
  if (result.kind === 'refused') return String(result.error.code);
  const { format, mediaType, projection, pretty } = result.negotiated;
  assert.equal(mediaType, `application/${format}`);
  const words: string[] = [format];
  if (projection.kind === 'table') words.push(`table/${projection.version}`);
  if (projection.kind === 'partial') {
    words.push(`partial${projection.list ? '-list' : ''}/${projection.version}`);
  }
  if (pretty) words.push('pretty');
  return words.join(' ');
}

const kubectlGet =
  'application/json;as=Table;v=v1;g=meta.k8s.io,' +
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const metadataList =
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,' +
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

describe('negotiation of responses', () => {
  it('follows the client, clause by clause', () => {
    const rows: readonly [string | undefined, string][] = [
      [undefined, 'json'],
      ['', 'json'],
      ['*/*', 'json'],
      ['application/*', 'json'],
      ['application/json', 'json'],
      ['Application/JSON; charset=utf-8', 'json'],
      ['application/yaml', 'yaml'],
      ['application/yaml, application/json', 'yaml'],
      ['application/yaml;q=0.5, application/json', 'json'],
      ['*/*, application/yaml', 'yaml'],
      ['application/*;q=0.8, application/yaml;q=0.8', 'yaml'],
      ['application/json;q=0, */*', 'yaml'],
      ['*/*;q=0', '406'],
      ['*/*;q=0, application/json', 'json'],
      ['application/json;q=0', '406'],
      ['application/json, */*', 'json'],
      ['text/html', '406'],
      ['text/*', '406'],
      ['*/json', '406'],
      ['nonsense', '406'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
      ['application/json;pretty=1', 'json pretty'],
      ['application/json;pretty=0', 'json'],
      ['application/json;stream=watch', 'json'],
      ['application/yaml;stream=watch', '406'],
      ['application/json;stream=other', '406'],
      ['application/json;as="Table";v="v1";g="meta.k8s.io"', 'json table/v1'],
      ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'yaml table/v1'],
      ['*/*;as=Table;v=v1;g=meta.k8s.io', 'json table/v1'],
      ['application/json;as=Table;v=v1;g=meta.svc.io', '406'],
      ['application/json;as=Table;v=v2;g=meta.k8s.io', '406'],
      ['application/json;as=Table', '406'],
      ['application/json;as=Chair;v=v1;g=meta.k8s.io, application/json', 'json'],
      ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'json partial/v1'],
      ['application/cbor, application/json;q=0.9', 'json'],
      [`${'text/plain,'.repeat(1000)}application/json`, '406'],
    ];
    for (const [accept, expected] of rows) assert.equal(outcome(accept), expected, accept);
  });

  it('gives kubectl and client libraries what they ask for, or their fallback', () => {
    const plain = { ...full, allowTable: false, allowPartial: false };
    assert.equal(outcome(kubectlGet), 'json table/v1');
    assert.equal(outcome(kubectlGet, plain), 'json');
    assert.equal(outcome(kubectlGet, { ...full, domain: 'svc.io' }), 'json');
    assert.equal(outcome(metadataList), 'json partial-list/v1');
    assert.equal(outcome(metadataList, plain), 'json');
    assert.equal(outcome('application/vnd.kubernetes.protobuf,application/json'), 'json');
    assert.equal(outcome('application/vnd.kubernetes.protobuf, */*'), 'json');
    assert.equal(outcome('application/vnd.kubernetes.protobuf'), '406');
  });

  it('serves a watch only in types that stream', () => {
    const watch = { ...full, stream: true };
    assert.equal(outcome('application/json', watch), 'json');
    assert.equal(outcome('application/json;stream=watch', watch), 'json');
    assert.equal(outcome(kubectlGet, watch), 'json table/v1');
    assert.equal(outcome('application/vnd.kubernetes.protobuf;stream=watch,*/*', watch), 'json');
    assert.equal(outcome('application/yaml', watch), '406');
    const result = negotiate('application/yaml', watch);
    assert.match(
      result.kind === 'refused' ? result.error.message : '',
      /accepted: application\/json;stream=watch$/,
    );
  });

  it('names what is supported when it refuses', () => {
    const result = negotiate('text/html', full);
    assert.match(
      result.kind === 'refused' ? result.error.message : '',
      /application\/json, application\/yaml/,
    );
  });

  it('lets an endpoint define targets of its own, as discovery does', () => {
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    const serving = (version: string) => (target: { version: string } | undefined) =>
      target === undefined ? 'plain' : target.version === version ? version : undefined;
    assert.equal(chooseType(accept, supportedTypes, serving('v2'))?.target, 'v2');
    assert.equal(chooseType(accept, supportedTypes, serving('v2beta1'))?.target, 'v2beta1');
    assert.equal(chooseType(accept, supportedTypes, serving('v3'))?.target, 'plain');
  });

  it('parses weights, quotes and odd spacing', () => {
    const clauses = parseAccept('a/b;q=.5 ; x="1,2;3" , c/d;Q=0.7,e/f; q=9,/,g,,h/i/j');
    assert.deepEqual(
      clauses.map((each) => [`${each.type}/${each.subtype}`, each.q, [...each.parameters]]),
      [
        ['e/f', 1, []],
        ['c/d', 0.7, []],
        ['a/b', 0.5, [['x', '1,2;3']]],
      ],
    );
  });
});

describe('types of request bodies', () => {
  it('are JSON when nothing is said, and 415 when they are unknown', () => {
    const rows: readonly [string | undefined, string][] = [
      [undefined, 'json'],
      ['', 'json'],
      ['application/json', 'json'],
      ['APPLICATION/JSON; charset=UTF-8', 'json'],
      ['application/yaml', 'yaml'],
      ['application/vnd.kubernetes.protobuf', '415'],
      ['text/plain', '415'],
      ['application/*', '415'],
      ['*/*', '415'],
      ['json', '415'],
    ];
    for (const [header, expected] of rows) {
      const parsed = parseContentType(header, supportedTypes);
      const actual = parsed.kind === 'ok' ? parsed.type.format : String(parsed.error.code);
      assert.equal(actual, expected, header);
    }
    const refused = parseContentType('text/plain', supportedTypes);
    assert.match(
      refused.kind === 'refused' ? refused.error.message : '',
      /application\/json, application\/yaml$/,
    );
    assert.equal(mediaTypeOf('Application/Merge-Patch+JSON;x=1'), 'application/merge-patch+json');
  });
});

describe('indented output', () => {
  it('is for those who ask, and for people', () => {
    const rows: readonly [string | undefined, string | undefined, boolean][] = [
      [undefined, undefined, false],
      ['1', undefined, true],
      ['true', 'kubectl/v1.33', true],
      ['false', 'curl/8.0', false],
      ['maybe', 'curl/8.0', false],
      ['', 'curl/8.0', true],
      [undefined, 'Wget/1.21', true],
      [undefined, 'Mozilla/5.0 (X11)', true],
      [undefined, 'kubectl/v1.33.0 (linux/amd64)', false],
    ];
    for (const [parameter, agent, expected] of rows) {
      assert.equal(wantsPretty(parameter, agent), expected, `${parameter} ${agent}`);
    }
  });
});
