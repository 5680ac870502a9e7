/** Operators as functions: their names in the tree; and the reserved words. */
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

const reserved: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace ' +
    'null return true var void while'
  ).split(' '),
);

/** These cannot be names of variables or functions; as names of fields they can be used. */
export const isReserved = (name: string): boolean => reserved.has(name);
