import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeKeptDocuments } from '../../../jobs/drafts/kept-documents.ts';
import { times, writeWorkbook } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const COLUMNS = ['name', 'requested_limit', 'supporting_documents', 'row', 'limitline_line', 'limitline_account'];
const KEY = 'row-key-16-chars';
const csv = (documents: string) => `${COLUMNS.join(',')}\nAlder GmbH,1,${documents},q9/${KEY},,x\n`;

/**
 * Takes the kept documents of an errors file. Its row has these documents, and those in `there` have stored content.
 */
async function take(file: string | Buffer, names: readonly string[], { there = names, came = [] as string[] } = {}) {
  const dir = await makeFolder();
  const [path, to] = [join(dir, 'v1'), join(dir, 'documents')];
  await mkdir(to);
  await writeFile(path, file);
  for (const name of there) await writeFile(join(dir, name), `kept ${name}`);
  for (const name of came) await writeFile(join(to, name), 'came');
  const documents = names.map((name) => ({ name, sha256: name, mediaType: 'application/pdf', sizeBytes: 1 }));
  const given = {
    to,
    came: came.map((name) => ({ name, sizeBytes: 4 })),
    meter: async () => {},
    maxDocumentMb: 1,
    drafts: { list: async () => [], dirOf: () => dir },
    rows: { read: async () => [{ request: { documents } }] as never },
    documents: { open: (sha256: string) => ({ path: join(dir, sha256), sizeBytes: 1 }) },
  };
  const kept = await takeKeptDocuments({ path, givenPath: 'q9-errors.csv' }, given);
  expect((await readdir(to)).sort()).toEqual([...came, ...kept.map(({ name }) => name)].sort());
  return kept.map(({ name }) => name);
}

// Promise: kept-documents-for-corrections
test.each([
  ['in another case', 'a.pdf', 'A.PDF'],
  ['in another Unicode form', 'ü.pdf'.normalize('NFC'), 'ü.pdf'.normalize('NFD')],
])('a document uploaded %s is not replaced by the kept one', async (_, name, other) => {
  expect(await take(csv(name), [name])).toEqual([name]);
  expect(await take(csv(name), [name], { came: [other] })).toEqual([]);
});

test('a document deleted while it is copied is left out, and the others are kept', async () => {
  expect(await take(csv('a.pdf|b.pdf'), ['a.pdf', 'b.pdf'], { there: ['b.pdf'] })).toEqual(['b.pdf']);
});

test('an errors file that is broken in the middle has no kept documents', async () => {
  const cells = (values: readonly string[]) => values.map((value) => `<c t="str"><v>${value}</v></c>`).join('');
  const row = () => `<row>${cells(['Alder GmbH', '1', 'a.pdf', `q9/${KEY}`, '', 'x'])}</row>`;
  const sheet = [`<row r="1">${cells(COLUMNS)}</row>`, ...times(3_000, row)];
  const path = join(await makeFolder(), 'errors.xlsx');
  const book = async (more: string[]) => readFile(await writeWorkbook(path, { sheet: [...sheet, ...more] }));
  expect(await take(await book([]), ['a.pdf'])).toEqual(['a.pdf']);
  expect(await take(await book(['<row r="5"><c><v>1</v></c></row>']), ['a.pdf'])).toEqual([]);
});
