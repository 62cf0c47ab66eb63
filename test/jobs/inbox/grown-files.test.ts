import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;

test('a file that stalls, is taken and then grows is taken in again, and what was added is imported', async () => {
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
    expect.objectContaining({ state: expect.stringContaining('after it had been taken in') }),
  );
  expect(await names('done')).toEqual(['<time>-q4.csv']);
  expect((await takeIn()).files).toEqual([]);
});

test('its documents come back with it', async () => {
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

test('a file that another program has open to write to is not whole, however long it lies still', async () => {
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
  expect(await takeIn()).toMatchObject({ files: [], lying: [{ name: 'q4.csv', why: /open to write/ }] });
  writer.stdin.end('\n');
  await once(writer, 'exit');
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
  expect(await report()).toMatchObject({ lines: 4, rows: 4 });
});

test('who only reads it is no reason to wait', async () => {
  const { drop, takeIn } = await openInbox();
  const path = await drop('q4.csv', text(buyerLines(2)));
  const reader = spawn('sh', ['-c', 'exec 3<"$0"; echo open; read line', path]);
  onTestFinished(() => void reader.kill());
  await once(reader.stdout, 'data');
  const own = await open(path, 'r');
  onTestFinished(() => own.close());
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
});
