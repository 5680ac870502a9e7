/** Objects of built-in kinds, written by several managers one after the other. */
import assert from 'node:assert/strict';
import type {
  FieldWriter,
  OwnedKind,
} from '../../../src/apimachinery/fieldmanager/field-manager.ts';
import { applyPatch } from '../../../src/apimachinery/fieldmanager/managers/apply-patch.ts';
import { ownedKindOf } from '../../../src/apimachinery/fieldmanager/managers/owned-kind.ts';
import { trackUpdate } from '../../../src/apimachinery/fieldmanager/managers/track-update.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import { parseGroupVersion } from '../../../src/apimachinery/schema.ts';
import type { Scheme } from '../../../src/apimachinery/scheme.ts';
import type { StatusError } from '../../../src/apimachinery/status-error.ts';
import { formatRfc3339 } from '../../../src/apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../../src/apis/build-scheme.ts';
import type { Steps } from '../../../src/stdx/stepwise.ts';

const identity = identityOf('kubernetes');

function schemeOf(): Scheme {
  const built = buildScheme({ identity });
  assert.equal(built.kind, 'ok');
  return (built as { scheme: Scheme }).scheme;
}

export const scheme = schemeOf();

export const lastAppliedAnnotation = identity.annotations.lastAppliedConfiguration;

export function ownedKind(apiVersion: string, kind: string): OwnedKind {
  const { group, version } = parseGroupVersion(apiVersion)!;
  const found = scheme.findKind(group, version, kind);
  assert.ok(found, `${apiVersion} ${kind}`);
  return ownedKindOf(found, scheme);
}

export interface ManagedEntry extends JsonObject {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}

/** One object and the clock: every write is a minute after the one before. */
export class OwnedObject {
  live: ApiObject | undefined;
  #minutes = 0;
  readonly #kind: OwnedKind;
  readonly #apiVersion: string;

  constructor(apiVersion: string, kind: string) {
    this.#apiVersion = apiVersion;
    this.#kind = ownedKind(apiVersion, kind);
  }

  get object(): ApiObject {
    assert.ok(this.live, 'the object exists');
    return this.live;
  }

  get entries(): readonly ManagedEntry[] {
    return (this.object.metadata['managedFields'] ?? []) as unknown as readonly ManagedEntry[];
  }

  /** What a manager owns, whatever the operation. */
  fieldsOf(manager: string, operation?: string): JsonObject | undefined {
    return this.entries.find(
      (e) => e.manager === manager && (operation === undefined || e.operation === operation),
    )?.fieldsV1;
  }

  timeOf(minutes: number): string {
    return formatRfc3339(Date.UTC(2026, 0, 1, 0, minutes));
  }

  #writer(manager: string, subresource: string, apiVersion = this.#apiVersion): FieldWriter {
    this.#minutes += 1;
    const nowMs = Date.UTC(2026, 0, 1, 0, this.#minutes);
    return { kind: this.#kind, apiVersion, subresource, manager, nowMs };
  }

  complete(parts: JsonObject): ApiObject {
    const { metadata, ...rest } = parts;
    const meta = { name: 'web', namespace: 'default', ...(metadata as JsonObject | undefined) };
    return { apiVersion: this.#apiVersion, kind: this.#kind.kind, metadata: meta, ...rest };
  }

  update(manager: string, next: JsonObject, subresource = '', apiVersion?: string): ApiObject {
    const writer = this.#writer(manager, subresource, apiVersion);
    const before = this.live;
    const metadata = {
      uid: 'u-1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(next['metadata'] as JsonObject | undefined),
    };
    const complete = this.complete({ ...next, metadata });
    this.live = trackUpdate({ ...writer, live: before, next: complete });
    return this.live;
  }

  /** The live object with these members at the top changed. */
  change(manager: string, parts: JsonObject, subresource = ''): ApiObject {
    return this.update(manager, { ...this.object, ...parts }, subresource);
  }

  apply(
    manager: string,
    parts: JsonObject,
    options: { force?: boolean; subresource?: string; complete?: (o: ApiObject) => ApiObject } = {},
  ): StatusError | undefined {
    const { complete } = options;
    const outcome = applyPatch({
      ...this.#writer(manager, options.subresource ?? ''),
      live: this.live,
      applied: this.complete(parts),
      force: options.force ?? false,
      complete: complete && inOneStep(complete),
      lastAppliedAnnotation,
    });
    if (outcome.kind === 'refused') return outcome.error;
    this.live = outcome.object;
    return undefined;
  }

  /** As apply, and it must not be refused. */
  mustApply(manager: string, parts: JsonObject, options: { force?: boolean } = {}): void {
    const error = this.apply(manager, parts, options);
    assert.equal(error?.message, undefined);
  }

  spec(): Readonly<Record<string, JsonValue | undefined>> {
    return (this.object['spec'] ?? {}) as JsonObject;
  }
}

function inOneStep(complete: (object: ApiObject) => ApiObject) {
  return function* (object: ApiObject): Steps<ApiObject> {
    return complete(object);
  };
}
