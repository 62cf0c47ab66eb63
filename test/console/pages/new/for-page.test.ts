import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forPage } from '../../../../src/console/pages/new/mend-grid.ts';

test.each([
  [
    'Add it, or say with --map "HEADER=name" which column it is.',
    'Add it, or choose below which column is read as name.',
  ],
  [
    'If these are names, say with --map "HEADER=name" which column it is, and the same for requested_limit.',
    'If these are names, choose below which column is read as name, and the same for requested_limit.',
  ],
  [
    'say --map "Wert=" if it is Firma, or --map "Firma=" if it is Wert',
    'read Wert below as “not sent” if it is Firma, or Firma if it is Wert',
  ],
  [
    'If it is Wer, say --map "Wer=name" --map "Debitor="; else say --map "Wer=name" --map "Nr=buyer_reference".',
    'If it is Wer, read Wer below as name and Debitor as “not sent”; else read Wer below as name and Nr as buyer_reference.',
  ],
  [
    'The amount is open: say --decimal comma or --decimal point.',
    'The amount is open: choose “Decimals of amounts” below.',
  ],
  ['--same-buyer was not needed for line 4: nothing', '“It is the same buyer” was not needed for line 4: nothing'],
  ['name it with --encoding, such as cp850', 'choose its encoding below, such as cp850'],
  [
    'a.pdf is not in the documents folder /data/drafts/x/documents: put it there, or correct the name.',
    'a.pdf was not uploaded with the file: add it below, or correct the name.',
  ],
  [
    'It is not used as that unless you say so with --map "Handelsregister=company_registration_number".',
    'It is not used as that unless you choose so below.',
  ],
  [
    '2025/a.pdf is not in the documents folder /data/drafts/x/documents: put it there, or correct the name.',
    '2025/a.pdf was not uploaded with the file: upload the list again, with a ZIP file that has the folder, or correct the name.',
  ],
  ['If it belongs to that one, say --portfolio "q4".', 'If it belongs to that one, choose portfolio “q4” below.'],
  [
    'Import the file that report --format errors-csv writes, or your own.',
    'Import the file that “File to correct” on the portfolio’s page gives, or your own.',
  ],
])('the page shows in its own words: %s', (message, words) => {
  expect(forPage(message)).toBe(words);
});

test('no message about a file’s lines names a command-line option on the page', () => {
  const folder = join(import.meta.dirname, '../../../../src/portfolio');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sentences = sources
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((text) => !/^\s*(\/?\*|\/\/)/.test(text) && /['`].*--[a-z]/.test(text))
    .map((text) => text.replaceAll(/\$\{[^}]*line[^}]*\}/gi, '12').replaceAll(/\$\{[^}]*\}/g, 'NAME'));
  expect(sentences.length).toBeGreaterThan(10);
  // Exceptions: messages about a command’s own arguments, decisions and a supplier’s file; and an upload always has a
  // documents folder.
  const elsewhere =
    /--map ("\$\{arg\}"|"?NAME"? (says|names)|says|"Their|"HEADER)|(names|has) no (header|column)|--save-map|--supplier|errors-csv|with --documents DIR/;
  expect(sentences.map(forPage).filter((text) => /--[a-z]/.test(text) && !elsewhere.test(text))).toEqual([]);
});
