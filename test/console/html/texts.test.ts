import { expect, test, vi } from 'vitest';
import { translateScript } from '../../../src/console/html/translate-template.ts';
import { addMessages } from '../../texts/messages.ts';

/** The console’s functions in a fresh process that uses this language. */
async function speaking(messages: Record<string, string>) {
  vi.resetModules();
  const texts = await import('../../../src/console/html/html.ts');
  texts.speak((message) => messages[message] ?? message);
  const { html } = await import('../../../src/console/html/html.ts');
  return { ...texts, html };
}

// Promises: places-in-any-order, language-is-a-second-file
test('a translation may reorder the places and elements of a sentence, and data stays unchanged', async () => {
  const { html, t, countWords } = await speaking({
    'Held in <0>{0}</0> since {1}': 'Seit {1} in <0>{0}</0> gehalten',
    'Line {0} of {1}': '{1}, Zeile {0}',
    '{0} row': '{0} Zeile',
    '{0} rows': '{0} Zeilen',
    Name: 'Firma',
  });
  expect(html`<p>Held in <b class="${'big'}">${'Name'}</b> since ${html`<i>${1}</i>`}</p>`.markup).toBe(
    '<p>Seit <i>1</i> in <b class="big">Name</b> gehalten</p>',
  );
  expect(
    html`<a href="/Name" title="Name">
    Name
  </a><b>Name</b> <code>Name</code>${'Name'}`.markup,
  ).toBe('<a href="/Name" title="Firma">\nFirma\n</a><b>Firma</b> <code>Name</code>Name');
  expect(t`Line ${3} of ${'{0}'}`).toBe('{0}, Zeile 3');
  expect([countWords(1, 'row'), countWords(1200, 'row')]).toEqual(['1 Zeile', '1,200 Zeilen']);
});

test('texts of scripts are translated as source text, and a translation cannot become code', () => {
  const said: Record<string, string> = { '{0} of {1} MB': `{1} MB: \`{0}\` \${x}`, Copied: 'Kopiert' };
  const source = `a = t\`Copied\`; b = t\`\${f(a)} of \${b} MB\`; c = \`Copied\`;`;
  expect(translateScript(source, (message) => said[message] ?? message)).toBe(
    `a = t\`Kopiert\`; b = t\`\${b} MB: \\\`\${f(a)}\\\` \\\${x}\`; c = \`Copied\`;`,
  );
});

test('markup in a translation is checked like that of a template', async () => {
  const { html } = await speaking({ Name: '<b onclick="x()">Firma</b>' });
  expect(() => html`<p>Name</p>`).toThrow(/the attribute onclick/);
});

test('speak() throws after the first text was read', async () => {
  const { t, speak } = await speaking({});
  expect(t`Name`).toBe('Name');
  expect(() => speak((message) => message)).toThrow(/before the console is imported/);
});

test('messages are found in templates, tagged texts and counts, and text without letters is none', () => {
  const found: string[] = [];
  const source = `html\`<p title="\${a}">A <b>\${b}</b><small>c</small>·</p><input placeholder="D \${d}"><code>x</code>\`;
    t\`E \${e}\`; countWords(n, 'file'); countWords(n, 'entry', isNew ? 'new entries' : 'entries'); other\`F\`;`;
  addMessages('a.ts', source, (message) => found[found.push(message) - 1] ?? '');
  expect(found).toEqual([
    'A <0>{0}</0>',
    'c',
    'D {0}',
    'E {0}',
    '{0} file',
    '{0} files',
    '{0} entry',
    '{0} new entries',
    '{0} entries',
  ]);
});
