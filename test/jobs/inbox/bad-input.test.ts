import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSettling } from '../../../jobs/inbox/look.ts';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { readInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { LimitlineError } from '../../../src/errors.ts';
import { openInbox } from '../../support/inbox.ts';
import { writeZip } from '../../support/workbooks.ts';
import { buyerLines, makeFolder } from '../../support/workplace.ts';

const GOOD = `${buyerLines(2).join('\n')}\n`;

// Promise: links-never-followed
test('links, folders, pipes and ambiguous files are rejected with a reason, and links are not followed', async () => {
  const { inbox, drop, takeIn, names, read, told, context } = await openInbox();
  const secret = join(await makeFolder(), 'secret.csv');
  await writeFile(secret, GOOD);
  await symlink(secret, join(inbox, 'link.csv'));
  await mkdir(join(inbox, 'folder.csv'));
  execFileSync('mkfifo', [join(inbox, 'pipe.csv')]);
  await drop('twins.csv', GOOD);
  await drop('twins.xlsx', GOOD);
  await drop('---.csv', GOOD);
  await drop('both.csv', GOOD);
  await drop('both/a.pdf', '%PDF-1.4\n');
  await writeZip(join(inbox, 'both.zip'), { 'a.pdf': '%PDF-1.4\n' });
  await writeFile(Buffer.concat([Buffer.from(`${inbox}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.csv')]), GOOD);
  const { files } = await takeIn();
  expect(files.map(({ is }) => is)).toEqual(Array(8).fill('rejected'));
  expect(await context.portfolios.names()).toEqual([]);
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  for (const [name, why] of [
    ['-link.problems.txt', /^link\.csv is a link, and links are not followed: drop the file itself\.\n$/],
    ['-folder.problems.txt', /is a folder: drop the file itself/],
    ['-pipe.problems.txt', /is a pipe/],
    ['-twins.problems.txt', /lay there together with twins\.(csv|xlsx), and both would go into portfolio twins/],
    ['-both.problems.txt', /a folder both and a ZIP file/],
  ] as const) {
    expect(await read('rejected', name)).toMatch(why);
  }
  expect((await names('rejected')).filter((name) => name.endsWith('.txt'))).toHaveLength(8);
  expect(told.filter(({ notice }) => notice)).toHaveLength(8);
});

// Promise: other-formats-named
test('a table of another format is rejected beside a good file of its name, and a .txt file stays with a reason', async () => {
  const { drop, takeIn, names, read, source } = await openInbox();
  await drop('q4.csv', GOOD);
  await drop('q4.xls', 'old');
  await drop('note.txt', 'Drop lists here.');
  const { files } = await takeIn();
  expect(files.map(({ name, is }) => [name, is]).sort()).toEqual([
    ['q4.csv', 'imported'],
    ['q4.xls', 'rejected'],
  ]);
  expect(await read('rejected', '-q4.problems.txt')).toBe(
    'q4.xls is no CSV and no workbook in .xlsx: save it as one of these, and drop that.\n',
  );
  expect(await names()).toContain('note.txt');
  expect((await readInbox(source, 1)).lying).toEqual([
    { name: 'note.txt', why: 'it is not taken, since only .csv and .xlsx are: if it lists buyers, rename it' },
  ]);
});

test('the problem of a dropped file explains where its reading options are set', async () => {
  const { drop, takeIn, read } = await openInbox();
  await drop('q4.csv', 'Firma;Betrag\nMuster GmbH;700\n');
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  const words = await read('rejected', 'problems.txt');
  expect(words).toMatch(
    /--map "Betrag=requested_limit"\. .*npx limitline mapping keep NAME FILE.*LIMITLINE_INBOX_MAPPING/,
  );
});

test('files that cannot be read as a table are rejected', async () => {
  const { drop, takeIn, names, read, inbox, report } = await openInbox();
  await drop('binary.csv', Buffer.from([0, 1, 2, 3, 0x0a]));
  await drop('words.csv', 'Dear all,\nplease find the list attached.\n');
  await drop('cut.xlsx', Buffer.from('PK\x03\x04 half of a workbook'));
  await writeZip(join(inbox, 'bomb.zip'), { 'a.pdf': Buffer.alloc(2 * 1024 * 1024) });
  await drop('bomb.csv', GOOD);
  await drop('q4.csv', GOOD.replaceAll('HRB', 'HRA'));
  const { files } = await takeIn();
  // Faulty files do not stop the others.
  expect(files.map(({ name, is }) => `${name} ${is}`).sort()).toEqual([
    'binary.csv rejected',
    'bomb.csv rejected',
    'cut.xlsx rejected',
    'q4.csv imported',
    'words.csv rejected',
  ]);
  expect(await report()).toMatchObject({ rows: 2 });
  expect(await read('rejected', '-bomb.problems.txt')).toMatch(/unpacks to more than 300 times its size/);
  expect(await names('rejected')).toContain('<time>-bomb.zip');
});

// Promise: links-never-followed
test('an enormous file is rejected without a copy, and the reason names the setting', async () => {
  const { drop, takeIn, read } = await openInbox({ env: { CONSOLE_UPLOAD_MB: '1' } });
  await truncate(await drop('q4.csv', GOOD), 1024 ** 4);
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  expect(await read('rejected', 'problems.txt')).toMatch(/^q4\.csv has 1,048,576 MB, .* raise CONSOLE_UPLOAD_MB/);
});

test('hostile file names are imported under safe names, and nothing leaves the folder', async () => {
  const { inbox, takeIn, context, names } = await openInbox();
  const hostile = [
    'a\nb.csv',
    'a\\..\\etc.csv',
    'x\u202egnp.csv',
    `${'ü'.repeat(125)}.csv`,
    'c:d|e?.csv',
    '$(reboot).csv',
  ];
  for (const [at, name] of hostile.entries()) {
    await writeFile(join(inbox, name), GOOD.replaceAll('HRB', `HRB ${at}`));
  }
  expect((await takeIn()).files.map(({ is }) => is)).toEqual(hostile.map(() => 'imported'));
  expect(await context.portfolios.names()).toHaveLength(hostile.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these characters.
  for (const name of await names('done')) expect(name).not.toMatch(/[\0-\x1f\u202e\\/:|?*]/);
  expect(await readdir(dirname(inbox))).not.toContain('etc.csv');
});

// Promise: part-files-ignored
test('unfinished files are ignored, and are imported at once after their final name appears', async () => {
  const { inbox, source, round, names } = await openInbox();
  let nowMs = 0;
  const settling = makeSettling(() => nowMs);
  const look = async () => takeInRound({ ...(await round(source)), settling });
  for (const name of ['q4.csv.part', '.q5.csv', '~$q6.xlsx', 'q7.tmp', 'notes.txt'])
    await writeFile(join(inbox, name), GOOD);
  expect(await look()).toMatchObject({ files: [], lying: [] });
  await rename(join(inbox, 'q4.csv.part'), join(inbox, 'q4.csv'));
  nowMs += 5_000;
  expect((await look()).files).toMatchObject([{ name: 'q4.csv', is: 'imported' }]);
  expect(await names()).toEqual(['.q5.csv', '.taken', 'done', 'notes.txt', 'q7.tmp', 'rejected', '~$q6.xlsx'].sort());
});

test('a file that vanishes between look and import is ignored', async () => {
  const { inbox, drop, round, context, names } = await openInbox();
  await drop('q4.csv', GOOD);
  await drop('q5.csv', GOOD);
  const deps = await round();
  const taken = {
    ...deps.taken,
    async takeFile(...args: Parameters<typeof deps.taken.takeFile>) {
      if (args[1].name === 'q4.csv') await rm(join(inbox, 'q4.csv'));
      return deps.taken.takeFile(...args);
    },
  };
  expect((await takeInRound({ ...deps, taken })).files).toMatchObject([{ name: 'q5.csv', is: 'imported' }]);
  expect(await context.inbox.lately(10)).toHaveLength(1);
  expect(await names('done')).toEqual(['<time>-q5.csv']);
});

test('a file that a full disk keeps from being moved waits, and is not imported again', async () => {
  const { drop, round, context, names, told } = await openInbox();
  await drop('q4.csv', GOOD);
  const deps = await round();
  const full = async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  const stuck = { ...deps, taken: { ...deps.taken, putFile: full } };
  for (let times = 0; times < 2; times += 1) {
    expect(await takeInRound(stuck)).toMatchObject({
      files: [],
      lying: [{ name: 'q4.csv', why: expect.stringMatching(/ENOSPC/) }],
    });
  }
  expect(told.filter(({ notice }) => notice)).toHaveLength(0);
  expect((await takeInRound(deps)).files).toMatchObject([{ is: 'imported' }]);
  expect(await context.portfolios.read('q4')).toMatchObject({ begun: 1, states: { queued: 2 } });
  expect(await names('done')).toEqual(['<time>-q4.csv']);
});

// Promise: full-disk-rejects-no-file
test('a file that a full disk keeps from being copied waits, and is imported when there is room', async () => {
  const { drop, round, told, context } = await openInbox();
  await drop('q4.csv', GOOD);
  const deps = await round();
  const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const put = async () => {
    throw new LimitlineError('FILE', 'It cannot be copied: the disk is full; make room and try again.', { cause });
  };
  const stuck = { ...deps, imports: { ...deps.imports, put } };
  for (let times = 0; times < 2; times += 1)
    expect((await takeInRound(stuck)).lying).toMatchObject([{ why: expect.stringMatching(/is full/) }]);
  expect(told).toMatchObject([{ notice: { kind: 'inbox' } }]);
  expect(await context.inbox.lately(9)).toMatchObject([{ is: 'taken', words: expect.stringMatching(/is full/) }]);
  expect((await takeInRound(deps)).files).toMatchObject([{ is: 'imported' }]);
});

test('an unusable drop folder throws a reason, and nothing is created in its place', async () => {
  const { inbox, takeIn, source } = await openInbox();
  const at = (path: string) => takeIn(() => {}, { ...source, settings: { ...source.settings, LIMITLINE_INBOX: path } });
  await expect(at(join(inbox, 'none'))).rejects.toThrow(
    /none \(LIMITLINE_INBOX\) cannot be used: it is not there; make it/,
  );
  expect(await readdir(inbox)).not.toContain('none');
  await writeFile(join(inbox, 'file'), '');
  await expect(at(join(inbox, 'file'))).rejects.toThrow(/it is no folder|not a directory/);
  const data = source.settings.LIMITLINE_DATA;
  await mkdir(join(data, 'drop'), { recursive: true });
  await expect(at(join(data, 'drop'))).rejects.toThrow(/lie one within the other/);
  await expect(at(dirname(dirname(data)))).rejects.toThrow(/lie one within the other/);
  await symlink(data, join(inbox, 'done'));
  await expect(at(inbox)).rejects.toThrow(/done is no folder/);
});

test('the reason of a rejection shows the dropped name of a ZIP that cannot be unpacked', async () => {
  const { drop, takeIn, read } = await openInbox();
  await drop('q4.csv', GOOD);
  await drop('q4.zip', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)]));
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  expect(await read('rejected', 'q4.problems.txt')).toMatch(/^The documents in q4\.zip cannot be unpacked: /);
});
