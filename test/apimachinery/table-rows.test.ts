/** Rows of Tables: of large objects, and those that are made of metadata alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { customTable } from '../../src/apiextensions/project/printer-columns.ts';
import { tableEvents } from '../../src/apimachinery/event-frames.ts';
import { encodeObject, isLarge } from '../../src/apimachinery/object-encoding.ts';
import { tableForm } from '../../src/apimachinery/projection/table.ts';
import type { IncludeObject } from '../../src/apimachinery/projection/table.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const metadata = {
  name: 'a',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { l: 'ü"\\', 'x.y/z': '1' },
  managedFields: [{ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } }],
};
const objectWith = (text: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata,
  spec: { metadata: { name: 'another' }, text },
});
const small = objectWith('ä');
const large = objectWith('ä"\n'.repeat(100_000));

const printerOf = (...paths: readonly string[]) =>
  customTable(() => ({
    additionalPrinterColumns: paths.map((jsonPath) => ({
      name: jsonPath,
      type: 'string',
      jsonPath,
    })),
  }));

const formOf = (includeObject: IncludeObject, printer = printerOf('.spec.metadata.name')) =>
  tableForm({ domain: 'k8s.io', version: 'v1', includeObject, printer, nowMs: () => nowMs });

function rowOf(row: Uint8Array): JsonObject {
  return JSON.parse(Buffer.from(row).toString('utf8')) as JsonObject;
}

describe('rows of tables', () => {
  it('have large objects as they are stored, like small ones', () => {
    for (const object of [small, large]) {
      const { bytes } = encodeObject(object);
      assert.equal(isLarge(bytes), object === large);
      const cells: JsonValue = ['a', 'another'];
      assert.deepEqual(rowOf(formOf('Object').rowNow(bytes)), { cells, object });
      assert.deepEqual(rowOf(formOf('None').rowNow(bytes)), { cells, object: null });
      const { object: part } = rowOf(formOf('Metadata').rowNow(bytes));
      assert.deepEqual((part as JsonObject)['metadata'], metadata);
    }
  });

  it('come in a Table that is made in parts as in one that is made at once', () => {
    for (const printer of [
      printerOf('.spec.metadata.name'),
      printerOf('.metadata.name'),
      undefined,
    ]) {
      for (const includeObject of ['None', 'Metadata', 'Object'] as const) {
        const { bytes } = encodeObject(large);
        const options = { domain: 'k8s.io', version: 'v1', includeObject, printer } as const;
        const form = tableForm({ ...options, nowMs: () => nowMs });
        const steps = form.tableSteps(bytes, '7');
        let parts = 1;
        let step = steps.next();
        for (; step.done !== true; step = steps.next()) parts += 1;
        assert.equal(Buffer.from(step.value).toString('utf8'), form.tableOf(bytes, '7', true));
        assert.ok(parts > 2);
      }
    }
  });

  it('come in one frame with what stands around them', () => {
    for (const object of [small, large]) {
      const { bytes } = encodeObject(object);
      const { events, shown } = { events: framesOf(), shown: framesOf('w') };
      for (const frames of [events, shown]) {
        const entry = { name: 'a', namespace: '', revision: 7n, shape: undefined, bytes };
        const [first, second] = ['ADDED', 'MODIFIED'].map((type) => {
          const frame = Buffer.from(frames.event(type as 'ADDED', entry)).toString('utf8');
          assert(frame.endsWith('}\n'));
          const event = JSON.parse(frame) as { type: string; object: JsonObject };
          assert.equal(event.type, type);
          assert.equal(event.object['kind'], 'Table');
          assert.deepEqual(event.object['rows'], [{ cells: ['a', 'another'], object }]);
          return event.object['columnDefinitions'];
        });
        assert(Array.isArray(first));
        assert.deepEqual(second, frames === events ? first : null);
      }
    }
  });

  it('are the same whether all of an object is read or its metadata alone', () => {
    const paths = [
      '.metadata.labels.l',
      ".metadata.labels['x.y/z']",
      '.metadata',
      '.metadata..name',
    ];
    const printer = printerOf(...paths, '.metadata.missing');
    assert.equal(printer.readsMetadataOnly, true);
    const { columns } = printer;
    const whole = { columns, cells: (object: JsonObject) => printer.cells(object) };
    for (const object of [small, large]) {
      const { bytes } = encodeObject(object);
      const row = formOf('None', printer).rowNow(bytes);
      assert.deepEqual(row, formOf('None', whole).rowNow(bytes));
      assert.equal((rowOf(row)['cells'] as readonly JsonValue[])[1], metadata.labels.l);
    }
  });

  it('need the whole object for any other path', () => {
    assert.equal(printerOf().readsMetadataOnly, true, 'name and age');
    for (const path of ['.spec.metadata', '.metadataX', '.metadata\\.x', '.', '..name', '.*']) {
      assert.equal(printerOf('.metadata.name', path).readsMetadataOnly, false, path);
    }
  });
});

function framesOf(watchId?: string) {
  const printer = printerOf('.spec.metadata.name');
  return tableEvents({
    domain: 'k8s.io',
    version: 'v1',
    includeObject: 'Object',
    printer,
    nowMs: () => nowMs,
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    watchId,
  });
}
