import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { draftOf, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const LINES = ['Alpha GmbH,DE,HRB 1,1000', 'Alpha Holding SE,DE,HRB 1,2000', 'Beta AG,DE,HRB 2,3000'];
const TEXT = ['name,country_code,company_registration_number,requested_limit', ...LINES, ''].join('\n');

// Promise: same-buyer-of-no-line
test.each(['check', 'import', 'run'])(
  '%s refuses --same-buyer for a line that the file lacks, and warns if it was not needed',
  async (command) => {
    const { cwd, limitline, json } = await openDesk(0);
    await writeFile(join(cwd, 'q4.csv'), TEXT);
    const { status, stderr } = await limitline(command, 'q4.csv', '--same-buyer', '3', '--same-buyer', '17-18');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('--same-buyer 17,18 names no line of the file, whose last line is 4'),
    ]);
    expect((await json('portfolios')).portfolios).toEqual([]);
    const said = await limitline(command, 'q4.csv', '--same-buyer', '3,4');
    expect(said.status).toBe(0);
    expect(`${said.stdout}${said.stderr}`).toContain('--same-buyer was not needed: line 4 means');
  },
);

test('check with --same-buyer reads a pipe to its end', async () => {
  const { cwd, json } = await openDesk(0);
  const pipe = join(cwd, 'pipe.csv');
  execFileSync('mkfifo', [pipe]);
  const [found] = await Promise.all([json('check', 'pipe.csv', '--same-buyer', '3'), writeFile(pipe, TEXT)]);
  expect(found).toMatchObject({ lines: 3, rows: 3 });
});

test('an upload line marked as the same buyer may be left out afterwards', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', TEXT]));
  await desk.correct(draft.id, { reading: { sameBuyer: [3] } });
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: [{ line: 3, isLeftOut: true }] });
  const { of } = await previewOf(desk, draft);
  await desk.submit(draft.id, { of, replace: false });
  const submitted = async () => (await desk.read(draft.id)).submitted;
  await expect.poll(async () => (await submitted())?.ended ?? (await submitted())?.fault).toMatchObject({ rows: 2 });
});
