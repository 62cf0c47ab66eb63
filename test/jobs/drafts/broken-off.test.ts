import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { makePreview } from '../../../jobs/drafts/make-preview.ts';
import { goBack } from '../../../jobs/drafts/mend-draft.ts';
import { addToUpload } from '../../../jobs/drafts/receive-upload.ts';
import type { IncomingFile } from '../../../src/portfolio/draft-desk.ts';
import { openDesk } from '../../support/desk.ts';
import {
  correctedThrice,
  draftOf,
  draftsOnFullDisk,
  incoming,
  openDraftDesk,
  previewOf,
} from '../../support/draft-desk.ts';
import { HEADER, rowOf, writeSheets } from '../../support/workbooks.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEAD = 'name,country_code,company_registration_number,supporting_documents,requested_limit';
const LINES = ['A GmbH,DE,HRB 1,,1000', 'B GmbH,DE,HRB 2,b.pdf,900000'];
const TEXT = `${[HEAD, ...LINES].join('\n')}\n`;
const PDF = '%PDF-1.4\n%%EOF\n';

const file = (name: string, content: Readable): IncomingFile => ({ field: 'documents', name, content });

test('a document whose upload broke off is not used by the import of the confirmed preview', async () => {
  const { context, dir, report } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', TEXT]));
  await previewOf(desk, draft);
  const drafts = draftsOnFullDisk(dir);
  const limits = { maxBytes: 1e6, quotaBytes: 1e9, reserveBytes: 0, freeBytes: async () => 1e9 };
  const answer = await addToUpload(draft.id, incoming([file('b.pdf', Readable.from([PDF]))]), {
    drafts,
    limits,
    by: 'ann',
  });
  expect(answer).toMatchObject({ refused: { message: expect.stringContaining('Nothing of it was kept') } });
  const { of, dryRun } = await previewOf(desk, draft);
  expect(dryRun).toMatchObject({ limits: 1, requested: '1000' });
  await desk.submit(draft.id, { of, replace: false });
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended, { timeout: 20_000 }).not.toBeNull();
  expect(await report('q4')).toMatchObject({ rows: 1 });
});

test('uploads and documents are refused with status 507 if the disk has only its reserve left', async () => {
  const { context, dir } = await openWorkplace();
  let free = 1e12;
  const { desk, upload } = openDraftDesk(context, dir, { freeBytes: async () => free });
  const draft = draftOf(await upload(['file', 'q4.csv', TEXT]));
  free = 0;
  expect(await upload(['file', 'q5.csv', TEXT])).toMatchObject({ refused: { status: 507 } });
  const large = Readable.from([PDF, Buffer.alloc(10_000_000)]);
  const answer = await desk.addToUpload(draft.id, incoming([file('b.pdf', large)]), 'ann');
  expect(answer).toMatchObject({ refused: { status: 507 } });
});

test('a line is left out even if the same step replaces an empty column in which its cell is empty', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const head = 'name,country_code,company_registration_number,requested_limit';
  const lines = ['A GmbH,DE,HRB 1,', 'B GmbH,DE,HRB 2,'];
  const draft = draftOf(await upload(['file', 'q4.csv', `${[head, ...lines].join('\n')}\n`]));
  await previewOf(desk, draft);
  const column = { list: 'problems', column: 'requested_limit', from: '', to: '500' } as const;
  await desk.mend(draft.id, { version: 1, edits: [{ line: 3, isLeftOut: true }], column }, 'ann');
  const text = await readFile(join(dir, 'data', 'drafts', draft.id, 'v2'), 'utf8');
  expect(text.split('\n')[2]?.replaceAll(',', '')).toBe('');
  expect((await previewOf(desk, draft)).counts).toMatchObject({ rows: 1, invalid: 0 });
});

test('leaving out a line seen in one tab does not leave out the line of a sheet chosen in another tab', async () => {
  const { context, dir } = await openWorkplace();
  const { desk } = openDraftDesk(context, dir);
  const path = await writeSheets(join(dir, 'book.xlsx'), [
    { name: 'Old', rows: HEADER + rowOf(2, ['Old buyer', '']) },
    { name: 'New', rows: HEADER + rowOf(2, ['New buyer', '1.000.00']) },
  ]);
  const content = Readable.from([await readFile(path)]);
  const draft = draftOf(
    await desk.receive(incoming([{ field: 'file', name: 'book.xlsx', content }]), undefined, 'ann'),
  );
  const first = await previewOf(desk, draft);
  const [shown] = await desk.lines(draft, { preview: first, list: 'problems', page: 0 });
  expect(shown).toMatchObject({ line: 2, cells: ['Old buyer'] });
  await desk.correct(draft.id, { reading: { sheet: 'New' } }, 'ben');
  const before = await previewOf(desk, draft);
  const [other] = await desk.lines(await desk.read(draft.id), { preview: before, list: 'problems', page: 0 });
  expect(other?.cells[0]).toBe('New buyer');
  // Ann still sees the line of the sheet "Old" and leaves it out.
  await desk.mend(draft.id, { version: 1, of: first.of, edits: [{ line: 2, isLeftOut: true }] }, 'ann').catch(() => {});
  expect((await previewOf(desk, draft)).counts).toMatchObject({ lines: 1 });
});

test('going back to a version that an earlier release removed throws that it is not kept', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = await correctedThrice({ desk, upload });
  // Earlier releases kept only the last three versions.
  await rm(join(dir, 'data', 'drafts', draft.id, 'v1'));
  await expect(desk.goBack(draft.id, { version: 4, to: 1 }, 'ann')).rejects.toThrow(/is not kept/);
});

test('a preview still being made for a newer version is not shown after going back', async () => {
  const { context, dir } = await openWorkplace();
  const read = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { desk, upload } = openDraftDesk(context, dir, {
    preview: async (draft, how) => {
      const preview = await makePreview(draft, how);
      if (draft.versions.length !== 2) return preview;
      read.resolve();
      await go.promise;
      return preview;
    },
  });
  const lines = ['A GmbH,x', 'B GmbH,y', 'C GmbH,z'];
  const draft = draftOf(await upload(['file', 'q4.csv', `${['name,requested_limit', ...lines].join('\n')}\n`]));
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: [{ line: 2, isLeftOut: true }] }, 'ann');
  await desk.preview(await desk.read(draft.id));
  await read.promise;
  await desk.goBack(draft.id, { version: 2, to: 1 }, 'ann');
  const now = await desk.read(draft.id);
  const state = await desk.preview(now);
  const shown =
    state.is === 'there' ? await desk.lines(now, { preview: state.preview, list: 'problems', page: 0 }) : [];
  go.resolve();
  expect(state.is === 'there' ? shown.map(({ cells }) => cells.join()) : lines).toEqual(lines);
});

test('a sheet with an unknown second column is not skipped in favour of a template sheet behind it', async () => {
  const desk = await openDesk(0);
  await writeSheets(join(desk.cwd, 'book.xlsx'), [
    {
      name: 'Buyers',
      rows: rowOf(1, ['name', 'Wunsch']) + rowOf(2, ['Real GmbH', '900']) + rowOf(3, ['Other GmbH', '800']),
    },
    { name: 'Template', rows: HEADER + rowOf(2, ['Example GmbH', '1000000']) },
  ]);
  await desk.limitline('run', 'book.xlsx', '--portfolio', 'q4', '--yes', '--no-results', '--deadline', '20s');
  expect(
    desk.standIn.things('limit').map(({ body }) => (body as { requested_limit?: number }).requested_limit),
  ).toEqual([]);
});

test('a failed way back leaves the earlier versions available', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = await correctedThrice({ desk, upload });
  const drafts = draftsOnFullDisk(dir);
  await expect(goBack(draft.id, { version: 4, to: 1 }, { drafts, quotaBytes: 1e9 })).rejects.toThrow();
  // The page still offers versions 1, 2 and 3.
  expect(await desk.goBack(draft.id, { version: 4, to: 2 }, 'ann')).toMatchObject({ draft: { id: draft.id } });
});

test('an upload keeps its detected sheet when only the header line is set', async () => {
  const { context, dir } = await openWorkplace();
  const { desk } = openDraftDesk(context, dir);
  const path = await writeSheets(join(dir, 'book.xlsx'), [
    { name: 'Cover', rows: rowOf(1, ['Buyers of 2026']) },
    { name: 'Buyers', rows: HEADER + rowOf(2, ['New', '2']) },
  ]);
  const content = Readable.from([await readFile(path)]);
  const draft = draftOf(
    await desk.receive(incoming([{ field: 'file', name: 'book.xlsx', content }]), undefined, 'ann'),
  );
  expect((await previewOf(desk, draft)).dialect.sheet).toBe('Buyers');
  await desk.correct(draft.id, { reading: { headerLine: 1 } }, 'ann');
  expect((await previewOf(desk, draft)).dialect.sheet).toBe('Buyers');
});
