/** Operators as functions: their names in the tree, how they are written, how they bind. */
import { lookup } from '../../stdx/lookup.ts';

export const operatorNames: Readonly<Record<string, string>> = lookup({
  '+': '_+_',
  '-': '_-_',
  '*': '_*_',
  '/': '_/_',
  '%': '_%_',
  '==': '_==_',
  '!=': '_!=_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  in: '@in',
  '&&': '_&&_',
  '||': '_||_',
});

/** How a binary operator is written, by its name in the tree. */
export const operatorTexts: ReadonlyMap<string, string> = new Map(
  Object.entries(operatorNames).map(([text, name]) => [name, text]),
);

/** A smaller number binds closer. */
export const precedences: ReadonlyMap<string, number> = new Map([
  ['_?_:_', 8],
  ['_||_', 7],
  ['_&&_', 6],
  ...['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '@in'].map((name) => [name, 5] as const),
  ['_+_', 4],
  ['_-_', 4],
  ['_*_', 3],
  ['_/_', 3],
  ['_%_', 3],
  ['!_', 2],
  ['-_', 2],
]);

const reserved: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace ' +
    'null return true var void while'
  ).split(' '),
);

/** These cannot be names of variables or functions; as names of fields they can be used. */
export const isReserved = (name: string): boolean => reserved.has(name);
