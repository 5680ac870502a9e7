/** JSON Patch over HTTP: what is no patch, what does not fit, and what is as in the reference
 * (spec 1, section 4.4). */
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';

const maps = '/api/v1/namespaces/$ns/configmaps';
const json = { 'content-type': 'application/json-patch+json' };
const merge = { 'content-type': 'application/merge-patch+json' };

const createMap: Step = {
  request: `POST ${maps}`,
  body: { metadata: { name: 'm', labels: { a: '1' } }, data: { x: '1', y: '2' } },
  status: 201,
  save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
};

/** No JSON patches, whatever they are applied to: what a body is and why it is refused. */
const malformed: readonly [string, string][] = [
  ['{"op":"test"}', 'a JSON patch is a list of operations'],
  ['"test"', 'a JSON patch is a list of operations'],
  ['[1]', 'operation 0 is not an object'],
  ['[{"op":"test","path":"/data","value":1},null]', 'operation 1 is not an object'],
  ['[{"op":7,"path":"/data"}]', 'op of operation 0 is not a text'],
  ['[{"op":"remove","path":["data"]}]', 'path of operation 0 is not a text'],
  ['[{"op":"move","path":"/data/z","from":{}}]', 'from of operation 0 is not a text'],
];

/** Nor are these: operations that there are not, or that lack what they need. */
const unusable: readonly [string, string][] = [
  ['[{"op":"jump","path":"/data"}]', '0: unexpected kind "jump", not one of add, .*, test'],
  ['[{"op":"Add","path":"/data/z","value":"1"}]', '0: unexpected kind "Add"'],
  ['[{"path":"/data/z","value":"1"}]', '0: unexpected kind ""'],
  ['[{"op":null,"path":"/data/z"}]', '0: unexpected kind ""'],
  [
    '[{"op":"add","path":"/data/z","value":"1"},{"op":"remove"}]',
    '1: remove needs the member path',
  ],
  ['[{"op":"copy","path":"/data/z"}]', '0: copy needs the member from'],
  ['[{"op":"move","path":"/data/z","from":null}]', '0: move needs the member from'],
  ['[{"op":"move","path":"/data/z","from":"data/x"}]', '0: from "data/x" does not start with "/"'],
  ['[{"op":"add","path":"/data/z"}]', '0: add needs the member value'],
  ['[{"op":"replace","path":"/data/x"}]', '0: replace needs the member value'],
  ['[{"op":"test","path":"/data/x"}]', '0: test needs the member value'],
  ['[{"op":"remove","path":null}]', '0: remove needs the member path'],
  ['[{"op":"remove","path":"data"}]', '0: path "data" does not start with "/"'],
  ['[{"op":"remove","path":"/data/~2"}]', '0: path "/data/~2" has a "~"'],
];

/** JSON patches that do not fit the object. */
const inapplicable: readonly [string, string][] = [
  ['[{"op":"remove","path":"/data/q"}]', '0 \\(remove "/data/q"\\): "/data/q" does not exist'],
  ['[{"op":"test","path":"/data/x","value":null}]', '0 .*: test failed'],
  ['[{"op":"test","path":"/data/q","value":""}]', '0 .*: test failed'],
  ['[{"op":"test","path":"/none/q","value":null}]', '0 .*: "/none/q" does not exist'],
  ['[{"op":"replace","path":"/none/q","value":"1"}]', '0 .*: "/none/q" does not exist'],
  ['[{"op":"copy","path":"/data/q","from":"/data/p"}]', '0 .*: "/data/p" does not exist'],
  ['[{"op":"move","path":"/data/q","from":"/data/p"}]', '0 .*: "/data/p" does not exist'],
  ['[{"op":"move","path":"/data/q","from":"/data"}]', '0 .*: "/data/q" does not exist'],
  ['[{"op":"remove","path":""}]', '0 .*: the whole document cannot be removed'],
  ['[{"op":"remove","path":"/metadata/finalizers/-1"}]', '0 .*: "-1" is no index'],
  [
    '[{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/3"}]',
    '0 .*: index 3 is out of bounds',
  ],
];

const scenarios: readonly Scenario[] = [
  {
    title: 'a JSON patch that is none is 400, one that does not fit 422, and nothing changes',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] } },
        status: 200,
        save: { rv: 'metadata.resourceVersion' },
      },
      ...malformed.map(([body, message]): Step => ({
        request: `PATCH ${maps}/m`,
        headers: json,
        body,
        status: 400,
        reason: 'BadRequest',
        message: new RegExp(`^error decoding patch: ${message}$`),
      })),
      ...unusable.map(([body, message]): Step => ({
        request: `PATCH ${maps}/m`,
        headers: json,
        body,
        status: 400,
        reason: 'BadRequest',
        message: new RegExp(`^error decoding patch: operation ${message}`),
      })),
      ...inapplicable.map(([body, message]): Step => ({
        request: `PATCH ${maps}/m`,
        headers: json,
        body,
        status: 422,
        reason: 'Invalid',
        message: new RegExp(`^the server rejected our request .*: operation ${message}`),
        expect: { details: { name: absent, kind: absent, causes: absent } },
      })),
      { request: `PATCH ${maps}/absent`, headers: json, body: '[{"op":"jump"}]', status: 404 },
      { request: `GET ${maps}/m`, status: 200, expect: { metadata: { resourceVersion: '$rv' } } },
    ],
  },
  {
    title: 'a member that is not there passes a test for null and can be replaced',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body: [
          { op: 'test', path: '/data/z', value: null },
          { op: 'test', path: '/immutable', value: null },
          { op: 'replace', path: '/data/z', value: '3' },
        ],
        status: 200,
        expect: { data: { x: '1', y: '2', z: '3' } },
      },
    ],
  },
  {
    title: 'a move to the end of a list counts the list without what is moved',
    steps: [
      {
        request: `POST ${maps}`,
        body: { metadata: { name: 'm', finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] } },
        status: 201,
      },
      ...[
        ['/metadata/finalizers/2', ['x.io/b', 'x.io/c', 'x.io/a']],
        ['/metadata/finalizers/-', ['x.io/c', 'x.io/a', 'x.io/b']],
        ['/metadata/finalizers/0', ['x.io/c', 'x.io/a', 'x.io/b']],
      ].map(([path, finalizers]): Step => ({
        request: `PATCH ${maps}/m`,
        headers: json,
        body: [{ op: 'move', from: '/metadata/finalizers/0', path }],
        status: 200,
        expect: { metadata: { finalizers } },
      })),
      {
        request: `PATCH ${maps}/m`,
        headers: merge,
        body: { metadata: { finalizers: null } },
        status: 200,
      },
    ],
  },
  {
    title: 'keys that a program might take for its own are keys like any other',
    steps: [
      createMap,
      ...['constructor', '__proto__', 'prototype', 'toString'].flatMap((key): Step[] => [
        {
          request: `PATCH ${maps}/m`,
          headers: json,
          body: [
            { op: 'test', path: `/data/${key}`, value: null },
            { op: 'add', path: `/data/${key}`, value: 'own' },
            { op: 'copy', from: `/data/${key}`, path: '/data/copy' },
            { op: 'move', from: `/data/${key}`, path: '/data/moved' },
            { op: 'test', path: `/data/${key}`, value: null },
          ],
          status: 200,
          expect: { data: { x: '1', copy: 'own', moved: 'own' } },
        },
        {
          request: `PATCH ${maps}/m`,
          headers: json,
          body: [{ op: 'remove', path: `/data/${key}` }],
          status: 422,
        },
      ]),
    ],
  },
  {
    title:
      'members that an operation does not have are unknown fields, those that come twice duplicate',
    steps: [
      createMap,
      {
        request: `PATCH ${maps}/m?fieldValidation=Strict`,
        headers: json,
        body: '[{"op":"add","path":"/data/z","value":"1","valu":"2","op":"add"}]',
        status: 400,
        reason: 'BadRequest',
        message: /json patch unknown field "\[0\]\.valu", json patch duplicate field "\[0\]\.op"$/,
      },
      {
        request: `PATCH ${maps}/m`,
        headers: json,
        body:
          '[{"op":"test","path":"/data/x","value":"1"},' +
          '{"op":"add","path":"/data/z","value":"1","valu":"2"}]',
        status: 200,
        expect: { data: { z: '1', valu: absent } },
        headersExpected: { warning: /json patch unknown field \\"\[1\]\.valu\\"/ },
      },
      {
        request: `PATCH ${maps}/m?fieldValidation=Ignore`,
        headers: json,
        body: '[{"op":"add","path":"/data/z","value":"2","valu":"2"}]',
        status: 200,
        expect: { data: { z: '2' } },
        headersExpected: { warning: null },
      },
    ],
  },
];

runScenarios('JSON patch', scenarios);
