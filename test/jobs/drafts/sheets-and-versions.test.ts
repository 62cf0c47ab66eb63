import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { goBack } from '../../../jobs/drafts/mend-draft.ts';
import { openDesk } from '../../support/desk.ts';
import {
  correctedThrice,
  draftOf,
  draftsOnFullDisk,
  incoming,
  openDraftDesk,
  previewOf,
} from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';
import { HEADER, rowOf, writeSheets } from '../../support/write-workbook.ts';

test('a list whose second column has an unknown name is not passed over for the template behind it', async () => {
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

test('a way back that broke off leaves the versions to which one can go back', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = await correctedThrice({ desk, upload });
  const drafts = draftsOnFullDisk(dir);
  await expect(goBack(draft.id, { version: 4, to: 1 }, { drafts, quotaBytes: 1e9 })).rejects.toThrow();
  // The page still offers versions 1, 2 and 3.
  expect(await desk.goBack(draft.id, { version: 4, to: 2 }, 'ann')).toMatchObject({ draft: { id: draft.id } });
});

test('an upload whose sheet was found by itself stays with that sheet when only its header line is said', async () => {
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
