// Rows of our own for selectors: what a clone without the shared vectors has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFieldSelector } from '../../src/apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../src/apimachinery/selectors/label-selector-parser.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front', size: '10', empty: '' };
  const rows: readonly (readonly [selector: string, matches: boolean, canonical: string])[] = [
    ['', true, ''],
    ['app', true, 'app'],
    ['!app', false, '!app'],
    ['!other', true, '!other'],
    ['app=web', true, 'app=web'],
    ['app==web', true, 'app==web'],
    ['app = api', false, 'app=api'],
    ['app!=api', true, 'app!=api'],
    ['other!=api', true, 'other!=api'],
    ['app!=web', false, 'app!=web'],
    ['empty=', true, 'empty='],
    ['app in (web,api)', true, 'app in (api,web)'],
    ['app in (api)', false, 'app in (api)'],
    ['app notin (api)', true, 'app notin (api)'],
    ['other notin (api)', true, 'other notin (api)'],
    ['app notin (web, api)', false, 'app notin (api,web)'],
    ['size>9', true, 'size>9'],
    ['size<10', false, 'size<10'],
    ['app>1', false, 'app>1'],
    ['tier=front,app=web', true, 'app=web,tier=front'],
    ['tier=front,app=api', false, 'app=api,tier=front'],
    ['example.org/part', false, 'example.org/part'],
  ];
  for (const [text, matches, canonical] of rows) {
    it(`"${text}" ${matches ? 'selects' : 'does not select'}, and is written "${canonical}"`, () => {
      const selector = parseLabelSelector(text);
      assert.ok(!(selector instanceof StatusError));
      assert.equal(selector.matches(labels), matches);
      assert.equal(selector.text, canonical);
    });
  }

  for (const text of [
    '=web',
    'app=web=api',
    'app in web',
    'app in (web',
    'a b',
    'app>x',
    '-a',
    ',',
  ]) {
    it(`"${text}" is refused`, () => {
      const selector = parseLabelSelector(text);
      assert.ok(selector instanceof StatusError);
      assert.equal(selector.code, 400);
    });
  }
});

describe('a field selector', () => {
  const rows: readonly (readonly [text: string, canonical: string])[] = [
    ['', ''],
    ['metadata.name=a', 'metadata.name=a'],
    ['metadata.name==a', 'metadata.name=a'],
    ['status.phase!=Running', 'status.phase!=Running'],
    ['metadata.name=a\\,b', 'metadata.name=a\\,b'],
    ['metadata.name=a\\=b', 'metadata.name=a\\=b'],
  ];
  for (const [text, canonical] of rows) {
    it(`"${text}" is written "${canonical}"`, () => {
      const selector = parseFieldSelector(text);
      assert.ok(!(selector instanceof StatusError));
      assert.equal(selector.text, canonical);
    });
  }

  for (const text of ['metadata.name', 'a=b=c', 'a=b\\', 'a=\\x']) {
    it(`"${text}" is refused`, () => assert.ok(parseFieldSelector(text) instanceof StatusError));
  }
});
