import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import type { NoticeState } from '../../../src/notices/notice.ts';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;

// Promise: grown-file-imported-again
test('a file that grows in the folder done is imported again with its new lines', async () => {
  const { drop, takeIn, inbox, names, report, told } = await openInbox();
  const lines = buyerLines(5);
  await drop('q4.csv', text(lines.slice(0, 3)));
  await takeIn();
  expect(await report()).toMatchObject({ lines: 2, rows: 2 });
  const [done = ''] = (await readdir(join(inbox, 'done'))).filter((name) => name.endsWith('.csv'));
  await appendFile(join(inbox, 'done', done), text(lines.slice(3)));
  const { files } = await takeIn();
  expect(files).toMatchObject([{ name: 'q4.csv', is: 'imported', found: { lines: 5, rows: 5 } }]);
  expect(await report()).toMatchObject({ lines: 5, rows: 5 });
  expect(told).toContainEqual(
    expect.objectContaining({
      notice: expect.objectContaining({
        title: 'A file of the drop folder was changed after it had been taken: q4.csv.',
      }),
    }),
  );
  expect(await names('done')).toEqual(['<time>-q4.csv']);
  expect((await takeIn()).files).toEqual([]);
});

test('the documents of a grown file are used again', async () => {
  const { drop, takeIn, inbox, report } = await openInbox();
  const header = 'name,country_code,company_registration_number,requested_limit,supporting_documents';
  await mkdir(join(inbox, 'q4'));
  await writeFile(join(inbox, 'q4', 'accounts.pdf'), '%PDF-1.4\n% nothing\n');
  await drop('q4.csv', text([header, 'Muster GmbH,DE,HRB 1,1000.50,accounts.pdf']));
  await takeIn();
  const [done = ''] = (await readdir(join(inbox, 'done'))).filter((name) => name.endsWith('.csv'));
  await appendFile(join(inbox, 'done', done), 'Zweite GmbH,DE,HRB 2,2000.50,accounts.pdf\n');
  await takeIn();
  expect(await report()).toMatchObject({ lines: 2, rows: 2, invalid: 0 });
});

/** The path of a taken file. */
async function placeIn(inbox: string, folder: 'done' | 'rejected'): Promise<string> {
  const [name = ''] = (await readdir(join(inbox, folder))).filter((one) => one.endsWith('.csv'));
  return join(inbox, folder, name);
}

const whyIn = (told: readonly NoticeState[]) =>
  told.flatMap(({ notice }) => notice?.facts.map(({ what }) => what) ?? []);

// Promise: grown-file-imported-again
test('a file that grows days later, or while no process ran, is imported again', async () => {
  const { drop, takeIn, inbox, source, report } = await openInbox();
  const lines = buyerLines(4);
  await drop('q4.csv', text(lines.slice(0, 3)));
  await takeIn();
  for (const file of await source.inbox.lately(1)) {
    await source.inbox.note({ ...file, atMs: file.atMs - 3 * 86_400_000 });
  }
  await appendFile(await placeIn(inbox, 'done'), text(lines.slice(3)));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { lines: 4 } }]);
  expect(await report()).toMatchObject({ rows: 4 });
});

// Promise: grown-file-imported-again
test('a file rejected because it was incomplete is imported when the rest arrives', async () => {
  const { drop, takeIn, inbox, report } = await openInbox();
  const whole = text(buyerLines(2));
  await drop('q4.csv', whole.slice(0, 12));
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  await appendFile(await placeIn(inbox, 'rejected'), whole.slice(12));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { lines: 2 } }]);
  expect(await report()).toMatchObject({ rows: 2 });
});

test('a file dropped under the name of a grown one is not overwritten, and keeps its documents', async () => {
  const { drop, takeIn, inbox, names, source, told, report } = await openInbox();
  const lines = buyerLines(5);
  await drop('q4/accounts.pdf', '%PDF-1.4\n% nothing\n');
  await drop('q4.csv', text(lines.slice(0, 2)));
  await takeIn();
  await appendFile(await placeIn(inbox, 'done'), text(lines.slice(2, 3)));
  const drops = [() => drop('q4.csv', text(lines.toSpliced(1, 2)))];
  const note: typeof source.inbox.note = async (file) => {
    await source.inbox.note(file);
    await drops.pop()?.();
  };
  const { files } = await takeIn(undefined, { ...source, inbox: { ...source.inbox, note } });
  expect(files).toMatchObject([{ is: 'imported', documents: [], found: { lines: 3 } }]);
  expect(await names('done')).toContain('<time>-q4');
  await takeIn();
  expect(whyIn(told)).toContainEqual(expect.stringMatching(/a newer file of its portfolio was taken since/));
  expect(await report()).toMatchObject({ rows: 4 });
});

// Promise: grown-file-imported-again
test('a file that grows before it is copied is read again, and later additions are still recognised', async () => {
  const { drop, takeIn, inbox, source, told, report } = await openInbox();
  const lines = buyerLines(4);
  await drop('q4.csv', text(lines.slice(0, 2)));
  const more = [lines.slice(2, 3)];
  const put: typeof source.imports.put = async (one) => {
    for (const added of more.splice(0)) await appendFile(one.path, text(added));
    return source.imports.put(one);
  };
  const { files, lying } = await takeIn(undefined, { ...source, imports: { ...source.imports, put } });
  expect({ files, lying }).toMatchObject({
    files: [],
    lying: [{ why: expect.stringMatching(/changed while it was/) }],
  });
  await takeIn();
  expect(await report()).toMatchObject({ rows: 2 });
  await appendFile(await placeIn(inbox, 'done'), text(lines.slice(3)));
  await takeIn();
  expect(whyIn(told)).not.toContainEqual(expect.stringMatching(/it is another than/));
  expect(await report()).toMatchObject({ rows: 4 });
});

// Promise: changed-file-only-reported
test('a taken file whose content changes without growing is reported once, and not imported', async () => {
  const { drop, takeIn, inbox, told, source, report } = await openInbox();
  const whole = text(buyerLines(2));
  await drop('q4.csv', whole);
  await takeIn();
  const path = await placeIn(inbox, 'done');
  await utimes(path, new Date(), new Date());
  await takeIn();
  expect(whyIn(told), 'a new time alone is no change').toEqual([]);
  await writeFile(path, whole.replace(/\d\.50/, '9.50'));
  expect((await takeIn()).files).toEqual([]);
  await takeIn();
  expect(whyIn(told)).toEqual([expect.stringMatching(/the lines that were taken have changed: drop the file again/)]);
  expect(await source.inbox.lately(1)).toMatchObject([
    { words: expect.stringMatching(/By now the lines that were taken have changed/) },
  ]);
  expect(await report()).toMatchObject({ lines: 2, rows: 2 });
});

// Promise: older-file-undoes-nothing
test('a file that grows after a newer one of its portfolio was imported is reported, and not imported', async () => {
  const { drop, takeIn, inbox, told, report } = await openInbox();
  const lines = buyerLines(3);
  await drop('q4.csv', text(lines.slice(0, 3)));
  await takeIn();
  const older = await placeIn(inbox, 'done');
  await appendFile(older, text(lines.slice(3)));
  await drop('q4.csv', text(lines.slice(0, 3)).replace('1001.50', '2001.50'));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { lines: 2 } }]);
  expect((await takeIn()).files).toEqual([]);
  expect(whyIn(told)).toContainEqual(expect.stringMatching(/a newer file of its portfolio was taken since/));
  expect(await report(), 'the line as the newer file has it, and the one that it replaced').toMatchObject({
    rows: 3,
    states: { queued: 2, cancelled: 1 },
  });
});

// Promise: older-file-undoes-nothing
test('a file that grows after a correction was imported by hand is reported, and not imported', async () => {
  const { drop, takeIn, inbox, told, report, ...place } = await openInbox();
  const lines = buyerLines(3);
  await drop('q4.csv', text(lines.slice(0, 3)));
  await takeIn();
  await place.import(lines.slice(0, 3).map((line) => line.replace('1001.50', '2001.50')));
  await appendFile(await placeIn(inbox, 'done'), text(lines.slice(3)));
  expect((await takeIn()).files).toEqual([]);
  expect(whyIn(told)).toContainEqual(expect.stringMatching(/another file was imported into its portfolio since/));
  expect(await report()).toMatchObject({ rows: 3, states: { queued: 2, cancelled: 1 } });
});

// Promise: grown-file-revives-nothing
test('a file that grows after its rows were cancelled is reported, and not imported', async () => {
  const { drop, takeIn, inbox, told, report, context } = await openInbox();
  const lines = buyerLines(3);
  await drop('q4.csv', text(lines.slice(0, 3)));
  await takeIn();
  await cancelRows({ portfolio: 'q4' }, context);
  await appendFile(await placeIn(inbox, 'done'), text(lines.slice(3)));
  expect((await takeIn()).files).toEqual([]);
  expect(whyIn(told)).toContainEqual(expect.stringMatching(/given up, and the whole file would bring them back/));
  expect(await report()).toMatchObject({ rows: 2, states: { cancelled: 2 } });
});

// Promise: open-files-wait
test('a file that another program has open for writing is not imported', async () => {
  const { drop, takeIn, report } = await openInbox();
  const lines = buyerLines(4);
  const path = await drop('q4.csv', text(lines.slice(0, 2)));
  const writer = spawn('sh', [
    '-c',
    `exec 3>>"$0"; echo open; read line; printf '%s' "$1" >&3`,
    path,
    text(lines.slice(2)),
  ]);
  onTestFinished(() => void writer.kill());
  await once(writer.stdout, 'data');
  expect(await takeIn()).toMatchObject({
    files: [],
    lying: [{ name: 'q4.csv', why: expect.stringMatching(/open to write/) }],
  });
  writer.stdin.end('\n');
  await once(writer, 'exit');
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
  expect(await report()).toMatchObject({ lines: 4, rows: 4 });
});

test('a file that another program only reads is imported', async () => {
  const { drop, takeIn } = await openInbox();
  const path = await drop('q4.csv', text(buyerLines(2)));
  const reader = spawn('sh', ['-c', 'exec 3<"$0"; echo open; read line', path]);
  onTestFinished(() => void reader.kill());
  await once(reader.stdout, 'data');
  const own = await open(path, 'r');
  onTestFinished(() => own.close());
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
});
