/**
 * A stream of what actors do, for Stately's inspector: XState's own inspection events in the
 * inspector's wire form (@statelyai/inspect).
 *
 * Invariants: no content of an object leaves: of snapshots only states and counts, of events only
 * the type and the verb of a command. While nobody inspects, no event is made.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { JsonObject } from '../src/apimachinery/unstructured.ts';
import { noteInspection } from './root-actor.ts';
import type { RootActor } from './root-actor.ts';

/** The version of @statelyai/inspect; its receivers expect one. */
const wireVersion = '0.7.2';

/** Calls `write` with each event's JSON text, until the returned function is called. */
export function inspectActors(
  root: RootActor,
  nowMs: () => number,
  write: (json: string) => void,
): () => void {
  const emit = (event: JsonObject): void => {
    const createdAt = nowMs().toString();
    write(JSON.stringify({ ...event, _version: wireVersion, createdAt, id: null }));
  };
  // An inspector that connects later must know the parent of all actors.
  emit(actorEvent(root, root.sessionId));
  noteInspection(root);
  const subscription = root.system.inspect((event: InspectionEvent) => {
    const shown = shownEvent(event);
    if (shown !== undefined) emit(shown);
  });
  return () => subscription.unsubscribe();
}

function shownEvent(event: InspectionEvent): JsonObject | undefined {
  const { actorRef, rootId } = event;
  const { sessionId } = actorRef as AnyActorRef;
  switch (event.type) {
    case '@xstate.actor':
      return actorEvent(actorRef as AnyActorRef, rootId);
    case '@xstate.event': {
      const sourceId = event.sourceRef?.sessionId;
      return { type: event.type, event: shownPayload(event.event), sourceId, sessionId, rootId };
    }
    case '@xstate.snapshot': {
      const { snapshot } = event;
      const shown = { event: shownPayload(event.event), snapshot: shownSnapshot(snapshot) };
      return { type: event.type, ...shown, sessionId, rootId };
    }
    default:
      return undefined;
  }
}

interface WithLogic {
  readonly logic?: { readonly config?: unknown };
}

function actorEvent(actor: AnyActorRef, rootId: string): JsonObject {
  const { id, sessionId } = actor;
  const config = (actor as unknown as WithLogic).logic?.config;
  return {
    type: '@xstate.actor',
    name: id,
    sessionId,
    parentId: actor._parent?.sessionId,
    rootId,
    definition: JSON.stringify(config ?? { id }),
    snapshot: shownSnapshot(actor.getSnapshot()),
  };
}

interface Shown {
  readonly status?: string;
  readonly value?: JsonObject | string;
  readonly context?: { readonly mailbox?: { readonly length: number }; readonly dueMs?: number };
}

function shownSnapshot(snapshot: unknown): JsonObject {
  const { context, status = 'active', value } = (snapshot ?? {}) as Shown;
  return {
    status,
    ...(value === undefined ? {} : { value }),
    context: {
      ...(context?.mailbox === undefined ? {} : { mailbox: context.mailbox.length }),
      ...(context?.dueMs === undefined ? {} : { dueMs: context.dueMs }),
    },
  };
}

interface Payload {
  readonly type: string;
  readonly entry?: {
    readonly command: { readonly type: string; readonly input?: { readonly verb: string } };
  };
}

function shownPayload(event: unknown): JsonObject {
  const { entry, type } = event as Payload;
  if (entry === undefined) return { type };
  return { type, verb: entry.command.input?.verb ?? entry.command.type };
}
