import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, type Html, type HtmlValue, html, isHtml, safeAddress } from '../../../src/console/html/html.ts';

/** Calls the tag with a template made at run time, because the types would not allow a wrong value. */
const made = (...pieces: string[]) => {
  const strings = Object.assign(pieces, { raw: pieces }) as unknown as TemplateStringsArray;
  return html(strings, ...pieces.slice(1).map(() => 'x'));
};

describe('inserted values', () => {
  test.each<[HtmlValue, string]>([
    ['<b>&"\'', '&lt;b&gt;&amp;&quot;&#39;'],
    ['a\u0000b', 'a\uFFFDb'],
    [12, '12'],
    [12n, '12'],
    [0, '0'],
    [null, ''],
    [undefined, ''],
    [false, ''],
    [true, ''],
    [[1, ['<', null]], '1&lt;'],
    [html`<b>${'<'}</b>`, '<b>&lt;</b>'],
  ])('the value %o in text', (value, markup) => {
    expect(html`<p>${value}</p>`.markup).toBe(`<p>${markup}</p>`);
  });

  test.each<[HtmlValue, string]>([
    ['a" onclick="b', ' title="a&quot; onclick=&quot;b"'],
    [['a', false, '', 'b'], ' title="a b"'],
    [false, ''],
    [null, ''],
    [undefined, ''],
    [true, ' title=""'],
    ['', ' title=""'],
    [0, ' title="0"'],
  ])('%j as the whole value of an attribute is escaped, or removes the attribute', (value, markup) => {
    expect(html`<p title="${value}">x</p>`.markup).toBe(`<p${markup}>x</p>`);
    expect(html`<p title='${value}'>x</p>`.markup).toBe(`<p${markup}>x</p>`);
  });

  test('values inside an attribute are escaped, and single quotation marks become double ones', () => {
    expect(html`<p class="a ${false} ${'b"'}" id='"'>x</p>`.markup).toBe('<p class="a  b&quot;" id="&quot;">x</p>');
  });

  test('a value in a textarea is escaped, and markup in a title is refused', () => {
    expect(html`<textarea>${'</textarea><script>'}</textarea>`.markup).toBe(
      '<textarea>&lt;/textarea&gt;&lt;script&gt;</textarea>',
    );
    expect(() => html`<title>${html`<b>x</b>`}</title>`).toThrow(/given markup/);
  });

  test('a value that is no text, number or markup is refused, also if it resembles markup', () => {
    for (const value of [{}, { markup: '<script>' }, new Date(), () => '', Promise.resolve('')]) {
      expect(() => html`<p>${value as unknown as Html}</p>`).toThrow(TypeError);
      expect(() => html`<p title="${value as unknown as Html}">x</p>`).toThrow(TypeError);
    }
    expect(() => html`<p title="${html`<b>x</b>`}">x</p>`).toThrow(/given markup/);
    expect(isHtml(JSON.parse('{"markup":"<script>"}'))).toBe(false);
  });
});

test('indentation of a template is removed, except where space counts', () => {
  expect(made('<div>\n    <p>a  b</p>\n\n    <pre>  a\n   b</pre>\n  <textarea>\n  a</textarea></div>').markup).toBe(
    '<div>\n<p>a  b</p>\n<pre>  a\n   b</pre>\n<textarea>\n  a</textarea></div>',
  );
});

describe('places where a value is refused', () => {
  test.each<[string, ...string[]]>([
    ['an unquoted value', '<p class=', '>x</p>'],
    ['the name of a tag', '<', '>x</p>'],
    ['the name of an end tag', '<p>x</', '>'],
    ['the name of an attribute', '<p ', '="a">x</p>'],
    ['a part of a name', '<p data-', '="a">x</p>'],
    ['between attributes', '<p a="b" ', '>x</p>'],
    ['a comment', '<!-- ', ' -->'],
    ['a script', '<script src="/a.js">', '</script>'],
    ['a style', '<style>', '</style>'],
    ['a style attribute', '<p style="', '">x</p>'],
    ['a handler', '<p onclick="', '">x</p>'],
    ['a handler in upper case', '<p ONCLICK="', '">x</p>'],
    ['a document in an attribute', '<p srcdoc="', '">x</p>'],
    ['a srcset', '<img srcset="', '">'],
    ['the kind of a meta element', '<meta http-equiv="', '">'],
  ])('a value is refused here: %s', (_where, ...pieces) => {
    expect(() => made(...pieces)).toThrow(TypeError);
  });

  test.each([
    ['a value without quotation marks', '<p class=a>x</p>'],
    ['an inline script', '<script>alert(1)</script>'],
    ['a script with a source and content', '<script src="/a.js">alert(1)</script>'],
    ['a style', '<style>p{}</style>'],
    ['a handler', '<p onclick="x()">x</p>'],
    ['a frame', '<iframe src="/a"></iframe>'],
    ['a base', '<base href="/">'],
    ['an element that is not closed', '<p><b>x</p>'],
    ['an end tag without a start tag', 'x</p>'],
    ['a div without an end tag', '<div><p>x</p>'],
    ['a lone <', 'a < b'],
    ['a NUL character', '<p>\u0000</p>'],
  ])('a template with %s is refused', (_what, template) => {
    expect(() => made(template)).toThrow(TypeError);
  });

  test('the error shows the refused place', () => {
    expect(() => made('<p class=', '>x</p>')).toThrow(
      /attributes with quotation marks in <p>, near: {2}class=⟨hole⟩>x/,
    );
  });

  test('valid HTML and SVG is written unchanged', () => {
    const template =
      '<!doctype html><!-- a --><input type="text" required><br><img src="/a.png" alt=\'\'><svg viewBox="0 0 1 1"><path d="M0 0"/></svg><script src="/a.js" type="module"></script>';
    expect(made(template).markup).toBe(template.replace("alt=''", 'alt=""').replace('"/></svg>', '"></path></svg>'));
  });
});

describe('addresses', () => {
  test.each([
    '/',
    '/a?b=c#d',
    '#top',
    '?a=b',
    '',
    'https://example.com',
    'http://localhost:3000/x',
    'mailto:a@b.example',
  ])('%j is a safe address', (address) => {
    expect(safeAddress(address)).toBe(true);
    expect(html`<a href="${address}">x</a>`.markup).toContain(`href="${escapeHtml(address)}"`);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https:///evil.example',
    'evil.example',
  ])('%j becomes about:invalid', (address) => {
    for (const piece of [
      html`<a href="${address}">x</a>`,
      html`<form action="${address}"></form>`,
      html`<button formaction="${address}">x</button>`,
      html`<img src="${address}" alt="">`,
      html`<svg><a xlink:href="${address}">x</a></svg>`,
    ]) {
      expect(piece.markup).toContain('="about:invalid"');
    }
  });

  test('an address made of several parts is checked as a whole', () => {
    expect(html`<a href="/${'/evil.example'}">x</a>`.markup).toContain('about:invalid');
    expect(html`<a href="${'java'}script:alert(1)">x</a>`.markup).toContain('about:invalid');
    expect(html`<a href="/rows/${'a b'}?x=${1}">x</a>`.markup).toContain('href="/rows/a b?x=1"');
  });
});

test('no inserted text becomes a tag, leaves its attribute or is lost', () => {
  const plain = (text: string) =>
    text.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_all, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as string] ?? '',
    );
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'<>&"\'=/ \n`{}script!-') }),
      (first, second) => {
        const { markup } = html`<p title="${first}${second}" class='${second}x'>${second}${first}</p>`;
        const match = /^<p title="([^"<>]*)" class="([^"<>]*)">([^<>]*)<\/p>$/.exec(markup);
        const clean = (text: string) => text.replaceAll('\u0000', '\uFFFD');
        expect(match?.slice(1).map(plain)).toEqual([first + second, `${second}x`, second + first].map(clean));
      },
    ),
  );
});
