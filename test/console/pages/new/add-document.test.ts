import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, sendFilesTo, uploadTo } from '../../../support/desk.ts';
import { writeZip } from '../../../support/zip-file.ts';

const PDF = '%PDF-1.4\n%EOF\n';
const CSV = `name,country_code,requested_limit,supporting_documents
Alder GmbH,DE,1000,Audit 2025.pdf
Birch GmbH,DE,much,other.pdf
`;

// Promise: document-added-to-upload
test('a missing document is added to an upload without losing what was corrected, and the nearest name is proposed', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], ['documents', 'audit-2025.pdf', PDF]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(() => look()).toContain('there is audit-2025.pdf; write that');
  expect(await look()).toContain('Add a missing document');
  const edit = { version: '1', list: 'problems', 'cell-2-3': 'audit-2025.pdf', 'cell-3-2': '5' };
  expect((await web.post(`${location}/mend`, edit)).status).toBe(303);
  await expect.poll(() => look()).toContain('Request all: 1 limit, 1,000.00 in total');

  const add = (...names: string[]) =>
    sendFilesTo(
      web,
      `${location}/documents`,
      names.map((name) => ['documents', name, PDF]),
    );
  expect(await add('audit-2025.pdf')).toMatchObject({ status: 400, text: expect.stringContaining('already') });
  expect(await add('.hidden')).toMatchObject({ status: 400, text: expect.stringContaining('hidden file') });
  expect(await add()).toMatchObject({ status: 400, text: expect.stringContaining('Choose the document') });
  expect(await add('other.pdf')).toMatchObject({ status: 303 });
  await expect.poll(() => look()).toContain('Request all: 2 limits, 1,005.00 in total');
  expect(await look()).toContain('This is version 2.');
  const folder = join(web.context.settings.LIMITLINE_DATA, 'drafts', location.split('/').at(-1) ?? '');
  expect((await readdir(folder)).filter((name) => name.startsWith('incoming'))).toEqual([]);
});

// Promise: document-added-to-upload
test('documents that came in a ZIP file take no other beside it', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const zip = await readFile(await writeZip(join(desk.cwd, 'all.zip'), { 'a.pdf': PDF }));
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], ['documents', 'all.zip', zip]);
  const answer = await sendFilesTo(web, `${location}/documents`, [['documents', 'other.pdf', PDF]]);
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('put the missing one into it') });
});
