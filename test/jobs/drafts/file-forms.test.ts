import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draftOf, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openInbox } from '../../support/inbox.ts';
import { rowOf, writeSheets } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const TITLED = [
  ['Limitliste', ''],
  ['Wer', 'Wieviel'],
];
const READING = {
  headerLine: 2,
  mapping: { columns: { Wer: 'name', Wieviel: 'requested_limit' }, constants: { country_code: 'DE' } },
} as const;

const textOf = (month: string) =>
  Buffer.from(
    [...TITLED, [`A ${month} AG`, '1250']]
      .map((cells) => cells.join(';').replace('liste', `liste ${month}`))
      .join('\n'),
  );

async function workbookOf(month: string): Promise<Buffer> {
  const path = join(await makeFolder(), 'a.xlsx');
  const [title, names = []] = TITLED;
  const rows = [rowOf(1, [`${title?.[0]} ${month}`]), rowOf(2, names), rowOf(3, [`A ${month} AG`, '1250'])];
  await writeSheets(path, [{ name: 'Limits', rows: rows.join('') }]);
  return readFile(path);
}

async function openBoth() {
  const inbox = await openInbox();
  const { LIMITLINE_DATA: dataDir } = inbox.context.settings;
  return { ...inbox, ...openDraftDesk(inbox.context, await makeFolder(), { dataDir }) };
}

// Promises: reading-kept, title-is-no-header
test.each<[string, (month: string) => Buffer | Promise<Buffer>]>([
  ['csv', textOf],
  ['xlsx', workbookOf],
])('a %s below another title is read like the last one of its form, until that is undone', async (ending, write) => {
  const { desk, upload, drop, takeIn } = await openBoth();
  const jan = draftOf(await upload(['file', `jan.${ending}`, await write('Januar')]));
  expect((await previewOf(desk, jan)).headerLine).toBe(1);
  await desk.correct(jan.id, { reading: READING }, 'ann');
  const preview = await previewOf(desk, jan);
  expect(preview).toMatchObject({ faults: [], dryRun: { requested: '1250' } });
  await desk.submit(jan.id, { of: preview.of, replace: false, by: 'ann' });

  const feb = draftOf(await upload(['file', `feb.${ending}`, await write('Februar')]));
  expect(feb).toMatchObject({ keptFrom: { name: `jan.${ending}` }, reading: READING, readBy: ['ann'] });
  expect((await previewOf(desk, feb)).faults).toEqual([]);
  await drop(`mar.${ending}`, await write('März'));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);

  await desk.correct(feb.id, { forgetKept: true }, 'ann');
  expect(draftOf(await upload(['file', `apr.${ending}`, await write('April')]))).toMatchObject({ reading: {} });
});

test('a kept reading is not used if the header is on another line', async () => {
  const { desk, upload } = await openBoth();
  const jan = draftOf(await upload(['file', 'jan.csv', textOf('Januar')]));
  await desk.correct(jan.id, { reading: READING }, 'ann');
  const { of } = await previewOf(desk, jan);
  await desk.submit(jan.id, { of, replace: false, by: 'ann' });
  const lower = Buffer.concat([Buffer.from('Stand heute;\n'), textOf('Februar')]);
  expect(draftOf(await upload(['file', 'feb.csv', lower]))).toMatchObject({ reading: {}, keptFrom: null });
});
