/** The columns of each kind, as data: an object and the cells it has. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { CellValue, TablePrinter } from '../../src/apimachinery/projection/printer.ts';
import { ageText, isAge } from '../../src/apimachinery/projection/printer.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue, resourceKey } from '../../src/apis/catalogue.ts';
import { humanDuration } from '../../src/apimachinery/projection/human-duration.ts';
import { underIdentity } from '../../src/apis/kind-definition.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { corpusPath, noVectors, readCorpus } from '../support/data/corpora.ts';
import { otherRows, serviceRows } from '../support/data/table-rows-cluster.ts';
import { pod, podRows, two, workloadRows } from '../support/data/table-rows-workloads.ts';

const nowMs = Date.parse('2026-01-10T12:00:00Z');
const identity = identityOf('kubernetes');
const { fill } = identity;

const tableKeys = builtInKinds.definitions
  .filter(({ table }) => table !== undefined)
  .map(({ resource }) => resource);

function tableOf(key: string): TablePrinter | undefined {
  const { table } = builtInKinds.definitionOf(key);
  return table && underIdentity(table, identity);
}

function printerOf(key: string): TablePrinter {
  const printer = tableOf(key);
  assert.ok(printer !== undefined, key);
  return printer;
}

function shownCells(printer: TablePrinter, object: JsonObject): readonly CellValue[] {
  return printer.cells(object).map((cell) => (isAge(cell) ? ageText(cell, nowMs) : cell));
}

describe('tables', () => {
  for (const row of [...podRows, ...workloadRows, ...serviceRows, ...otherRows]) {
    it(`${row.key}: one ${row.title}`, () => {
      const printer = printerOf(row.key);
      const { columns } = printer;
      const shown = shownCells(printer, row.object);
      const named = Object.fromEntries(columns.map(({ name }, at) => [name, shown[at]]));
      for (const [name, value] of Object.entries(row.cells)) {
        assert.deepEqual(named[name], value, name);
      }
    });
  }

  it('a pod that has ended is marked as completed', () => {
    const { conditions } = printerOf('/pods');
    const types = (phase: string) =>
      conditions?.(pod(two, { phase })).map((each) => [each['type'], each['reason']]);
    assert.deepEqual(types('Succeeded'), [['Completed', 'Succeeded']]);
    assert.deepEqual(types('Failed'), [['Completed', 'Failed']]);
    assert.deepEqual(types('Running'), []);
  });

  it('are of resources that exist, have distinct columns, and one that names the object', () => {
    const known = new Set(catalogue.map(resourceKey));
    for (const key of tableKeys) {
      assert.ok(known.has(key), key);
      const { columns } = printerOf(key);
      assert.equal(new Set(columns.map((column) => column.name)).size, columns.length, key);
      assert.ok(
        columns.some(({ name, format }) => name === 'Name' && format === 'name'),
        key,
      );
      for (const { description } of columns) assert.ok(description.endsWith('.'), key);
    }
  });

  it('of room in storage are the ones of kinds without columns of their own', () => {
    assert.equal(tableOf('storage.{domain}/csistoragecapacities'), undefined);
  });

  it('show whatever is stored: as many cells as columns, and never an error', () => {
    const members = fc.dictionary(
      fc.constantFrom('metadata', 'spec', 'status', 'data', 'name', 'replicas', 'containers'),
      fc.jsonValue(),
    );
    const printers = tableKeys.map(printerOf);
    fc.assert(
      fc.property(members, members, members, (top, spec, status) => {
        const object = { ...top, spec, status } as JsonObject;
        for (const printer of printers) {
          assert.equal(printer.cells(object).length, printer.columns.length);
        }
      }),
    );
  });

  it('show objects in which every field is filled', { skip: noVectors }, () => {
    let shown = 0;
    for (const file of readdirSync(corpusPath('fixtures-1.33'))) {
      if (!file.endsWith('.json')) continue;
      const object = readCorpus<JsonObject>(`fixtures-1.33/${file}`);
      const row = catalogue.find((kind) => {
        const group = fill(kind.group);
        const apiVersion = group === '' ? kind.version : `${group}/${kind.version}`;
        return kind.kind === object['kind'] && apiVersion === object['apiVersion'];
      });
      const printer = row && tableOf(resourceKey(row));
      if (printer === undefined) continue;
      shown += 1;
      for (const cell of shownCells(printer, object)) {
        assert.ok(!String(cell).includes('[object'), `${file}: ${String(cell)}`);
        assert.ok(!String(cell).includes('undefined'), `${file}: ${String(cell)}`);
      }
    }
    assert.ok(shown > 30, `${shown} kinds`);
  });
});

describe('durations', () => {
  const second = 1;
  const minute = 60;
  const hour = 3600;
  const day = 24 * hour;
  const rows: readonly [number, string][] = [
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 5, '2m5s'],
    [10 * minute + 5, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 20 * minute, '7h20m'],
    [8 * hour + 20 * minute, '8h'],
    [47 * hour, '47h'],
    [48 * hour, '2d'],
    [3 * day + 4 * hour, '3d4h'],
    [8 * day + 4 * hour, '8d'],
    [700 * day, '700d'],
    [731 * day, '2y1d'],
    [8 * 365 * day + 5 * day, '8y'],
  ];
  for (const [seconds, expected] of rows) {
    it(`of ${seconds} seconds is ${expected}`, () => {
      assert.equal(humanDuration(seconds * 1000), expected);
    });
  }
});
