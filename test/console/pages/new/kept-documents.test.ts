import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWorkers } from '../../../../jobs/workers/workers.ts';
import { openService } from '../../../../src/open-service.ts';
import { type FormFile, openConsole, openDesk, sendFilesTo, uploadTo } from '../../../support/desk.ts';
import { writeZip } from '../../../support/workbooks.ts';

const pdf = (words: string) => `%PDF-1.4\n${words}\n%EOF\n`;
const HEADER = 'name,country_code,requested_limit,supporting_documents\n';

type Web = Awaited<ReturnType<typeof openConsole>>;

async function submit(web: Web, location: string): Promise<void> {
  const of = /name="of" value="(\w+)"/.exec((await web.get(location)).text)?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  await expect.poll(async () => (await web.get(`${location}/import`)).headers.get('location')).toBe('/portfolios/q9');
}

const errorsOf = async (web: Web) => (await web.get('/portfolios/q9/downloads/errors.csv')).text;

// Promise: kept-documents-for-corrections
test.each([
  ['uploaded as files', ['a.pdf', 'b.pdf']],
  ['uploaded in a ZIP file with folders', ['a.pdf', '2025/b.pdf']],
])(
  'a corrected line uses the kept document of its portfolio, which need not be uploaded again: %s',
  async (_, names) => {
    const desk = await openDesk(1);
    const web = await openConsole(desk);
    const [a = '', b = ''] = names;
    const all = { [a]: pdf('A'), [b]: pdf('B'), 'c.pdf': pdf('C') };
    const zip = async () => readFile(await writeZip(join(desk.cwd, 'all.zip'), all));
    const documents = b.includes('/')
      ? [['documents', 'all.zip', await zip()] satisfies FormFile]
      : Object.entries(all).map(([name, text]): FormFile => ['documents', name, text]);
    const csv = `${HEADER}Alder GmbH,DE,1000,${a}\nBirch GmbH,DE,much,${b}\nCedar GmbH,DE,more,none.pdf\n`;
    const { location } = await uploadTo(web, ['file', 'q9.csv', csv], ...documents);
    await expect.poll(async () => (await web.get(location)).text).toContain('1 limit, 1,000.00 in total');
    await submit(web, location);

    const mended = (await errorsOf(web)).replace(',much,', ',5,').replace(',more,', ',6,');
    const { location: again } = await uploadTo(web, ['file', 'q9-errors.csv', mended]);
    const look = async () => (await web.get(again)).text;
    await expect.poll(look).toContain('Request all: 2 limits, 1,005.00 in total');
    expect(await look()).toContain('2 documents kept from before');
    expect(await look()).toContain('none.pdf was not uploaded with the file');
    expect(await look()).not.toContain('Documents that no line refers to');
    await submit(web, again);
    const workers = await startWorkers(web.context, openService(web.context, desk.standIn.url()));
    onTestFinished(() => workers.stop());
    await expect.poll(() => desk.standIn.counts().made, { timeout: 30_000 }).toMatchObject({ document: 2, limit: 2 });

    // An uploaded document is preferred to the kept one.
    const file: FormFile = ['file', 'q9-errors.csv', mended];
    if (!b.includes('/')) {
      const { location: newer } = await uploadTo(web, file, ['documents', b, pdf('newer')]);
      await expect.poll(async () => (await web.get(newer)).text).toContain('changed after it was requested');
    }
  },
);

const REJECTS_9999 = {
  on: 'limit',
  match: '"requested_limit":9999',
  fault: 'status',
  status: 400,
  body: 'too much',
} as const;

// Promise: kept-documents-for-corrections
test('a row that the service rejected keeps its documents for its correction, also after a run on the command line', async () => {
  const desk = await openDesk(1, { rules: [REJECTS_9999] });
  await mkdir(join(desk.cwd, 'documents'));
  await writeFile(join(desk.cwd, 'documents', 'a.pdf'), pdf('A'));
  await writeFile(join(desk.cwd, 'q9.csv'), `${HEADER}Alder GmbH,DE,9999,a.pdf\nBirch GmbH,DE,much,../a.pdf\n`);
  await desk.limitline('run', 'q9.csv', '--yes', '--no-results');
  const web = await openConsole(desk);
  const mended = (await errorsOf(web)).replace(',9999,', ',99,').replace(',much,', ',5,');
  const { location } = await uploadTo(web, ['file', 'q9-errors.csv', mended]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('Request all: 1 limit, 99.00 in total');
  expect(await look()).toContain('1 document kept from before');
});

test('kept documents are not used if two rows have different ones of that name, or if the folder differs', async () => {
  const desk = await openDesk(1, { rules: [REJECTS_9999] });
  for (const [name, words] of [
    ['Alder', 'A'],
    ['Birch', 'B'],
  ] as const) {
    await mkdir(join(desk.cwd, name, '2025'), { recursive: true });
    for (const file of ['a.pdf', '2025/b.pdf']) await writeFile(join(desk.cwd, name, file), pdf(words));
    await writeFile(join(desk.cwd, `${name}.csv`), `${HEADER}${name} GmbH,DE,9999,a.pdf|2025/b.pdf\n`);
    const to = ['--portfolio', 'q9', '--documents', join(desk.cwd, name)];
    await desk.limitline('run', `${name}.csv`, ...to, '--yes', '--no-results');
  }
  const web = await openConsole(desk);
  const mended = (await errorsOf(web)).replaceAll(',9999,', ',99,').replaceAll('2025/b.pdf', '2026/b.pdf');
  expect(mended.match(/2026/g)).toHaveLength(2);
  const { location } = await uploadTo(web, ['file', 'q9-errors.csv', mended]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('2026/b.pdf was not uploaded with the file');
  expect(await look()).not.toContain('kept from before');
});

const PDF = '%PDF-1.4\n%EOF\n';
const CSV = `name,country_code,requested_limit,supporting_documents
Alder GmbH,DE,1000,Audit 2025.pdf
Birch GmbH,DE,much,other.pdf
`;

// Promise: document-added-to-upload
test('a missing document is added to an upload, keeps its corrections, and the nearest name is proposed', async () => {
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
test('an upload with a ZIP file of documents refuses a further single document', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const zip = await readFile(await writeZip(join(desk.cwd, 'all.zip'), { 'a.pdf': PDF }));
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], ['documents', 'all.zip', zip]);
  const answer = await sendFilesTo(web, `${location}/documents`, [['documents', 'other.pdf', PDF]]);
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('put the missing one into it') });
});
