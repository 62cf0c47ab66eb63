import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { marked, untranslated } from '../texts/untranslated.ts';

// Promises: texts-in-one-catalogue, language-is-a-second-file
test('every text of every page, for each role, comes from the catalogue unless it is data', () => {
  const main = join(import.meta.dirname, '../golden/main.ts');
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-semi-space-size=64', main, '--texts'], {
    encoding: 'utf8',
  });
  expect({ untranslated: stdout.split('\n').filter(Boolean), stderr }).toEqual({ untranslated: [], stderr: '' });
});

test('untranslated() finds a text outside the catalogue, also inside another and in an attribute, and ignores data', () => {
  const line = marked('Held in <0>{0}</0> since {1}').replace('{0}', 'q4').replace('{1}', 'a while');
  const page = `<p title="Held">${line.replace(/<0>|<\/0>/g, '')}</p><bdi>Some name</bdi><td data-head="⟦Id⟧">bl_12</td>`;
  expect(untranslated(page)).toEqual(['p title: Held', 'p: q4 a while']);
});
