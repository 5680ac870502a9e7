/**
 * Links in pages that come through a proxy, as they are followed through it:
 *
 *     <a href="/login">   ─▶   <a href="/api/v1/namespaces/a/pods/b/proxy/login">
 *
 * Invariants: of a page that is written in another way than this understands, and of all that is no
 * such link, not one byte changes. Whatever the page is encoded in: what counts is ASCII. Bounds: a
 * link of more than `linkMax` characters stays as it is; of a page nothing else is held. A packed
 * page unpacks to at most `unpackedBytesMax`.
 *
 * Elsewhere: where a link leads (relocated.ts).
 */
import { pipeline, Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Tokenizer } from 'htmlparser2';

export const pageLimits = {
  /** Policy: it stays as it is. */
  linkMax: 8 * 1024,
  /** Policy: the answer breaks off there. */
  unpackedBytesMax: 64 * 1024 * 1024,
} as const;

/** Of no element or attribute that counts here is longer. */
const nameMax = 16;

/** The attributes that hold one address, by element. */
const linkAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['applet', ['codebase']],
  ['area', ['href']],
  ['audio', ['src']],
  ['base', ['href']],
  ['blockquote', ['cite']],
  ['body', ['background']],
  ['button', ['formaction']],
  ['command', ['icon']],
  ['del', ['cite']],
  ['embed', ['src']],
  ['form', ['action']],
  ['frame', ['longdesc', 'src']],
  ['head', ['profile']],
  ['html', ['manifest']],
  ['iframe', ['longdesc', 'src']],
  ['img', ['longdesc', 'src', 'usemap']],
  ['input', ['formaction', 'src', 'usemap']],
  ['ins', ['cite']],
  ['link', ['href']],
  ['object', ['classid', 'codebase', 'data', 'usemap']],
  ['q', ['cite']],
  ['script', ['src']],
  ['source', ['src']],
  ['video', ['poster', 'src']],
]);

/** Where a link leads through the proxy. */
export type Relocate = (link: string) => string;

/** How the body of an answer becomes one whose links lead through the proxy. Undefined: it is no
 * page, or packed in a way that is not known here. */
export function pageRewriting(
  contentType: string,
  contentEncoding: string,
  relocate: Relocate,
): ((body: Readable) => Readable) | undefined {
  if (!/^\s*text\/html\s*(?:;|$)/i.test(contentType)) return undefined;
  switch (contentEncoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return (body) => pipeline(body, rewriting(relocate), ignored);
    case 'gzip':
    case 'x-gzip':
      return (body) =>
        pipeline(body, createGunzip(), bounded(), rewriting(relocate), createGzip(), ignored);
    default:
      return undefined;
  }
}

/** The last stream of a pipeline says so too. */
const ignored = (): void => undefined;

function rewriting(relocate: Relocate): Transform {
  const page = createLinkRewriter(relocate);
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      done(null, page.push(piece));
    },
    flush(done) {
      done(null, page.end());
    },
  });
}

function bounded(): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes <= pageLimits.unpackedBytesMax) done(null, piece);
      else done(new Error(`the page unpacks to more than ${pageLimits.unpackedBytesMax} bytes`));
    },
  });
}

export interface LinkRewriter {
  /** What can be said of the page behind this piece of it. */
  push(piece: Uint8Array): Buffer;
  /** The rest. */
  end(): Buffer;
}

export function createLinkRewriter(relocate: Relocate): LinkRewriter {
  /** The page from `windowFrom` on: what is held back, and before it a name that may go on. */
  let window = '';
  let windowFrom = 0;
  /** What has come, and how much of it has been passed on. */
  let end = 0;
  let passed = 0;
  let out: string[] = [];
  const part = (from: number, to: number): string =>
    from < windowFrom ? '' : window.slice(from - windowFrom, to - windowFrom);
  const pass = (to: number): void => {
    out.push(part(passed, to));
    passed = to;
  };
  const links = readLinks(part, (from, to) => {
    pass(from);
    out.push(quotable(relocate(part(from, to))));
    passed = to;
  });
  const taken = (): Buffer => {
    const text = out.join('');
    out = [];
    return Buffer.from(text, 'latin1');
  };
  return {
    push(piece) {
      const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
      window += text;
      end += text.length;
      pass(links.read(text, end) ?? end);
      const keptFrom = Math.max(windowFrom, Math.min(passed, end - nameMax));
      window = window.slice(keptFrom - windowFrom);
      windowFrom = keptFrom;
      return taken();
    },
    end() {
      links.end();
      pass(end);
      return taken();
    },
  };
}

interface Links {
  /** More of the page, up to `end`. Returns where a link begins that has not ended. */
  read(text: string, end: number): number | undefined;
  end(): void;
}

/** Finds links, by their places in the page; `part` is what stands there. */
function readLinks(
  part: (from: number, to: number) => string,
  found: (from: number, to: number) => void,
): Links {
  let attributes: readonly string[] = [];
  let isLink = false;
  let link: { from: number; to: number } | undefined;
  const name = (from: number, to: number): string =>
    to - from > nameMax ? '' : part(from, to).toLowerCase();
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(from, to) {
        attributes = linkAttributes.get(name(from, to)) ?? [];
      },
      onattribname(from, to) {
        isLink = attributes.length > 0 && attributes.includes(name(from, to));
        link = undefined;
      },
      onattribdata(from, to) {
        if (isLink) link = { from: link?.from ?? from, to };
      },
      onattribend() {
        if (link !== undefined && link.to - link.from <= pageLimits.linkMax) {
          found(link.from, link.to);
        }
        isLink = false;
        link = undefined;
      },
      onattribentity: nothing,
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  );
  return {
    read(text, end) {
      tokenizer.write(text);
      if (link !== undefined && end - link.from > pageLimits.linkMax) {
        isLink = false;
        link = undefined;
      }
      return link?.from;
    },
    end: () => tokenizer.end(),
  };
}

/** It stays within its quotes, whichever they are. */
function quotable(link: string): string {
  return link.replaceAll(/["'<>]/g, (each) => `&#${each.charCodeAt(0)};`);
}
