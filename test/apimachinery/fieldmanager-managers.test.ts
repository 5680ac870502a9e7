/** managedFields of real kinds through updates: who owns what, since when, and how it is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UPDATE_MANAGERS_MAX } from '../../src/apimachinery/fieldmanager/managers/cap-managers.ts';
import {
  managerOf,
  validatePatchOwner,
} from '../../src/apimachinery/fieldmanager/managers/manager-name.ts';
import { deepEqual } from '../../src/stdx/deep-equal.ts';
import { OwnedObject } from '../support/checks/field-ownership.ts';

const labels = (values: Record<string, string>) => ({ metadata: { labels: values } });

const container = { name: 'web', image: 'nginx', ports: [{ containerPort: 80, name: 'http' }] };

const deploymentSpec = {
  replicas: 1,
  selector: { matchLabels: { app: 'web' } },
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
};

describe('an object that is created', () => {
  it('belongs to its creator, field by field, without what the server writes', () => {
    const object = new OwnedObject('v1', 'ConfigMap');
    object.update('kubectl-create', { ...labels({ app: 'web' }), data: { b: '2', a: '1' } });
    assert.deepEqual(object.entries, [
      {
        manager: 'kubectl-create',
        operation: 'Update',
        apiVersion: 'v1',
        time: object.timeOf(1),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { '.': {}, 'f:a': {}, 'f:b': {} },
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
        },
      },
    ]);
    const [entry] = object.entries;
    const inOrder = '{"f:data":{".":{},"f:a":{},"f:b":{}},"f:metadata"';
    assert.ok(JSON.stringify(entry?.fieldsV1).startsWith(inOrder));
  });

  it('does not give its creator the structs that are always there', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    object.update('kubectl-create', { spec: deploymentSpec });
    assert.deepEqual(object.fieldsOf('kubectl-create'), {
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  // An absent key that has a default counts as if it were there.
                  'k:{"containerPort":80,"protocol":"TCP"}': {
                    '.': {},
                    'f:containerPort': {},
                    'f:name': {},
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('does not give the writer of the object its status, nor that of the status anything else', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    object.update('a', { spec: deploymentSpec, status: { replicas: 1 } });
    assert.equal(object.fieldsOf('a')?.['f:status'], undefined);
    object.change(
      'b',
      { spec: { ...deploymentSpec, replicas: 5 }, status: { replicas: 2 } },
      'status',
    );
    assert.deepEqual(object.entries[1], {
      manager: 'b',
      operation: 'Update',
      apiVersion: 'apps/v1',
      time: object.timeOf(2),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:status': { 'f:replicas': {} } },
      subresource: 'status',
    });
  });

  it('has entries per subresource and per version, and a manager without a name is unknown', () => {
    const object = new OwnedObject('apps/v1', 'Deployment');
    object.update('', { spec: deploymentSpec });
    object.change('', { spec: { ...deploymentSpec, replicas: 2 } }, 'scale');
    const names = object.entries.map((e) => [e.manager, e.subresource ?? '']);
    assert.deepEqual(names, [
      ['unknown', ''],
      ['unknown', 'scale'],
    ]);
    assert.deepEqual(object.entries[1]?.fieldsV1, { 'f:spec': { 'f:replicas': {} } });
  });
});

describe('an object that is updated', () => {
  const created = () => {
    const object = new OwnedObject('v1', 'ConfigMap');
    object.update('a', { ...labels({ app: 'web' }), data: { x: '1', y: '1' } });
    return object;
  };

  it('without a change keeps its entries and their times, the very same', () => {
    const object = created();
    const before = object.object.metadata['managedFields'];
    object.update('b', { ...labels({ app: 'web' }), data: { y: '1', x: '1' } });
    assert.equal(object.object.metadata['managedFields'], before);
    assert.ok(deepEqual(object.object.metadata['managedFields'], before));
  });

  it('moves what changes to the writer, and what is removed to nobody', () => {
    const object = created();
    object.change('b', { data: { x: '2', z: '1' } });
    assert.deepEqual(object.fieldsOf('a'), {
      'f:data': {},
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    });
    assert.deepEqual(object.fieldsOf('b'), { 'f:data': { 'f:x': {}, 'f:z': {} } });
    assert.equal(object.entries[0]?.time, object.timeOf(1));
    assert.equal(object.entries[1]?.time, object.timeOf(2));
  });

  it('does not date the writer when all it does is to remove', () => {
    const object = created();
    object.change('a', { data: { x: '1' } });
    assert.equal(object.entries.length, 1);
    assert.equal(object.entries[0]?.time, object.timeOf(1));
    assert.deepEqual(object.fieldsOf('a')?.['f:data'], { '.': {}, 'f:x': {} });
  });

  it('adds to what the same manager owned before', () => {
    const object = created();
    object.change('a', { data: { x: '1', y: '1', z: '1' } });
    assert.deepEqual(object.fieldsOf('a')?.['f:data'], {
      '.': {},
      'f:x': {},
      'f:y': {},
      'f:z': {},
    });
    assert.equal(object.entries[0]?.time, object.timeOf(2));
  });

  it('drops the entry of a manager that owns nothing any more', () => {
    const object = created();
    object.update('b', { data: { x: '1', y: '1' } });
    object.update('b', { data: { w: '1' } });
    object.update('c', { immutable: true });
    assert.deepEqual(
      object.entries.map((e) => e.manager),
      ['c'],
    );
  });

  it('lets names of the engine be keys of the data', () => {
    const object = created();
    const data = JSON.parse('{"constructor":"1","__proto__":"2","x":"1"}') as Record<
      string,
      string
    >;
    object.change('b', { data });
    assert.deepEqual(Object.keys(object.fieldsOf('b')?.['f:data'] ?? {}), [
      'f:__proto__',
      'f:constructor',
    ]);
    object.change('c', { data: {} });
    assert.equal(object.fieldsOf('b'), undefined);
  });

  it('has at most so many managers that update: the oldest are merged into one', () => {
    const object = new OwnedObject('v1', 'ConfigMap');
    const data: Record<string, string> = {};
    for (let i = 0; i < UPDATE_MANAGERS_MAX + 3; i += 1) {
      data[`k${i}`] = '1';
      if (i === 0) object.update('m0', { data: { ...data } });
      else object.change(`m${i}`, { data: { ...data } });
    }
    assert.equal(object.entries.length, UPDATE_MANAGERS_MAX);
    const [oldest] = object.entries;
    assert.equal(oldest?.manager, 'ancient-changes');
    assert.equal(oldest?.time, object.timeOf(4));
    assert.deepEqual(oldest?.fieldsV1, {
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
  });

  it('forgets managers of a version that is not served', () => {
    const object = created();
    const [entry] = object.entries;
    const gone = { ...entry, manager: 'old', apiVersion: 'v0' };
    object.change('a', {
      metadata: { ...object.object.metadata, managedFields: [entry, gone] },
      data: { x: '1' },
    } as never);
    assert.deepEqual(
      object.entries.map((e) => e.manager),
      ['a'],
    );
  });
});

describe('managedFields that a client sends', () => {
  const created = () => {
    const object = new OwnedObject('v1', 'ConfigMap');
    object.update('a', { data: { x: '1' } });
    return object;
  };
  const send = (object: OwnedObject, managedFields: unknown, data: object = { x: '1' }, sub = '') =>
    object.change(
      'b',
      { metadata: { ...object.object.metadata, managedFields }, data } as never,
      sub,
    );

  it('with one empty entry are cleared', () => {
    const object = created();
    send(object, [{}]);
    assert.equal('managedFields' in object.object.metadata, false);
    // Nobody owns anything now, and nobody comes to by an ordinary write.
    object.change('c', { data: { x: '2' } });
    assert.deepEqual(object.entries, []);
  });

  it('with one empty entry along with a change leave the writer what it changed', () => {
    const object = created();
    send(object, [{}], { x: '1', y: '1' });
    assert.deepEqual(
      object.entries.map((e) => [e.manager, e.fieldsV1]),
      [['b', { 'f:data': { 'f:y': {} } }]],
    );
  });

  it('that are empty, absent or malformed leave the live ones', () => {
    const object = created();
    const before = object.entries;
    const bad = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
    for (const sent of [
      [],
      undefined,
      [{ ...bad, operation: 'Take' }],
      [{ ...bad, fieldsType: 'FieldsV2' }],
      [{ ...bad, apiVersion: '' }],
      [{ ...bad, fieldsV1: { 'no element': {} } }],
      [{ ...bad, fieldsV1: [] }],
    ]) {
      send(object, sent);
      assert.equal(object.entries, before, JSON.stringify(sent));
    }
  });

  it('that are valid replace the live ones, in order and canonical', () => {
    const object = created();
    const entry = {
      manager: 'z',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2025-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:x': {}, '.': {} } },
    };
    const applied = { ...entry, manager: 'y', operation: 'Apply' };
    send(object, [entry, applied]);
    assert.deepEqual(
      object.entries.map((e) => e.manager),
      ['y', 'z'],
    );
    const text = JSON.stringify(object.entries[1]?.fieldsV1);
    assert.equal(text, '{"f:data":{".":{},"f:x":{}}}');
  });

  it('to a subresource count for nothing', () => {
    const object = new OwnedObject('v1', 'Pod');
    object.update('a', { spec: { containers: [{ name: 'c', image: 'i' }] } });
    const before = object.entries;
    object.change(
      'b',
      {
        metadata: { ...object.object.metadata, managedFields: [{}] },
        status: { phase: 'Running' },
      },
      'status',
    );
    assert.deepEqual(object.entries[0], before[0]);
    assert.equal(object.entries[1]?.subresource, 'status');
  });
});

describe('the name of a manager', () => {
  it('is what the request says, or its User-Agent up to the slash', () => {
    assert.equal(managerOf('me', 'kubectl/v1.33'), 'me');
    assert.equal(managerOf('', 'kubectl/v1.33 (linux/amd64)'), 'kubectl');
    assert.equal(managerOf('', 'My Client\u0007'), 'My Client');
    assert.equal(managerOf('', undefined), 'unknown');
    assert.equal(managerOf('', '/1'), 'unknown');
    assert.equal(managerOf('', 'x'.repeat(200)), 'x'.repeat(128));
    assert.equal(Buffer.byteLength(managerOf('', 'ä'.repeat(200))), 128);
    assert.equal(Buffer.byteLength(managerOf('', `x${'ä'.repeat(200)}`)), 127);
  });

  it('is required of an apply, and force is for apply alone', () => {
    assert.deepEqual(validatePatchOwner(true, 'me', true), []);
    assert.deepEqual(validatePatchOwner(false, '', undefined), []);
    const [missing] = validatePatchOwner(true, '', undefined);
    assert.deepEqual(
      [missing?.field, missing?.detail],
      ['fieldManager', 'is required for apply patch'],
    );
    const [forced] = validatePatchOwner(false, 'me', false);
    assert.deepEqual([forced?.type, forced?.field], ['FieldValueForbidden', 'force']);
  });
});
