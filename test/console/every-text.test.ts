import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { marked, untranslated } from '../texts/untranslated.ts';

// Promises: texts-in-one-catalogue, language-is-a-second-file
test('every text of every page, as each role is shown it, is looked up in the catalogue, unless it is data', () => {
  const main = join(import.meta.dirname, '../golden/main.ts');
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-semi-space-size=64', main, '--texts'], {
    encoding: 'utf8',
  });
  expect({ untranslated: stdout.split('\n').filter(Boolean), stderr }).toEqual({ untranslated: [], stderr: '' });
});

test('a text that was not looked up is found, also within one that was and in an attribute; data and marked texts are not', () => {
  const line = marked('Held in <0>{0}</0> since {1}').replace('{0}', 'q4').replace('{1}', 'a while');
  const page = `<p title="Held">${line.replace(/<0>|<\/0>/g, '')}</p><bdi>Some name</bdi><td data-head="⟦Id⟧">bl_12</td>`;
  expect(untranslated(page)).toEqual(['p title: Held', 'p: q4 a while']);
});
