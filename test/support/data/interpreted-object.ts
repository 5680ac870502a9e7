/** An object's machine and actions in XState's own interpreter: slow, and beyond doubt. */
import { createActor, enqueueActions } from 'xstate';
import { objectActions } from '../../../actors/object-actions.ts';
import type { ObjectAction } from '../../../actors/object-actions.ts';
import { objectContext } from '../../../actors/object-context.ts';
import type {
  ObjectContext,
  ObjectEffect,
  ObjectEvent,
  ObjectPorts,
} from '../../../actors/object-context.ts';
import type { ObjectInput } from '../../../actors/object-logic.ts';
import { actionNames, objectMachine } from '../../../actors/object-machine.ts';

export interface InterpretedObject {
  send(event: ObjectEvent): void;
  value(): unknown;
  readonly context: ObjectContext;
}

export function interpretedObject(
  ports: ObjectPorts,
  { key, storeKey }: ObjectInput,
  onEffect: (effect: ObjectEffect) => void,
): InterpretedObject {
  const context = objectContext(key, storeKey);
  const actions = objectActions(ports);
  const wrapped = Object.fromEntries(
    actionNames.map((name) => [name, wrap(actions[name], context, onEffect)]),
  );
  const machine = objectMachine.provide({ actions: wrapped });
  const actor = createActor(machine, { input: {} }).start();
  return {
    send: (event) => actor.send(event),
    value: () => actor.getSnapshot().value,
    context,
  };
}

function wrap(
  action: ObjectAction,
  context: ObjectContext,
  onEffect: (effect: ObjectEffect) => void,
): unknown {
  return enqueueActions(({ enqueue, event }) => {
    action(context, event as unknown as ObjectEvent, {
      raise: (type) => enqueue.raise({ type }),
      emit: onEffect,
    });
  });
}
