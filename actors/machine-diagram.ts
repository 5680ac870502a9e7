/**
 * A machine as a Mermaid state diagram: states, and which event leads from one to another.
 *
 * Events that lead nowhere are left out: the tables of SPEC.md name each.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { objectMachine } from './object-machine.ts';
import { tokenMachine } from './token-machine.ts';

/** All of them, each under its name, as Markdown shows them. */
export function machineDiagrams(): string {
  return machines.map(([name, machine]) => `%% ${name}\n${machineDiagram(machine)}\n`).join('\n');
}

/** By their names. */
const machines: readonly (readonly [string, AnyStateMachine])[] = [
  ['object', objectMachine],
  ['token', tokenMachine],
];

/** Mermaid text, its last line without an end. */
function machineDiagram(machine: AnyStateMachine): string {
  return ['stateDiagram-v2', ...regionLines(machine.root, '  ')].join('\n');
}

function regionLines(node: AnyStateNode, indent: string): readonly string[] {
  const children = Object.values(node.states);
  if (node.type === 'parallel') {
    return children.flatMap((child) => [
      `${indent}state ${child.key} {`,
      ...regionLines(child, `${indent}  `),
      `${indent}}`,
    ]);
  }
  const [first] = node.initial.target;
  const lines = [`${indent}[*] --> ${first?.key ?? ''}`];
  for (const child of children) {
    lines.push(...transitionLines(child, indent));
    if (child.type === 'final') lines.push(`${indent}${child.key} --> [*]`);
  }
  return lines;
}

function transitionLines(node: AnyStateNode, indent: string): readonly string[] {
  const byTarget = new Map<string, string[]>();
  for (const [event, transitions] of node.transitions) {
    for (const { target } of transitions) {
      const [to] = target ?? [];
      if (to === undefined) continue;
      byTarget.set(to.key, [...(byTarget.get(to.key) ?? []), event]);
    }
  }
  return [...byTarget].map(
    ([target, events]) => `${indent}${node.key} --> ${target} : ${events.join(', ')}`,
  );
}
