/** Kinds of the catalogue as the conversions take them, under the kubernetes identity. */
import assert from 'node:assert/strict';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import { formatGroupVersion } from '../../../src/apimachinery/schema.ts';
import type { ApiObject } from '../../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../../src/apis/catalogue.ts';
import type { CatalogueKind } from '../../../src/apis/catalogue.ts';
import { conversionsOf } from '../../../src/apis/version-families.ts';
import { toVersion } from '../../../src/registry/versions.ts';

export const kubernetes = identityOf('kubernetes');

export function versioned(kind: CatalogueKind) {
  return {
    group: kubernetes.fill(kind.group),
    version: kind.version,
    kind: kind.kind,
    conversions: conversionsOf(kind, kubernetes),
  };
}

export function kindOf(apiVersion: string, kind: string): CatalogueKind {
  const found = catalogue.find(
    (row) =>
      row.kind === kind &&
      formatGroupVersion({ group: kubernetes.fill(row.group), version: row.version }) ===
        apiVersion,
  );
  assert.ok(found, `${apiVersion} ${kind}`);
  return found;
}

export function convert(object: ApiObject, apiVersion: string): ApiObject {
  const from = kindOf(object.apiVersion, object.kind);
  return toVersion(object, versioned(from), versioned(kindOf(apiVersion, object.kind)));
}
