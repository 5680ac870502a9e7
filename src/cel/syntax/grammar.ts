/**
 * The states of the grammar as data: which tokens can come in each, and which can follow a token
 * that is matched there. The rules themselves are the functions of recognizer.ts.
 *
 *   expr        = or ["?" or ":" expr]
 *   or          = and {"||" and}
 *   and         = relation {"&&" relation}
 *   relation    = calc {("<" | "<=" | ">=" | ">" | "==" | "!=" | "in") calc}
 *   calc        = unary {("*" | "/" | "%" | "+" | "-") unary}      the first three bind closer
 *   unary       = member | "!" {"!"} member | "-" {"-"} member
 *   member      = primary {"." ["?"] name | "." name "(" [exprs] ")" | "[" ["?"] expr "]"}
 *   primary     = ["."] name ["(" [exprs] ")"] | "(" expr ")" | "[" [elements] [","] "]"
 *               | "{" [entries] [","] "}" | ["."] name {"." name} "{" [fields] [","] "}" | literal
 */
import { KindSet } from './recovery.ts';
import type { GrammarPosition } from './recovery.ts';
import { kinds as k } from './tokens.ts';

type Members = readonly (number | KindSet | 'end')[];

const of = (...members: Members): KindSet => KindSet.of(...members);
const at = (next: KindSet): GrammarPosition => ({ next });
const match = (next: KindSet | number, after: KindSet): GrammarPosition => ({
  next: typeof next === 'number' ? of(next) : next,
  after,
});

const literalFirst = of(
  ...[k.minus, k.true, k.false, k.null, k.float, k.int, k.uint, k.string, k.bytes],
);
export const memberFirst = of(
  literalFirst,
  ...[k.leftBracket, k.leftBrace, k.leftParen, k.dot, k.identifier],
);
export const exprFirst = of(memberFirst, k.exclamation);
export const optionalExprFirst = of(exprFirst, k.question);
export const fieldFirst = of(k.question, k.identifier, k.escapedIdentifier);
const nameFirst = of(k.identifier, k.escapedIdentifier);

export const relationOps = of(
  ...[k.equals, k.notEquals, k.in, k.less, k.lessEquals, k.greaterEquals, k.greater],
);
export const productOps = of(k.star, k.slash, k.percent);
export const sumOps = of(k.plus, k.minus);

const memberNext = of(k.dot, k.leftBracket, 'end');
const argsOrClose = of(exprFirst, k.rightParen);
const notOrMember = of(k.exclamation, memberFirst);
const minusOrMember = of(k.minus, memberFirst);
const listNext = of(optionalExprFirst, k.comma, k.rightBracket);
const mapNext = of(optionalExprFirst, k.comma, k.rightBrace);
const fieldsNext = of(fieldFirst, k.comma, k.rightBrace);
const moreNames = of(k.dot, k.leftBrace);

/** What can follow a rule where it is used. */
export const follow = {
  start: of(k.eof),
  condition: of(k.question, 'end'),
  whenTrue: of(k.colon),
  end: of('end'),
  and: of(k.or, 'end'),
  relation: of(k.and, 'end'),
  relationOperand: of(relationOps, 'end'),
  calcOperand: of(productOps, sumOps, 'end'),
  memberPart: memberNext,
  args: of(k.rightParen),
  index: of(k.rightBracket),
  listElements: of(k.comma, k.rightBracket),
  entries: of(k.comma, k.rightBrace),
  key: of(k.colon),
  item: of(k.comma, 'end'),
} as const;

/** Every place has its own identity: recovery remembers where it has been. */
export const position = {
  startExpr: at(exprFirst),
  startEnd: match(k.eof, of('end')),

  exprCondition: at(exprFirst),
  exprQuestion: match(k.question, exprFirst),
  exprTrue: at(exprFirst),
  exprColon: match(k.colon, exprFirst),
  exprFalse: at(exprFirst),

  orFirst: at(exprFirst),
  orOp: match(k.or, exprFirst),
  orNext: at(exprFirst),
  andFirst: at(exprFirst),
  andOp: match(k.and, exprFirst),
  andNext: at(exprFirst),

  relationFirst: at(exprFirst),
  relationOp: match(relationOps, exprFirst),
  relationNext: at(exprFirst),
  calcFirst: at(exprFirst),
  productOp: match(productOps, exprFirst),
  productNext: at(exprFirst),
  sumOp: match(sumOps, exprFirst),
  sumNext: at(exprFirst),

  unary: at(exprFirst),
  unaryMember: at(memberFirst),
  notFirst: at(of(k.exclamation)),
  not: match(k.exclamation, notOrMember),
  notMore: at(notOrMember),
  notMember: at(memberFirst),
  minusFirst: at(of(k.minus)),
  minus: match(k.minus, minusOrMember),
  minusMore: at(minusOrMember),
  minusMember: at(memberFirst),

  memberPrimary: at(memberFirst),
  memberNext: at(memberNext),
  memberSuffix: at(of(k.dot, k.leftBracket)),
  selectDot: match(k.dot, fieldFirst),
  selectOptional: at(fieldFirst),
  selectQuestion: match(k.question, nameFirst),
  selectName: at(nameFirst),
  callDot: match(k.dot, of(k.identifier)),
  callName: match(k.identifier, of(k.leftParen)),
  callOpen: match(k.leftParen, argsOrClose),
  callArgs: at(argsOrClose),
  callArgList: at(exprFirst),
  callClose: match(k.rightParen, memberNext),
  indexOpen: match(k.leftBracket, optionalExprFirst),
  indexOptional: at(optionalExprFirst),
  indexQuestion: match(k.question, exprFirst),
  indexExpr: at(exprFirst),
  indexClose: match(k.rightBracket, memberNext),

  primary: at(memberFirst),
  dotOrName: at(of(k.dot, k.identifier)),
  leadingDot: match(k.dot, of(k.identifier)),
  ident: match(k.identifier, of('end')),
  functionName: match(k.identifier, of(k.leftParen)),
  functionOpen: match(k.leftParen, argsOrClose),
  functionArgs: at(argsOrClose),
  functionArgList: at(exprFirst),
  functionClose: match(k.rightParen, of('end')),
  nestedOpen: match(k.leftParen, exprFirst),
  nestedExpr: at(exprFirst),
  nestedClose: match(k.rightParen, of('end')),
  listOpen: match(k.leftBracket, listNext),
  listItems: at(listNext),
  listItemList: at(optionalExprFirst),
  listEnd: at(follow.listElements),
  listComma: match(k.comma, of(k.rightBracket)),
  listClose: match(k.rightBracket, of('end')),
  mapOpen: match(k.leftBrace, mapNext),
  mapItems: at(mapNext),
  mapItemList: at(optionalExprFirst),
  mapEnd: at(follow.entries),
  mapComma: match(k.comma, of(k.rightBrace)),
  mapClose: match(k.rightBrace, of('end')),
  messageName: match(k.identifier, moreNames),
  messageMore: at(moreNames),
  messageMoreAgain: at(moreNames),
  messageDot: match(k.dot, of(k.identifier)),
  messageNextName: match(k.identifier, moreNames),
  messageOpen: match(k.leftBrace, fieldsNext),
  messageItems: at(fieldsNext),
  messageItemList: at(fieldFirst),
  messageEnd: at(follow.entries),
  messageComma: match(k.comma, of(k.rightBrace)),
  messageClose: match(k.rightBrace, of('end')),
  primaryLiteral: at(literalFirst),

  argFirst: at(exprFirst),
  argComma: match(k.comma, exprFirst),
  argNext: at(exprFirst),
  elementFirst: at(optionalExprFirst),
  elementComma: match(k.comma, optionalExprFirst),
  elementNext: at(optionalExprFirst),
  fieldFirst: at(fieldFirst),
  fieldColon: match(k.colon, exprFirst),
  fieldValue: at(exprFirst),
  fieldComma: match(k.comma, fieldFirst),
  entryFirst: at(optionalExprFirst),
  entryColon: match(k.colon, exprFirst),
  entryValue: at(exprFirst),
  entryComma: match(k.comma, optionalExprFirst),

  optionalField: at(fieldFirst),
  optionalFieldQuestion: match(k.question, nameFirst),
  optionalFieldName: at(nameFirst),
  name: at(nameFirst),
  nameSimple: match(k.identifier, of('end')),
  nameEscaped: match(k.escapedIdentifier, of('end')),
  optionalExpr: at(optionalExprFirst),
  optionalExprQuestion: match(k.question, exprFirst),
  optionalExprValue: at(exprFirst),

  literal: at(literalFirst),
  literalToken: at(literalFirst),
} as const;
