/**
 * The grammar of YAML over its tokens: reports to a `YamlEvents` what the one document of a body
 * holds.
 *
 * Invariants: it keeps its own stack, so nesting costs no call stack and the work can stop after
 * any step; every step takes a token or leaves a state, and asks for a few tokens at most; the
 * first error ends it (YamlRefusal).
 * Source: the YAML 1.1 specification, chapter 4 and its productions.
 */
import { YamlRefusal } from './yaml-cursor.ts';
import { fullTag, newTagHandles, takeDirective } from './yaml-tags.ts';
import { token } from './yaml-tokens.ts';
import type { Token, TokenKind, TokenReader } from './yaml-tokens.ts';

/** What stands before a node: full tag and anchor, where given. */
export interface NodeProperties {
  readonly tag: string | undefined;
  readonly anchor: string | undefined;
}

export interface YamlEvents {
  alias(name: string): void;
  /** `plain`: without quotes, so that its text decides what it is. `line`: in which it begins, from
   * 0. */
  scalar(text: string, plain: boolean, properties: NodeProperties, line: number): void;
  startSequence(properties: NodeProperties): void;
  startMapping(properties: NodeProperties): void;
  /** Of the innermost sequence or mapping. */
  end(): void;
  /** False: what was reported is not worked off, and nothing may be reported before it is. */
  proceed(): boolean;
}

const state = {
  document: 0,
  documentEnd: 1,
  blockEntry: 2,
  indentlessEntry: 3,
  blockKey: 4,
  blockValue: 5,
  flowFirstEntry: 6,
  flowEntry: 7,
  pairKey: 8,
  pairValue: 9,
  pairEnd: 10,
  flowFirstKey: 11,
  flowKey: 12,
  flowValue: 13,
  flowNoValue: 14,
  directives: 15,
  documentStart: 16,
} as const;
type State = (typeof state)[keyof typeof state];

const none: NodeProperties = { tag: undefined, anchor: undefined };

export class YamlGrammar {
  readonly #tokens: TokenReader;
  readonly #events: YamlEvents;
  /** What comes after what is being read, innermost last. */
  readonly #states: State[] = [state.document];
  #handles = newTagHandles();
  #documents = 0;

  constructor(tokens: TokenReader, events: YamlEvents) {
    this.#tokens = tokens;
    this.#events = events;
  }

  /** At most so many steps, or about so many characters, or a part of a long scalar; true at the
   * end of the text. */
  run(steps: number, characters = Infinity): boolean {
    const end = this.#tokens.position + characters;
    for (let step = 0; step < steps && this.#tokens.position < end; step += 1) {
      if (!this.#tokens.readAhead() || !this.#events.proceed()) return false;
      const next = this.#states.pop();
      if (next === undefined) return true;
      this.#step(next);
    }
    return this.#states.length === 0;
  }

  #step(next: State): void {
    switch (next) {
      case state.document:
        return this.#document();
      case state.directives:
        return this.#directives();
      case state.documentStart:
        return this.#documentStart(true);
      case state.documentEnd:
        return this.#documentEnd();
      case state.blockEntry:
        return this.#blockEntry();
      case state.indentlessEntry:
        return this.#indentlessEntry();
      case state.blockKey:
        return this.#blockKey();
      case state.blockValue:
        return this.#blockValue();
      case state.flowFirstEntry:
      case state.flowEntry:
        return this.#flowEntry(next === state.flowFirstEntry);
      case state.pairKey:
        return this.#pairKey();
      case state.pairValue:
        return this.#pairValue();
      case state.pairEnd:
        this.#events.end();
        return this.#then(state.flowEntry);
      case state.flowFirstKey:
      case state.flowKey:
        return this.#flowKey(next === state.flowFirstKey);
      case state.flowValue:
        return this.#flowValue();
      case state.flowNoValue:
        this.#empty();
        return this.#then(state.flowKey);
    }
  }

  #then(next: State): void {
    this.#states.push(next);
  }

  #empty(): void {
    this.#events.scalar('', true, none, this.#tokens.peek().place.line);
  }

  #next(): TokenKind {
    return this.#tokens.peek().kind;
  }

  /** Takes a token of this kind, if it is the next. */
  #take(kind: TokenKind): boolean {
    if (this.#next() !== kind) return false;
    this.#tokens.skip();
    return true;
  }

  #expected(what: string): YamlRefusal {
    return this.#tokens.invalid(`did not find the expected ${what}`, this.#tokens.peek());
  }

  #document(): void {
    if (this.#take(token.documentEnd)) return this.#then(state.document);
    if (this.#next() === token.directive) return this.#then(state.directives);
    this.#documentStart(false);
  }

  #directives(): void {
    const next = this.#tokens.peek();
    if (next.kind !== token.directive) return this.#then(state.documentStart);
    if (!takeDirective(next.text, this.#handles)) {
      throw this.#tokens.invalid('found a directive that is not supported', next);
    }
    this.#tokens.skip();
    this.#then(state.directives);
  }

  #documentStart(declared: boolean): void {
    if (!this.#take(token.documentStart)) {
      if (declared) throw this.#expected('start of a document');
      if (this.#next() === token.streamEnd) return;
      // Only the first document of a text begins without a marker.
      if (this.#documents > 0) throw this.#expected('start of a document');
    }
    // A marker with nothing behind it begins no second document.
    if (this.#startsDocument()) return this.#then(state.document);
    if (this.#documents > 0) throw new YamlRefusal('the body holds more than one YAML document');
    this.#documents += 1;
    this.#then(state.documentEnd);
    this.#node(true, false);
  }

  #startsDocument(): boolean {
    const kind = this.#next();
    return (
      kind === token.streamEnd ||
      kind === token.documentStart ||
      kind === token.documentEnd ||
      kind === token.directive
    );
  }

  #documentEnd(): void {
    if (!this.#startsDocument()) throw this.#expected('start of a document');
    this.#handles = newTagHandles();
    this.#then(state.document);
  }

  /** One node, or its beginning: what is in it comes by the states that are pushed. */
  #node(block: boolean, indentless: boolean): void {
    const first = this.#tokens.peek();
    if (first.kind === token.alias) {
      this.#tokens.skip();
      return this.#events.alias(first.text);
    }
    const starts = first.kind === token.anchor || first.kind === token.tag;
    const properties = starts ? this.#properties() : none;
    const next = this.#tokens.peek();
    switch (next.kind) {
      case token.plainScalar:
      case token.scalar:
        this.#tokens.skip();
        return this.#scalar(next, properties);
      case token.flowSequence:
        return this.#start(state.flowFirstEntry, properties);
      case token.flowMapping:
        return this.#start(state.flowFirstKey, properties);
      case token.blockSequence:
        if (block) return this.#start(state.blockEntry, properties);
        break;
      case token.blockMapping:
        if (block) return this.#start(state.blockKey, properties);
        break;
      case token.blockEntry:
        if (!indentless) break;
        this.#events.startSequence(properties);
        return this.#then(state.indentlessEntry);
      default:
    }
    if (!starts) throw this.#expected('content');
    this.#events.scalar('', true, properties, next.place.line);
  }

  #scalar({ kind, place, text }: Token, properties: NodeProperties): void {
    this.#events.scalar(text, kind === token.plainScalar, properties, place.line);
  }

  #start(inside: State, properties: NodeProperties): void {
    this.#tokens.skip();
    const sequence = inside === state.blockEntry || inside === state.flowFirstEntry;
    if (sequence) this.#events.startSequence(properties);
    else this.#events.startMapping(properties);
    this.#then(inside);
  }

  #properties(): NodeProperties {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const next = this.#tokens.peek();
      if (next.kind === token.anchor && anchor === undefined) anchor = next.text;
      else if (next.kind === token.tag && tag === undefined) tag = this.#resolveTag(next);
      else return { tag, anchor };
      this.#tokens.skip();
    }
  }

  #resolveTag(at: Token): string {
    const tag = fullTag(at.text, this.#handles);
    if (tag === undefined) throw this.#tokens.invalid('found a tag of no declared handle', at);
    return tag;
  }

  #blockEntry(): void {
    if (this.#take(token.blockEntry)) {
      this.#then(state.blockEntry);
      const next = this.#next();
      if (next === token.blockEntry || next === token.blockEnd) return this.#empty();
      return this.#node(true, false);
    }
    if (!this.#take(token.blockEnd)) throw this.#expected("'-' or end of the sequence");
    this.#events.end();
  }

  /** Items at the column of the key that they belong to. */
  #indentlessEntry(): void {
    if (!this.#take(token.blockEntry)) return this.#events.end();
    this.#then(state.indentlessEntry);
    const next = this.#next();
    if (next === token.blockEntry || endsBlockValue(next)) return this.#empty();
    this.#node(true, false);
  }

  #blockKey(): void {
    if (this.#take(token.key)) {
      this.#then(state.blockValue);
      if (endsBlockValue(this.#next())) return this.#empty();
      return this.#node(true, true);
    }
    // A value without a key: the key is null.
    if (this.#next() === token.value) {
      this.#then(state.blockValue);
      return this.#empty();
    }
    if (!this.#take(token.blockEnd)) throw this.#expected('key');
    this.#events.end();
  }

  #blockValue(): void {
    this.#then(state.blockKey);
    if (!this.#take(token.value) || endsBlockValue(this.#next())) return this.#empty();
    this.#node(true, true);
  }

  #flowEntry(first: boolean): void {
    if (this.#take(token.flowSequenceEnd)) return this.#events.end();
    if (!first && !this.#take(token.flowEntry)) throw this.#expected("',' or ']'");
    if (this.#take(token.flowSequenceEnd)) return this.#events.end();
    if (this.#take(token.key)) {
      this.#events.startMapping(none);
      return this.#then(state.pairKey);
    }
    this.#then(state.flowEntry);
    this.#node(false, false);
  }

  #pairKey(): void {
    this.#then(state.pairValue);
    const next = this.#next();
    if (next === token.value || endsFlowValue(next)) return this.#empty();
    this.#node(false, false);
  }

  #pairValue(): void {
    this.#then(state.pairEnd);
    if (!this.#take(token.value) || endsFlowValue(this.#next())) return this.#empty();
    this.#node(false, false);
  }

  #flowKey(first: boolean): void {
    if (this.#take(token.flowMappingEnd)) return this.#events.end();
    if (!first && !this.#take(token.flowEntry)) throw this.#expected("',' or '}'");
    if (this.#take(token.flowMappingEnd)) return this.#events.end();
    const keyed = this.#take(token.key);
    const next = this.#next();
    this.#then(keyed || next === token.value ? state.flowValue : state.flowNoValue);
    if (next === token.value || (keyed && endsFlowValue(next))) return this.#empty();
    this.#node(false, false);
  }

  #flowValue(): void {
    this.#then(state.flowKey);
    if (!this.#take(token.value) || endsFlowValue(this.#next())) return this.#empty();
    this.#node(false, false);
  }
}

function endsBlockValue(kind: TokenKind): boolean {
  return kind === token.key || kind === token.value || kind === token.blockEnd;
}

function endsFlowValue(kind: TokenKind): boolean {
  return (
    kind === token.flowEntry || kind === token.flowSequenceEnd || kind === token.flowMappingEnd
  );
}
