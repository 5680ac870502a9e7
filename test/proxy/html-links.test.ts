/** Links of pages lead through the proxy; of all else not one byte changes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { createLinkRewriter, pageLimits, pageRewriting } from '../../src/proxy/html-links.ts';

const through = (link: string): string => (link.startsWith('/') ? `/proxy${link}` : link);

/** `cuts`: after how many bytes a piece ends. */
function rewritten(page: string | Buffer, cuts: readonly number[] = []): Buffer {
  const bytes = Buffer.from(page);
  const rewriter = createLinkRewriter(through);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    pieces.push(rewriter.push(bytes.subarray(from, from + cut)));
    from = Math.min(from + cut, bytes.length);
  }
  pieces.push(rewriter.end());
  return Buffer.concat(pieces);
}

const pages: readonly (readonly [title: string, page: string, expected: string])[] = [
  ['a link', '<a href="/x">y</a>', '<a href="/proxy/x">y</a>'],
  ['whatever the quotes', `<a href='/x'><a href=/y z>`, `<a href='/proxy/x'><a href=/proxy/y z>`],
  ['whatever the case', '<A HREF = "/x">', '<A HREF = "/proxy/x">'],
  [
    'more than one of an element',
    '<img src="/a" longdesc="/b">',
    '<img src="/proxy/a" longdesc="/proxy/b">',
  ],
  ['of an element that ends itself', '<link href="/a"/>', '<link href="/proxy/a"/>'],
  ['not a relative one', '<a href="x">', '<a href="x">'],
  ['not an empty one', '<a href=""><a href>', '<a href=""><a href>'],
  ['not of another attribute', '<a title="/x" hreflang="/y">', '<a title="/x" hreflang="/y">'],
  ['not of another element', '<p href="/x">', '<p href="/x">'],
  ['not in a comment', '<!-- <a href="/x"> -->', '<!-- <a href="/x"> -->'],
  [
    'not in a program',
    '<script>"<a href=\\"/x\\">"</script>',
    '<script>"<a href=\\"/x\\">"</script>',
  ],
  ['a program has one', '<script src="/x"></script>', '<script src="/proxy/x"></script>'],
  ['not in a text', 'a href="/x" <', 'a href="/x" <'],
  ['a page that ends in it', '<a href="/x', '<a href="/x'],
];

describe('links of pages', () => {
  for (const [title, page, expected] of pages) {
    it(`${title}, in however many pieces they come`, () => {
      assert.equal(rewritten(page).toString(), expected);
      assert.equal(rewritten(page, Array<number>(page.length).fill(1)).toString(), expected);
    });
  }

  it('what is written instead stays within its quotes', () => {
    const rewriter = createLinkRewriter(() => `/a'b"c<d>`);
    const bytes = Buffer.concat([rewriter.push(Buffer.from('<a href="/x">')), rewriter.end()]);
    assert.equal(bytes.toString(), '<a href="/a&#39;b&#34;c&#60;d&#62;">');
  });

  it('a long one stays as it is, and is not waited for', () => {
    const long = `/${'x'.repeat(pageLimits.linkMax)}`;
    const page = `<a href="${long}"><a href="/y">`;
    const expected = `<a href="${long}"><a href="/proxy/y">`;
    assert.equal(rewritten(page).toString(), expected);
    assert.equal(rewritten(page, Array<number>(20).fill(1_000)).toString(), expected);
    const rewriter = createLinkRewriter(through);
    assert.equal(rewriter.push(Buffer.from(`<a href="${long}`)).length, 9 + long.length);
  });

  it('bytes that are no text, or of another encoding, are passed on as they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(9)), (bytes, cuts) => {
        const page = Buffer.concat([Buffer.from('<b>'), bytes, Buffer.from('<a href="x">')]);
        const changed = createLinkRewriter((link) => link.replace(/^/, ''));
        const once = Buffer.concat([changed.push(page), changed.end()]);
        assert.deepEqual(rewritten(page, cuts), rewritten(page));
        if (!/["'<>]/.test(page.subarray(3, -12).toString('latin1'))) {
          assert.deepEqual(once, page);
        }
      }),
    );
  });

  it('are the same however the page is cut', () => {
    const words = fc.constantFrom(
      '<a ',
      'href=',
      '"/x"',
      "'/y'",
      '>',
      ' ',
      '<!--',
      '-->',
      '</a',
      'src',
      '<img',
      '/z',
      '=',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), fc.array(fc.nat(7)), (parts, cuts) => {
        const page = parts.join('');
        assert.equal(rewritten(page, cuts).toString(), rewritten(page).toString());
      }),
      { numRuns: 500 },
    );
  });
});

describe('pages', () => {
  const page = Buffer.from('<a href="/x">'.repeat(1_000));
  const expected = '<a href="/proxy/x">'.repeat(1_000);

  it('are what says that it is HTML, packed or not', async () => {
    const plain = pageRewriting('text/html; charset=utf-8', '', through);
    assert.ok(plain);
    assert.equal((await buffer(plain(Readable.from([page])))).toString(), expected);
    const packed = pageRewriting('Text/HTML', 'GZIP', through);
    assert.ok(packed);
    const bytes = await buffer(packed(Readable.from([gzipSync(page)])));
    assert.equal(gunzipSync(bytes).toString(), expected);
  });

  it('in another form are left alone', () => {
    assert.equal(pageRewriting('text/htmlx', '', through), undefined);
    assert.equal(pageRewriting('application/json', '', through), undefined);
    assert.equal(pageRewriting('', '', through), undefined);
    assert.equal(pageRewriting('text/html', 'br', through), undefined);
  });

  it('that unpack to too much break off, as those that cannot be unpacked', async () => {
    const packed = pageRewriting('text/html', 'gzip', through);
    assert.ok(packed);
    const bomb = gzipSync(Buffer.alloc(pageLimits.unpackedBytesMax + 1));
    await assert.rejects(buffer(packed(Readable.from([bomb]))), /unpacks to more/);
    await assert.rejects(buffer(packed(Readable.from([page]))), /header check/);
  });

  it('whose source goes break off', async () => {
    const plain = pageRewriting('text/html', '', through);
    const source = new Readable({ read: () => undefined });
    const body = plain?.(source);
    assert.ok(body);
    const failed = once(body, 'error');
    source.destroy(new Error('gone'));
    assert.match(String(await failed), /gone/);
  });
});
