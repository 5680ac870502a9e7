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
  place,
  productOps,
  relationOps,
  sumOps,
} from './grammar.ts';
import { Mismatch } from './recovery.ts';
import type { KindSet, Place, Recovery } from './recovery.ts';
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
      found = this.#expr(place.startExpr, follow.start);
      this.match(place.startEnd, k.eof);
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

  #expr(from: Place, following: KindSet): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('expr', from, following);
    try {
      body: {
        result = this.#logic('or', place.exprCondition, follow.condition);
        if (this.kind !== k.question) break body;
        const op = this.match(place.exprQuestion) as Token;
        const form: Concrete = { form: 'conditional', op, condition: result };
        result = form;
        form.whenTrue = this.#logic('or', place.exprTrue, follow.whenTrue);
        this.match(place.exprColon);
        form.whenFalse = this.#expr(place.exprFalse, follow.end);
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('expr', from);
    return result;
  }

  #logic(rule: 'or' | 'and', from: Place, following: KindSet): Concrete | undefined {
    const isOr = rule === 'or';
    const operand = (where: Place): Concrete | undefined =>
      isOr ? this.#logic('and', where, follow.and) : this.#relation(where, follow.relation, 0);
    let result: Concrete | undefined;
    this.enter(rule, from, following);
    try {
      body: {
        const start = this.tokens.ahead(1);
        result = operand(isOr ? place.orFirst : place.andFirst);
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
          form.ops.push(this.match(isOr ? place.orOp : place.andOp) as Token);
          form.rest.push(operand(isOr ? place.orNext : place.andNext));
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave(rule, from);
    return result;
  }

  #relation(from: Place, following: KindSet, precedence: number): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('relation', from, following);
    try {
      const start = this.tokens.ahead(1);
      result = this.#calc(place.relationFirst, follow.relationOperand, 0);
      while (precedence <= 1 && relationOps.has(this.kind)) {
        const form: Concrete = { form: 'binary', start, left: result };
        result = form;
        form.op = this.match(place.relationOp);
        form.right = this.#relation(place.relationNext, follow.relationOperand, 2);
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('relation', from);
    return result;
  }

  #calc(from: Place, following: KindSet, precedence: number): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('calc', from, following);
    try {
      body: {
        const start = this.tokens.ahead(1);
        result = this.#unary(place.calcFirst, follow.calcOperand);
        for (;;) {
          const isProduct = productOps.has(this.kind) && precedence <= 2;
          if (!isProduct && !(sumOps.has(this.kind) && precedence <= 1)) break body;
          const form: Concrete = { form: 'binary', start, left: result };
          result = form;
          form.op = this.match(isProduct ? place.productOp : place.sumOp);
          const next = isProduct ? place.productNext : place.sumNext;
          form.right = this.#calc(next, follow.calcOperand, isProduct ? 3 : 2);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('calc', from);
    return result;
  }

  #unary(from: Place, following: KindSet): Concrete | undefined {
    let result: Concrete | undefined;
    this.enter('unary', from, following);
    try {
      this.sync(place.unary);
      const kind = this.kind;
      if (kind === k.exclamation) {
        const form: Concrete = { form: 'unary', name: '!_', ops: [] };
        result = form;
        this.sync(place.notFirst);
        do {
          form.ops.push(this.match(place.not) as Token);
          this.sync(place.notMore, true);
        } while (this.kind === k.exclamation);
        form.operand = this.#member(place.notMember);
      } else if (kind === k.minus && !this.#isNegativeNumber()) {
        result = this.#negation();
      } else if (memberFirst.has(kind)) {
        result = this.#member(place.unaryMember);
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
    this.sync(place.minusFirst);
    do {
      form.ops.push(this.match(place.minus) as Token);
      this.sync(place.minusMore, true);
      if (this.kind === k.minus) this.#isNegativeNumber();
      else if (!memberFirst.has(this.kind)) throw this.noAlternative(1);
    } while (this.kind === k.minus);
    form.operand = this.#member(place.minusMember);
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

  #member(from: Place): Concrete | undefined {
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
      this.recovery.place = place.memberSuffix;
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
    form.dot = this.match(place.selectDot);
    this.sync(place.selectOptional);
    if (this.kind === k.question) form.optional = this.match(place.selectQuestion);
    form.field = this.#name(place.selectName, follow.memberPart);
  }

  #memberCall(form: MemberCallForm): void {
    this.match(place.callDot);
    form.name = this.match(place.callName);
    form.open = this.match(place.callOpen);
    this.sync(place.callArgs);
    if (exprFirst.has(this.kind)) form.args = this.#args(place.callArgList);
    this.match(place.callClose);
  }

  #index(form: IndexForm): void {
    form.open = this.match(place.indexOpen);
    this.sync(place.indexOptional);
    if (this.kind === k.question) form.optional = this.match(place.indexQuestion);
    form.index = this.#expr(place.indexExpr, follow.index);
    this.match(place.indexClose);
  }

  #primary(): Concrete | undefined {
    let result: Concrete | undefined = { form: 'broken' };
    const keep = <T extends Concrete>(form: T): T => {
      result = form;
      return form;
    };
    this.enter('primary', place.memberPrimary, follow.memberPart);
    try {
      body: {
        this.sync(place.primary);
        const start = this.tokens.ahead(1);
        switch (start.kind) {
          case k.leftParen:
            result = undefined;
            this.match(place.nestedOpen);
            result = this.#expr(place.nestedExpr, follow.args);
            this.match(place.nestedClose);
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
    this.leave('primary', place.memberPrimary);
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
    form.name = this.match(place.ident);
  }

  #leadingDot(): Token | undefined {
    this.sync(place.dotOrName);
    return this.kind === k.dot ? this.match(place.leadingDot) : undefined;
  }

  #call(form: CallForm): void {
    form.leadingDot = this.#leadingDot();
    form.name = this.match(place.functionName);
    form.open = this.match(place.functionOpen);
    this.sync(place.functionArgs);
    if (exprFirst.has(this.kind)) form.args = this.#args(place.functionArgList);
    this.match(place.functionClose);
  }

  #list(form: ListForm): void {
    form.open = this.match(place.listOpen);
    this.sync(place.listItems);
    if (optionalExprFirst.has(this.kind)) form.elements = this.#elements();
    this.sync(place.listEnd);
    if (this.kind === k.comma) this.match(place.listComma);
    this.match(place.listClose);
  }

  #map(form: MapForm): void {
    form.open = this.match(place.mapOpen);
    this.sync(place.mapItems);
    if (optionalExprFirst.has(this.kind)) form.entries = this.#entries();
    this.sync(place.mapEnd);
    if (this.kind === k.comma) this.match(place.mapComma);
    this.match(place.mapClose);
  }

  #message(form: MessageForm): void {
    form.leadingDot = this.#leadingDot();
    form.names.push(this.match(place.messageName) as Token);
    this.sync(place.messageMore);
    while (this.kind === k.dot) {
      this.match(place.messageDot);
      form.names.push(this.match(place.messageNextName) as Token);
      this.sync(place.messageMoreAgain, true);
    }
    form.open = this.match(place.messageOpen);
    this.sync(place.messageItems);
    if (fieldFirst.has(this.kind)) form.fields = this.#fields();
    this.sync(place.messageEnd);
    if (this.kind === k.comma) this.match(place.messageComma);
    this.match(place.messageClose);
  }

  #args(from: Place): (Concrete | undefined)[] {
    const args: (Concrete | undefined)[] = [];
    this.enter('args', from, follow.args);
    try {
      args.push(this.#expr(place.argFirst, follow.item));
      while (this.kind === k.comma) {
        this.match(place.argComma);
        args.push(this.#expr(place.argNext, follow.item));
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
    this.enter('elements', place.listItemList, follow.listElements);
    try {
      elements.push(this.#optional(place.elementFirst, follow.item));
      while (this.#continues(optionalExprFirst)) {
        this.match(place.elementComma);
        elements.push(this.#optional(place.elementNext, follow.item));
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('elements', place.listItemList);
    return elements;
  }

  #entries(): EntriesForm<OptionalForm> {
    const start = this.tokens.ahead(1);
    const form: EntriesForm<OptionalForm> = { start, keys: [], colons: [], values: [] };
    this.enter('entries', place.mapItemList, follow.entries);
    try {
      body: {
        for (;;) {
          form.keys.push(this.#optional(place.entryFirst, follow.key));
          form.colons.push(this.match(place.entryColon));
          form.values.push(this.#expr(place.entryValue, follow.item));
          if (!this.#continues(optionalExprFirst)) break body;
          this.match(place.entryComma);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('entries', place.mapItemList);
    return form;
  }

  #fields(): EntriesForm<FieldForm> {
    const start = this.tokens.ahead(1);
    const form: EntriesForm<FieldForm> = { start, keys: [], colons: [], values: [] };
    this.enter('fields', place.messageItemList, follow.entries);
    try {
      body: {
        for (;;) {
          form.keys.push(this.#field());
          form.colons.push(this.match(place.fieldColon));
          form.values.push(this.#expr(place.fieldValue, follow.item));
          if (!this.#continues(fieldFirst)) break body;
          this.match(place.fieldComma);
        }
      }
    } catch (error) {
      this.recover(error);
    }
    this.leave('fields', place.messageItemList);
    return form;
  }

  #field(): FieldForm {
    const form: FieldForm = { start: this.tokens.ahead(1) };
    this.enter('field', place.fieldFirst, follow.key);
    try {
      this.sync(place.optionalField);
      if (this.kind === k.question) form.optional = this.match(place.optionalFieldQuestion);
      form.name = this.#name(place.optionalFieldName, follow.end);
    } catch (error) {
      this.recover(error);
    }
    this.leave('field', place.fieldFirst);
    return form;
  }

  #name(from: Place, following: KindSet): Token | undefined {
    let name: Token | undefined;
    this.enter('name', from, following);
    try {
      this.sync(place.name);
      if (this.kind === k.identifier) name = this.match(place.nameSimple);
      else if (this.kind === k.escapedIdentifier) name = this.match(place.nameEscaped);
      else throw this.noAlternative(1);
    } catch (error) {
      this.recover(error);
    }
    this.leave('name', from);
    return name;
  }

  #optional(from: Place, following: KindSet): OptionalForm {
    const form: OptionalForm = { start: this.tokens.ahead(1) };
    this.enter('optional', from, following);
    try {
      this.sync(place.optionalExpr);
      if (this.kind === k.question) form.optional = this.match(place.optionalExprQuestion);
      form.value = this.#expr(place.optionalExprValue, follow.end);
    } catch (error) {
      this.recover(error);
    }
    this.leave('optional', from);
    return form;
  }

  #literal(): Concrete {
    const form: LiteralForm = { form: 'literal', start: this.tokens.ahead(1) };
    this.enter('literal', place.primaryLiteral, follow.end);
    try {
      this.sync(place.literal);
      if (this.kind === k.minus) {
        if (!isNumber(this.tokens.ahead(2).kind)) throw this.noAlternative(2);
        form.sign = this.match(place.literalToken);
      }
      form.token = this.match(place.literalToken);
    } catch (error) {
      this.recover(error);
    }
    this.leave('literal', place.primaryLiteral);
    return form.token === undefined ? { form: 'broken' } : form;
  }
}
