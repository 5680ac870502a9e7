/**
 * Rows of what validation is tested with that lie as YAML in test/support/data/validation-rows: an object, what
 * is stored where the row is an update, and the errors; without errors it is taken.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { ValidationRow } from './validation-row.ts';

interface FileRow {
  /** `apps/v1 Deployment`. */
  readonly kind: string;
  readonly title: string;
  readonly object: JsonObject;
  readonly from?: JsonObject;
  readonly status?: JsonObject;
  readonly errors?: readonly string[];
}

export function validationRowsOfFiles(): readonly ValidationRow[] {
  const folder = path.join(process.cwd(), 'test', 'support', 'data', 'validation-rows');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  assert(files.length > 0, `rows lie in ${folder}`);
  return files.flatMap((name) => {
    const rows = parse(readFileSync(path.join(folder, name), 'utf8')) as readonly FileRow[];
    return rows.map(({ kind, errors = [], ...row }) => {
      const [version = '', kindName = ''] = kind.split(' ');
      return { ...row, version, kind: kindName, errors };
    });
  });
}
