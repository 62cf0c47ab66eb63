import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callOnTerminal } from '../support/command.ts';
import { openDesk } from '../support/desk.ts';
import { buyerLines } from '../support/workplace.ts';

test('a run whose rows are all refused alike pauses the portfolio, and resume continues after the correction', async () => {
  const desk = await openDesk(
    30,
    { rules: [{ on: 'company', fault: 'status', status: 403, body: 'scope missing' }] },
    { SERVICE_CONCURRENCY: '4' },
  );
  const { limitline, standIn } = desk;
  const ran = await limitline('run', 'q4.csv');
  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain(
    'paused: the first 10 answers at the step company were all refused with status 403: scope missing',
  );
  expect(ran.stderr).toContain('limitline resume "q4"');
  expect(ran.stdout).toMatch(/^Paused: the first 10 answers/m);
  expect(standIn.counts().requests.company[403]).toBeLessThan(20);
  const answered = standIn.counts().requests;

  // Another run sends nothing while the portfolio is paused.
  expect((await limitline('run', 'q4.csv')).status).toBe(2);
  expect(standIn.counts().requests.company).toEqual(answered.company);

  await standIn.setFaults({ rules: [] });
  // No worker runs, and resume prints that.
  expect((await limitline('resume', 'q4')).stdout).toBe(
    'Portfolio q4 is resumed: it goes on as soon as workers run.\n',
  );
  expect(await limitline('run', 'q4.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 30, limit: 30 });
});

describe('a held row', () => {
  test('continues when a person gives the id of its limit, and a file with a wrong line changes nothing', async () => {
    const { cwd, limitline, json, standIn } = await openDesk(3, {
      rules: [{ on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 }],
    });
    expect((await limitline('run', 'q4.csv')).status).toBe(2);
    await limitline('report', 'q4', '--format', 'csv', '--out', 'q4-results.csv');
    expect(await readFile(join(cwd, 'q4-results.csv'), 'utf8')).toMatch(
      /,held,limit,company_.*sent 20.*what was sent: /,
    );

    const made = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 2'));
    await writeFile(join(cwd, 'held.csv'), `line;id\n2;resend\n3;${made?.id}\n`);
    expect(await limitline('resolve', 'q4', '--from', 'held.csv')).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(
        /^held.csv, line 2: Line 2 .* is done \(bl_\S+\)\.\nNothing was done: 1 line of held.csv /,
      ),
    });
    await writeFile(join(cwd, 'held.csv'), `line;id\n2;\n3;${made?.id}\n`);
    expect(await json('resolve', 'q4', '--from', 'held.csv', '--dry-run')).toMatchObject({
      dryRun: true,
      silent: 1,
      problems: [],
      of: [{ line: 3, step: 'limit', made: made?.id }],
    });
    expect(await json('resolve', 'q4', '--line', '3', '--made', made?.id ?? '')).toEqual({
      portfolio: 'q4',
      calls: 1,
      rows: 1,
      workers: 0,
      of: [
        {
          line: 3,
          import: 'q4.csv #1',
          row: expect.stringMatching(/^q4\/\S+$/),
          step: 'limit',
          made: made?.id,
          name: 'Buyer 2 GmbH',
          requested_limit: '1002.5',
        },
      ],
    });
    expect((await limitline('run', 'q4.csv')).status).toBe(0);
    expect(standIn.counts().made.limit).toBe(3);
  });

  // Promises: file-of-held-rows, known-id-not-taken-twice
  test('is in the file of held rows, which resolve imports once it is filled in', async () => {
    const { cwd, limitline, json, standIn } = await openDesk(5, {
      rules: [
        { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 },
        { on: 'limit', match: 'HRB 4', fault: 'reset', made: false, times: 1 },
      ],
    });
    const { stderr } = await limitline('run', 'q4.csv');
    expect(stderr).toContain('npx limitline report "q4" --state held --like-input --out held.csv');
    expect((await limitline('report', 'q4')).stdout).toMatch(
      /^Next: say what became of 2 held rows: npx limitline report "q4" --state held --like-input --out held\.csv$/m,
    );
    const written = await limitline('report', 'q4', '--state', 'held', '--like-input', '--out', 'held.csv');
    expect(written).toMatchObject({ status: 0 });
    expect(written.stderr).toMatch(
      /^limitline: In the column id of held\.csv, write .*, or resend; then run: npx limitline resolve "q4" --from "held\.csv"$/m,
    );
    const [header = '', ...lines] = (await readFile(join(cwd, 'held.csv'), 'utf8')).trimEnd().split(/\r?\n/);
    expect(header).toMatch(/^name,.*,row,import,line,state,step,.*,id$/);
    expect(lines).toEqual([
      expect.stringMatching(/^Buyer 2 GmbH,.*,held,limit,.*,$/),
      expect.stringMatching(/^Buyer 4 GmbH,.*,held,limit,.*,$/),
    ]);
    expect(await json('resolve', 'q4', '--from', 'held.csv', '--dry-run')).toMatchObject({ silent: 2, of: [] });

    const made = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 2'))?.id;
    // One wrong line makes resolve refuse the whole file.
    await writeFile(join(cwd, 'held.csv'), `${header}\n${lines[0]}${made}\n${lines[1]}company_1\n`);
    expect((await limitline('resolve', 'q4', '--from', 'held.csv')).status).toBe(2);
    expect(await json('report', 'q4')).toMatchObject({ states: { held: 2 } });
    await writeFile(join(cwd, 'held.csv'), `${header}\n${lines[0]}${made}\n${lines[1]}resend\n`);
    expect(await json('resolve', 'q4', '--from', 'held.csv')).toMatchObject({ problems: [], calls: 2, rows: 2 });
    expect((await limitline('run', 'q4.csv')).status).toBe(0);
    expect(standIn.counts().made.limit).toBe(5);
    expect(await limitline('report', 'q4', '--state', 'held', '--format', 'errors-csv')).toMatchObject({ status: 1 });
  });

  // Promise: unlike-id-asked-about
  test('needs --id-is-right or a confirmation for an id that is unlike all others', async () => {
    const lost = (match: string) => ({ on: 'limit', match, fault: 'reset', made: true, times: 1 }) as const;
    const { cwd, env, limitline, json } = await openDesk(4, { rules: [lost('HRB 2'), lost('HRB 4')] });
    expect((await limitline('run', 'q4.csv')).status).toBe(2);
    const unlike = expect.stringMatching(
      /It looks unlike the other ids, such as bl_\S+: it has 5 characters, .* add --id-is-right\./,
    );
    const one = ['resolve', 'q4', '--line', '3', '--made', 'bl_x!'];
    expect(await limitline(...one)).toMatchObject({ status: 1, stderr: unlike });
    expect(await limitline(...one, '--yes')).toMatchObject({ status: 1, stderr: unlike });
    expect(await json(...one, '--dry-run')).toMatchObject({ strange: expect.stringContaining('unlike'), calls: 0 });
    await writeFile(join(cwd, 'held.csv'), 'line;id\n3;bl_x!\n');
    const file = ['resolve', 'q4', '--from', 'held.csv'];
    expect(await limitline(...file)).toMatchObject({ status: 2, stdout: unlike });
    expect(await json('report', 'q4')).toMatchObject({ states: { held: 2 } });
    expect(await json(...file, '--id-is-right', '--dry-run')).toMatchObject({ problems: [], of: [{ made: 'bl_x!' }] });
    expect(await json(...one, '--id-is-right')).toMatchObject({ calls: 1, rows: 1 });
    const asked = callOnTerminal(['resolve', 'q4', '--line', '5', '--made', 'bl_y!'], { cwd, env });
    await expect.poll(asked.shown).toMatch(/looks unlike the other ids.*\[y\/N\]/s);
    asked.press('y\n');
    expect(await asked.ended).toMatchObject({ status: 0, shown: expect.stringContaining('1 call resolved') });
  });

  // Promise: known-id-not-taken-twice
  test('stays held when a file has no answer, and resolve prints that', async () => {
    const { cwd, limitline } = await openDesk(2, {
      rules: [{ on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 }],
    });
    await limitline('run', 'q4.csv');
    for (const lines of ['3;\n', '']) {
      await writeFile(join(cwd, 'held.csv'), `line;id\n${lines}`);
      const stdout = 'Nothing is filled in: no line of held.csv gives an id or "resend". Nothing was done.\n';
      expect(await limitline('resolve', 'q4', '--from', 'held.csv')).toMatchObject({ status: 2, stdout });
    }
  });

  test('is sent again together with all held rows of its step', async () => {
    const { limitline, json, standIn } = await openDesk(6, { rules: [{ on: 'limit', fault: 'reset', times: 4 }] });
    expect((await limitline('run', 'q4.csv')).status).toBe(2);
    expect(await json('resolve', 'q4', '--all', '--resend', '--yes', '--step', 'company')).toMatchObject({ rows: 0 });
    expect(await json('resolve', 'q4', '--all', '--resend', '--yes', '--step', 'limit')).toMatchObject({
      planned: { rows: 4, calls: { limit: 4 } },
      rows: 4,
    });
    expect((await limitline('run', 'q4.csv')).status).toBe(0);
    expect(standIn.counts().made).toMatchObject({ company: 6, limit: 6 });
  });
});

// Promise: retry-dry-run
test('retry sends the chosen rows, and reports rows that do not exist', async () => {
  const { limitline, json, standIn, start } = await openDesk(4, {
    rules: [
      { on: 'limit', match: 'HRB 1', fault: 'status', status: 422, body: 'too high' },
      { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: 'no contact' },
    ],
  });
  expect((await limitline('run', 'q4.csv')).status).toBe(2);
  expect((await limitline('report', 'q4')).stdout).toMatch(
    /^Next: see why rows were rejected: npx limitline report "q4" --causes\n +get the lines to correct: .* --out errors\.csv$/m,
  );
  await standIn.setFaults({ rules: [] });
  const planned = { dryRun: true, rows: 1, isExact: true, calls: { company: 0, document: 0, limit: 1 } };
  expect(await json('retry', 'q4', '--error', 'Too High', '--dry-run')).toMatchObject(planned);
  expect((await limitline('retry', 'q4', '--error', 'Too High', '--dry-run')).stdout).toBe(
    '1 row of portfolio q4, 1,001.50 in all, would be sent again: 1 call. Nothing was done.\n',
  );
  expect(await limitline('retry', 'q4', '--error', 'too low', '--dry-run')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('No refused row of portfolio "q4" has a problem that contains "too low".'),
  });
  const shown = await limitline('retry', 'q4', '--line', '2', '--dry-run');
  expect(shown.stdout).toMatch(/^1 row of portfolio q4, .* would be sent again: 1 call\. Nothing was done\.\n$/);
  expect(await limitline('retry', 'q4', '--line', '999', '--dry-run')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is no line 999 in portfolio "q4"'),
  });
  expect((await json('report', 'q4')).states).toMatchObject({ refused: 2 });
  expect(await json('retry', 'q4', '--error', 'Too High')).toEqual({ portfolio: 'q4', retried: 1, workers: 0 });
  const worker = start('work');
  await expect.poll(() => standIn.counts().made.limit).toBe(3);
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ status: 0 });
  expect(await json('report', 'q4')).toMatchObject({ states: { done: 3, refused: 1 } });
  expect(await limitline('retry', 'q4', '--line', '999')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('There is no line 999 in portfolio "q4"'),
  });
  expect(await limitline('retry', 'q4', '--state', 'held')).toMatchObject({ status: 1, stdout: '' });
  await limitline('pause', 'q4');
  expect((await limitline('retry', 'q4')).stdout).toContain(
    '1 row goes on once somebody resumes the portfolio, which is paused.',
  );
  expect(await limitline('retry', 'nobody')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('known are: q4'),
  });
});

test('pause keeps a portfolio from workers until resume, and cancel gives up unsent rows', async () => {
  const { cwd, limitline, json, standIn, start } = await openDesk(5);
  const [header, ...lines] = buyerLines(8);
  await writeFile(join(cwd, 'others.csv'), `${[header, ...lines.slice(5)].join('\n')}\n`);
  const noWorker =
    'No worker runs, so nothing of portfolio "others" is sent: start one with npx limitline work, or run its file: npx limitline run FILE --portfolio "others"';
  expect((await limitline('import', 'others.csv')).stderr).toContain(noWorker);
  const { stdout: report } = await limitline('report', 'others');
  expect(report).toContain(noWorker);
  expect(report).not.toContain('Pace:');
  await limitline('import', 'q4.csv', '--portfolio', 'given-up');
  expect(await json('pause', 'others')).toEqual({ portfolio: 'others', paused: true });
  expect(await json('cancel', 'given-up')).toEqual({ portfolio: 'given-up', cancelled: 5, answered: 0, open: 0 });
  expect((await limitline('report', 'others')).stdout).not.toContain('No worker runs');
  const worker = start('work');
  await limitline('import', 'q4.csv');
  await expect.poll(() => standIn.counts().made.limit).toBe(5);
  expect(await json('resume', 'others')).toEqual({ portfolio: 'others', paused: false });
  await expect.poll(() => standIn.counts().made.limit).toBe(8);
  worker.child.kill('SIGTERM');
  await worker.ended;
  expect(await json('report', 'others')).toMatchObject({ states: { done: 3 } });
  expect(await json('report', 'given-up')).toMatchObject({ states: { cancelled: 5 } });
  // Only limits of the other portfolio were made during the pause.
  const numbers = standIn.things('limit').map(({ body }) => Object(body).company_registration_number);
  expect(numbers.slice(5).toSorted()).toEqual(['HRB 6', 'HRB 7', 'HRB 8']);
});

test('cancel names the command by which the rows of a portfolio that was cancelled by mistake come back', async () => {
  const { limitline, json } = await openDesk(2);
  await limitline('import', 'q4.csv');
  const { stdout } = await limitline('cancel', 'q4');
  const [, ...back] = /npx limitline (retry) "(q4)" (--state) (cancelled)$/.exec(stdout.trim()) ?? [];
  expect(back).toHaveLength(4);
  expect(await json(...back)).toMatchObject({ retried: 2 });
  expect(await json('report', 'q4')).toMatchObject({ states: { queued: 2, cancelled: 0 } });
});
