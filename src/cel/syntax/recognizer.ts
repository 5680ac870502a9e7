/**
 * Tokens to concrete forms, by recursive descent: one function for each rule of grammar.ts.
 *
 * Where one token does not tell which alternative comes, the functions look as far ahead as they
 * must, and report a mistake that is met on the way as the reference does.
 *
 * Bounds: each rule may be under way `recursionMax` times within itself.
 */
import type {
  CallForm,
  Concrete,
  EntriesForm,
  FieldForm,
  IdentForm,
  IndexForm,
  ListForm,
  LiteralForm,
  LogicForm,
  MapForm,
  MemberCallForm,
  MessageForm,
  OptionalForm,
  SelectForm,
} from './concrete.ts';
import {
  exprFirst,
  fieldFirst,
  follow,
  memberFirst,
  optionalExprFirst,
  position,
  productOps,
  relationOps,
  sumOps,
} from './grammar.ts';
import { Mismatch } from './recovery.ts';
import type { KindSet, GrammarPosition, Recovery } from './recovery.ts';
import { NoRecovery, RuleStack } from './rule-stack.ts';
import type { TokenBuffer } from './token-buffer.ts';
import { kinds as k } from './tokens.ts';
import type { Token, TokenKind } from './tokens.ts';

const isNumber = (kind: TokenKind): boolean => kind === k.int || kind === k.float;

export class Recognizer extends RuleStack {
  readonly #looksAhead: boolean;
  /** Tokens before this one have been looked at and are well-formed behind a negative number. */
  #wellFormedTo = -1;

  constructor(tokens: TokenBuffer, recovery: Recovery | undefined, recursionMax: number) {
    super(tokens, recovery ?? new NoRecovery(tokens), recursionMax);
    this.#looksAhead = recovery !== undefined;
  }

  start(): Concrete | undefined {
    let found: Concrete | undefined;
    try {
      found = this.#expr(position.startExpr, follow.start);
      this.match(position.startEnd, k.eof);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      this.recovery.recover(error);
    }
    return found;
  }

  /** What can stand behind a primary; for looking ahead. */
  suffixes(start: Token): void {
    this.#suffixes(start, { form: 'broken' }, () => undefined);
  }

  #expr(from: GrammarPosition, following: KindSet): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('expr', from, following);
    try {
      body: {
        result = this.#logic('or', position.exprCondition, follow.condition);
        if (this.kind !== k.question) break body;
        const op = this.match(position.exprQuestion) as Token;
        const form: Concrete = { form: 'conditional', op, condition: result };
        result = form;
        form.whenTrue = this.#logic('or', position.exprTrue, follow.whenTrue);
        this.match(position.exprColon);
        form.whenFalse = this.#expr(position.exprFalse, follow.end);
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('expr', from);
    return result;
  }

  #logic(rule: 'or' | 'and', from: GrammarPosition, following: KindSet): Concrete | undefined {
    const isOr = rule === 'or';
    const operand = (where: GrammarPosition): Concrete | undefined =>
      isOr ? this.#logic('and', where, follow.and) : this.#relation(where, follow.relation, 0);
    let result: Concrete | undefined;
    this.enter(rule, from, following);
    try {
      body: {
        const start = this.tokens.ahead(1);
        result = operand(isOr ? position.orFirst : position.andFirst);
        if (this.kind !== (isOr ? k.or : k.and)) break body;
        const form: LogicForm = {
          form: 'logic',
          name: isOr ? '_||_' : '_&&_',
          start,
          first: result,
          ops: [],
          rest: [],
        };
        result = form;
        while (this.kind === (isOr ? k.or : k.and)) {
          form.ops.push(this.match(isOr ? position.orOp : position.andOp) as Token);
          form.rest.push(operand(isOr ? position.orNext : position.andNext));
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave(rule, from);
    return result;
  }

  #relation(from: GrammarPosition, following: KindSet, precedence: number): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('relation', from, following);
    try {
      const start = this.tokens.ahead(1);
      result = this.#calc(position.relationFirst, follow.relationOperand, 0);
      while (precedence <= 1 && relationOps.has(this.kind)) {
        const form: Concrete = { form: 'binary', start, left: result };
        result = form;
        form.op = this.match(position.relationOp);
        form.right = this.#relation(position.relationNext, follow.relationOperand, 2);
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('relation', from);
    return result;
  }

  #calc(from: GrammarPosition, following: KindSet, precedence: number): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('calc', from, following);
    try {
      body: {
        const start = this.tokens.ahead(1);
        result = this.#unary(position.calcFirst, follow.calcOperand);
        for (;;) {
          const isProduct = productOps.has(this.kind) && precedence <= 2;
          if (!isProduct && !(sumOps.has(this.kind) && precedence <= 1)) break body;
          const form: Concrete = { form: 'binary', start, left: result };
          result = form;
          form.op = this.match(isProduct ? position.productOp : position.sumOp);
          const next = isProduct ? position.productNext : position.sumNext;
          form.right = this.#calc(next, follow.calcOperand, isProduct ? 3 : 2);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('calc', from);
    return result;
  }

  #unary(from: GrammarPosition, following: KindSet): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('unary', from, following);
    try {
      this.sync(position.unary);
      const kind = this.kind;
      if (kind === k.exclamation) {
        const form: Concrete = { form: 'unary', name: '!_', ops: [] };
        result = form;
        this.sync(position.notFirst);
        do {
          form.ops.push(this.match(position.not) as Token);
          this.sync(position.notMore, true);
        } while (this.kind === k.exclamation);
        form.operand = this.#member(position.notMember);
      } else if (kind === k.minus && !this.#isNegativeNumber()) {
        result = this.#negation();
      } else if (memberFirst.has(kind)) {
        result = this.#member(position.unaryMember);
      } else {
        throw this.noAlternative(1);
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('unary', from);
    return result ?? { form: 'broken' };
  }

  #negation(): Concrete {
    const second = this.tokens.ahead(2).kind;
    if (second !== k.minus && !memberFirst.has(second)) throw this.noAlternative(2);
    const form: Concrete = { form: 'unary', name: '-_', ops: [] };
    this.sync(position.minusFirst);
    do {
      form.ops.push(this.match(position.minus) as Token);
      this.sync(position.minusMore, true);
      if (this.kind === k.minus) this.#isNegativeNumber();
      else if (!memberFirst.has(this.kind)) throw this.noAlternative(1);
    } while (this.kind === k.minus);
    form.operand = this.#member(position.minusMember);
    return form;
  }

  /**
   * A minus and a number are a literal, or an operator and its operand. Both stay possible until
   * everything that belongs to the number has been read, so a mistake in there is found here.
   */
  #isNegativeNumber(): boolean {
    const tokens = this.tokens;
    if (!isNumber(tokens.ahead(2).kind)) return false;
    const third = tokens.ahead(3).kind;
    if (!this.#looksAhead || (third !== k.dot && third !== k.leftBracket)) return true;
    if (tokens.index < this.#wellFormedTo) return true;
    const start = tokens.ahead(1);
    const before = tokens.index;
    tokens.advance();
    tokens.advance();
    try {
      new Recognizer(tokens, undefined, this.recursionMax).suffixes(start);
      this.#wellFormedTo = tokens.index;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      throw this.noAlternativeUpTo(start, error.token);
    } finally {
      tokens.back(before);
    }
    return true;
  }

  #member(from: GrammarPosition): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('member', from, follow.end);
    try {
      const start = this.tokens.ahead(1);
      result = this.#primary();
      this.#suffixes(start, result, (form) => {
        result = form;
      });
    } catch (error) {
      this.recover(error);
    }
    this.leave('member', from);
    return result;
  }

  #suffixes(start: Token, first: Concrete | undefined, found: (form: Concrete) => void): void {
    let operand = first;
    for (;;) {
      const kind = this.kind;
      if (kind !== k.dot && kind !== k.leftBracket) return;
      this.recovery.position = position.memberSuffix;
      const form: SelectForm | MemberCallForm | IndexForm =
        kind === k.leftBracket
          ? { form: 'index', start, operand }
          : this.#isMemberCall()
            ? { form: 'member-call', start, operand }
            : { form: 'select', start, operand };
      operand = form;
      found(form);
      if (form.form === 'index') this.#index(form);
      else if (form.form === 'select') this.#select(form);
      else this.#memberCall(form);
    }
  }

  #isMemberCall(): boolean {
    const second = this.tokens.ahead(2).kind;
    if (!fieldFirst.has(second)) throw this.noAlternative(2);
    return second === k.identifier && this.tokens.ahead(3).kind === k.leftParen;
  }

  #select(form: SelectForm): void {
    form.dot = this.match(position.selectDot);
    this.sync(position.selectOptional);
    if (this.kind === k.question) form.optional = this.match(position.selectQuestion);
    form.field = this.#name(position.selectName, follow.memberPart);
  }

  #memberCall(form: MemberCallForm): void {
    this.match(position.callDot);
    form.name = this.match(position.callName);
    form.open = this.match(position.callOpen);
    this.sync(position.callArgs);
    if (exprFirst.has(this.kind)) form.args = this.#args(position.callArgList);
    this.match(position.callClose);
  }

  #index(form: IndexForm): void {
    form.open = this.match(position.indexOpen);
    this.sync(position.indexOptional);
    if (this.kind === k.question) form.optional = this.match(position.indexQuestion);
    form.index = this.#expr(position.indexExpr, follow.index);
    this.match(position.indexClose);
  }

  #primary(): Concrete | undefined {
    let result: Concrete | undefined = { form: 'broken' };
    const keep = <T extends Concrete>(form: T): T => {
      result = form;
      return form;
    };
    this.enter('primary', position.memberPrimary, follow.memberPart);
    try {
      body: {
        this.sync(position.primary);
        const start = this.tokens.ahead(1);
        switch (start.kind) {
          case k.leftParen:
            result = undefined;
            this.match(position.nestedOpen);
            result = this.#expr(position.nestedExpr, follow.args);
            this.match(position.nestedClose);
            break body;
          case k.leftBracket:
            this.#list(keep({ form: 'list' }));
            break body;
          case k.leftBrace:
            this.#map(keep({ form: 'map' }));
            break body;
          case k.dot:
          case k.identifier:
            this.#named(start, keep);
            break body;
          default:
            result = this.#literal();
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('primary', position.memberPrimary);
    return result;
  }

  /** A name, a call, or the literal of a message: what stands behind the names tells. */
  #named(start: Token, keep: <T extends Concrete>(form: T) => T): void {
    const tokens = this.tokens;
    let n = start.kind === k.dot ? 2 : 1;
    if (tokens.ahead(n).kind !== k.identifier) throw this.noAlternative(n);
    n += 1;
    if (tokens.ahead(n).kind === k.leftParen) return this.#call(keep({ form: 'call', start }));
    while (tokens.ahead(n).kind === k.dot && tokens.ahead(n + 1).kind === k.identifier) n += 2;
    if (tokens.ahead(n).kind === k.leftBrace) {
      return this.#message(keep({ form: 'message', names: [] }));
    }
    const form: IdentForm = keep({ form: 'ident', start });
    form.leadingDot = this.#leadingDot();
    form.name = this.match(position.ident);
  }

  #leadingDot(): Token | undefined {
    this.sync(position.dotOrName);
    return this.kind === k.dot ? this.match(position.leadingDot) : undefined;
  }

  #call(form: CallForm): void {
    form.leadingDot = this.#leadingDot();
    form.name = this.match(position.functionName);
    form.open = this.match(position.functionOpen);
    this.sync(position.functionArgs);
    if (exprFirst.has(this.kind)) form.args = this.#args(position.functionArgList);
    this.match(position.functionClose);
  }

  #list(form: ListForm): void {
    form.open = this.match(position.listOpen);
    this.sync(position.listItems);
    if (optionalExprFirst.has(this.kind)) form.elements = this.#elements();
    this.sync(position.listEnd);
    if (this.kind === k.comma) this.match(position.listComma);
    this.match(position.listClose);
  }

  #map(form: MapForm): void {
    form.open = this.match(position.mapOpen);
    this.sync(position.mapItems);
    if (optionalExprFirst.has(this.kind)) form.entries = this.#entries();
    this.sync(position.mapEnd);
    if (this.kind === k.comma) this.match(position.mapComma);
    this.match(position.mapClose);
  }

  #message(form: MessageForm): void {
    form.leadingDot = this.#leadingDot();
    form.names.push(this.match(position.messageName) as Token);
    this.sync(position.messageMore);
    while (this.kind === k.dot) {
      this.match(position.messageDot);
      form.names.push(this.match(position.messageNextName) as Token);
      this.sync(position.messageMoreAgain, true);
    }
    form.open = this.match(position.messageOpen);
    this.sync(position.messageItems);
    if (fieldFirst.has(this.kind)) form.fields = this.#fields();
    this.sync(position.messageEnd);
    if (this.kind === k.comma) this.match(position.messageComma);
    this.match(position.messageClose);
  }

  #args(from: GrammarPosition): (Concrete | undefined)[] {
    const args: (Concrete | undefined)[] = [];
    this.enter('args', from, follow.args);
    try {
      args.push(this.#expr(position.argFirst, follow.item));
      while (this.kind === k.comma) {
        this.match(position.argComma);
        args.push(this.#expr(position.argNext, follow.item));
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('args', from);
    return args;
  }

  /** A comma belongs to the list only when something that can be listed stands behind it. */
  #continues(first: KindSet): boolean {
    return this.kind === k.comma && first.has(this.tokens.ahead(2).kind);
  }

  #elements(): OptionalForm[] {
    const elements: OptionalForm[] = [];
    this.enter('elements', position.listItemList, follow.listElements);
    try {
      elements.push(this.#optional(position.elementFirst, follow.item));
      while (this.#continues(optionalExprFirst)) {
        this.match(position.elementComma);
        elements.push(this.#optional(position.elementNext, follow.item));
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('elements', position.listItemList);
    return elements;
  }

  #entries(): EntriesForm<OptionalForm> {
    const start = this.tokens.ahead(1);
    const form: EntriesForm<OptionalForm> = { start, keys: [], colons: [], values: [] };
    this.enter('entries', position.mapItemList, follow.entries);
    try {
      body: {
        for (;;) {
          form.keys.push(this.#optional(position.entryFirst, follow.key));
          form.colons.push(this.match(position.entryColon));
          form.values.push(this.#expr(position.entryValue, follow.item));
          if (!this.#continues(optionalExprFirst)) break body;
          this.match(position.entryComma);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('entries', position.mapItemList);
    return form;
  }

  #fields(): EntriesForm<FieldForm> {
    const start = this.tokens.ahead(1);
    const form: EntriesForm<FieldForm> = { start, keys: [], colons: [], values: [] };
    this.enter('fields', position.messageItemList, follow.entries);
    try {
      body: {
        for (;;) {
          form.keys.push(this.#field());
          form.colons.push(this.match(position.fieldColon));
          form.values.push(this.#expr(position.fieldValue, follow.item));
          if (!this.#continues(fieldFirst)) break body;
          this.match(position.fieldComma);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('fields', position.messageItemList);
    return form;
  }

  #field(): FieldForm {
    const form: FieldForm = { start: this.tokens.ahead(1) };
    this.enter('field', position.fieldFirst, follow.key);
    try {
      this.sync(position.optionalField);
      if (this.kind === k.question) form.optional = this.match(position.optionalFieldQuestion);
      form.name = this.#name(position.optionalFieldName, follow.end);
    } catch (error) {
      this.recover(error);
    }
    this.leave('field', position.fieldFirst);
    return form;
  }

  #name(from: GrammarPosition, following: KindSet): Token | undefined {
    let name: Token | undefined;
    this.enter('name', from, following);
    try {
      this.sync(position.name);
      if (this.kind === k.identifier) name = this.match(position.nameSimple);
      else if (this.kind === k.escapedIdentifier) name = this.match(position.nameEscaped);
      else throw this.noAlternative(1);
    } catch (error) {
      this.recover(error);
    }
    this.leave('name', from);
    return name;
  }

  #optional(from: GrammarPosition, following: KindSet): OptionalForm {
    const form: OptionalForm = { start: this.tokens.ahead(1) };
    this.enter('optional', from, following);
    try {
      this.sync(position.optionalExpr);
      if (this.kind === k.question) form.optional = this.match(position.optionalExprQuestion);
      form.value = this.#expr(position.optionalExprValue, follow.end);
    } catch (error) {
      this.recover(error);
    }
    this.leave('optional', from);
    return form;
  }

  #literal(): Concrete {
    const form: LiteralForm = { form: 'literal', start: this.tokens.ahead(1) };
    this.enter('literal', position.primaryLiteral, follow.end);
    try {
      this.sync(position.literal);
      if (this.kind === k.minus) {
        if (!isNumber(this.tokens.ahead(2).kind)) throw this.noAlternative(2);
        form.sign = this.match(position.literalToken);
      }
      form.token = this.match(position.literalToken);
    } catch (error) {
      this.recover(error);
    }
    this.leave('literal', position.primaryLiteral);
    return form.token === undefined ? { form: 'broken' } : form;
  }
}
