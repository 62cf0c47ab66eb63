import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openConsole, openDesk, plainText } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

const lost = { on: 'limit', match: 'HRB 2"', fault: 'reset', made: true, times: 1 } as const;
const tooHigh = {
  on: 'limit',
  match: 'HRB 3"',
  fault: 'status',
  status: 422,
  body: { message: 'limit is too high' },
} as const;
const hostile = {
  on: 'company',
  match: 'Buyer 4 ',
  fault: 'status',
  status: 400,
  body: '<img src=x onerror=alert(1)> said no',
} as const;

describe('a portfolio with two causes of failed rows and one held row', async () => {
  const open = async () => {
    const desk = await openDesk(8, { rules: [lost, tooHigh, hostile] });
    const lines = [
      '"<script>alert(2)</script> AG",DE,HRB 77,500.5',
      'Buyer 1 GmbH,DE,HRB 1,1001.50',
      'Nobody,DE,HRB 9,abc',
    ];
    await writeFile(join(desk.cwd, 'q4.csv'), `${(await desk.read('q4.csv')) + lines.join('\n')}\n`);
    await desk.limitline('run', 'q4.csv', '--yes');
    return { desk, ...(await openConsole(desk)) };
  };

  // Promises: counts-lead-to-their-lines, proof-strip, pipeline-folded-for-operators
  test('shows where its rows are, why rows failed, and that its counts agree', async () => {
    const { get, context, desk } = await open();
    const page = await get('/portfolios/q4');
    expect(page.status).toBe(200);
    const text = plainText(page.text);
    expect(text).toMatch(/q4\.csv , 20\d\d-[\d-]+ [\d:]+ UTC by command line \(\S+\)/);
    expect(text).toContain(
      'What became of it Lines Amount Granted In the file 11 9,542.00 Left out: invalid or duplicate 2 1,001.50 ',
    );
    expect(text).toContain(
      'Of the lines left out, 1 is a total or has no amount above zero that can be read: it is in no sum, and among the lines to fix.',
    );
    // Each thing has one word: "lines to fix" are invalid ones, "file to correct" is the file of all rows and lines to
    // send again, and "left out" is a sum.
    expect(text).toContain('File to correct');
    expect(text).toMatch(/Lines to fix 1 .*Duplicates 1 /);
    expect(text).toContain('1 row needs an answer. It is not known whether the service has the request');
    // All rows but the rejected one are past the company step.
    expect(text).toMatch(/Company 8 rows past it 1 stopped here 9 calls sent/);
    expect(text).toMatch(/Limit 6 rows past it 2 stopped here 8 calls sent/);
    expect(text).toContain('11 lines = 9 rows + 1 invalid + 1 duplicate');
    expect(text).toContain('9 rows imported = 9 in all states together');
    expect(text).toContain('6 rows done = 6 limits made');
    expect(text).toContain('All counts agree.');
    const isOpen = (shown: string) => /<details[^>]* id="pipeline" open/.test(shown);
    expect(isOpen(page.text)).toBe(false);
    expect(text).toContain('status 422 at limit limit is too high');
    const [cause] = /cause=(\w{8})/.exec(page.text.slice(page.text.indexOf('too high'))) ?? [];
    expect(page.text).toContain(`/plans/new?portfolio=q4&amp;action=retry&amp;${cause}`);
    expect(page.text).toContain('/portfolios/q4/held');
    // Each number of lines links to exactly these lines.
    const { money } = await desk.json('report', 'q4');
    for (const [outcomes, of] of [
      ['rejected', 'rejected'],
      ['needs_answer', 'needs_answer'],
      ['approved,partly_approved,under_review,declined,answered', 'requested'],
    ]) {
      const [, count = ''] =
        new RegExp(`outcomes=${outcomes?.replaceAll(',', '%2C')}#rows">(\\d+)<`).exec(page.text) ?? [];
      expect([of, Number(count)]).toEqual([of, money[of ?? ''].lines]);
      const rows = (await get(`/portfolios/q4?outcomes=${outcomes}`)).text;
      expect([...rows.matchAll(/data-head="Line">/g)].length, of).toBe(Number(count));
    }
    expect(text).not.toContain('rows here now');
    expect(page.text).toContain('?lines=invalid%2Cduplicate#rows">');
    const links = new Set(
      [...page.text.matchAll(/href="([^"]*\bq4\b[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&')),
    );
    expect(links.size).toBeGreaterThan(12);
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
    // A changed count is reported.
    await context.ledger.hincrby(context.keys.portfolio('q4'), 'made:limit', -1);
    const after = (await get('/portfolios/q4')).text;
    expect(isOpen(after)).toBe(true);
    const differing = plainText(after);
    expect(differing).toContain('Counts differ.');
    expect(differing).toContain('1 done row has no limit that a call of theirs made.');
  });

  // Promises: filter-by-outcome, rows-narrowed-by-outcome, texts-never-run
  test('lists the filtered rows with links to pages and plans, says when a filter cannot be read, and escapes markup', async () => {
    const { get, context } = await open();
    const refused = await get('/portfolios/q4?states=refused');
    expect([...refused.text.matchAll(/\/portfolios\/q4\/rows\/[\w-]+\?states=refused"><bdi>/g)].length).toBe(2);
    expect(refused.text).toContain('/plans/new?portfolio=q4&amp;action=retry&amp;states=refused"');
    // An older version linked to this address. The filter form shows the outcome of refused rows for it.
    const chosen = (text: string) =>
      [...text.matchAll(/name="outcomes" value="(\w+)" checked/g)].map(([, value]) => value);
    expect(chosen(refused.text)).toEqual(['rejected']);
    const answered = await get('/portfolios/q4?outcomes=rejected,needs_answer');
    expect(chosen(answered.text)).toEqual(['rejected', 'needs_answer']);
    expect([...answered.text.matchAll(/data-head="Line">/g)].length).toBe(3);
    expect(plainText(refused.text)).toMatch(
      /2 rows from line 4, the last page: (?:EUR )?[\d,]+\.\d\d asked for in them/,
    );
    expect(plainText(refused.text)).toMatch(/with status 422 limit is too high/);
    const named = plainText((await get('/portfolios/q4?text=buyer+5&min=1,000')).text);
    expect(named).toContain('1 row from line 6');
    const cause = /\?cause=(\w+)#rows/.exec(refused.text)?.[1];
    expect(plainText((await get(`/portfolios/q4?cause=${cause}`)).text)).toContain('1 row from line');
    const causes = await context.portfolios.causes('q4');
    for (const { id, meaning } of causes) {
      const { text } = await get(`/portfolios/q4?cause=${id}`);
      expect(text.includes('Send these again'), meaning).toBe(meaning !== 'unknown');
    }
    expect(causes.map(({ meaning }) => meaning)).toContain('unknown');
    for (const wrong of ['min=many', 'states=gone', 'outcomes=done', 'after=nothing']) {
      const page = await get(`/portfolios/q4?${wrong}`);
      expect(page.status, wrong).toBe(200);
      expect(plainText(page.text), wrong).toContain('These rows cannot be shown.');
      // A plan would take an unreadable filter for all rows.
      expect(page.text.match(/Retry these|Cancel these/), wrong).toBeNull();
    }
    expect(plainText((await get('/portfolios/q4?text=nothing+like+it')).text)).toContain('No rows found.');
    // Markup in cells, answers and addresses is text.
    const page = await get(
      '/portfolios/q4?text=%3Cscript%3Ealert(3)%3C%2Fscript%3E&status=%22%3E%3Cb%3E&cause=%3Ci%3E',
    );
    const whole = page.text + (await get('/portfolios/q4')).text;
    expect(plainText(whole)).toContain('<script>alert(2)</script> AG');
    expect(plainText(whole)).toContain('<img src=x onerror=alert(1)> said no');
    expect(whole).not.toMatch(/<img|<script>|<b>"|<i>/);
  });
});

test('a portfolio is paused and resumed from its page, and only with the token of the page', async () => {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get, post, context } = await openConsole(desk);
  const text = plainText((await get('/portfolios/q4')).text);
  expect(text).toContain('Sending is stopped. Nothing is sent, because no worker runs. An operator can start one.');
  expect(text).toContain('npx limitline pause q4');
  // The buttons work without script, too.
  expect((await get('/portfolios/q4')).text).toMatch(
    /action="\/portfolios\/q4\/pause"[^>]*>\s*<input type="hidden" name="_csrf" value="[^"]{10,}">/,
  );
  expect(await post('/portfolios/q4/pause', { _csrf: 'guessed' })).toMatchObject({ status: 403 });
  expect((await context.portfolios.read('q4')).paused).toBeUndefined();
  const paused = await post('/portfolios/q4/pause');
  expect([paused.status, paused.headers.get('location')]).toEqual([303, '/portfolios/q4']);
  expect((await context.portfolios.read('q4')).paused).toMatch(/^by request of command line/);
  expect(plainText((await get('/portfolios/q4')).text)).toMatch(
    /Paused\. By request of command line .* UTC : nothing new is sent until it is resumed\./,
  );
  await post('/portfolios/q4/resume');
  expect((await context.portfolios.read('q4')).paused).toBeUndefined();
  expect(await post('/portfolios/gone/pause')).toMatchObject({ status: 404 });
});

test('live updates of a portfolio’s page contain all changing parts but the rows, and the number of changed rows', async () => {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get } = await openConsole(desk);
  const shown = /data-shown="([\d ]+)"/.exec((await get('/portfolios/q4')).text)?.[1];
  const pieces = async () => {
    const { fragments } = JSON.parse((await get('/portfolios/q4/events')).text) as {
      fragments: { id: string; html: string }[];
    };
    return new Map(fragments.map(({ id, html }) => [id, html]));
  };
  const before = await pieces();
  expect([...before.keys()]).toEqual([
    'strip',
    'held-count',
    'approvals-count',
    'portfolio-waits',
    'portfolio-statuses',
    'portfolio-money',
    'portfolio-actions',
    'portfolio-funnel',
    'portfolio-pace',
    'portfolio-causes',
    'portfolio-proof',
    'rows-now',
  ]);
  expect(before.get('rows-now')).toContain(`"${shown}"`);
  await desk.limitline('cancel', 'q4');
  const after = await pieces();
  expect(after.get('rows-now')).not.toBe(before.get('rows-now'));
  expect(plainText(after.get('portfolio-money') ?? '')).toContain('Not sent 3 3,007.50');
  expect(plainText(after.get('portfolio-actions') ?? '')).not.toContain('Pause');
});

test('the rows are paged by key, and an unknown portfolio is answered with status 404', async () => {
  const desk = await openDesk(120);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get } = await openConsole(desk);
  const lines: string[] = [];
  let path: string | undefined = '/portfolios/q4';
  while (path !== undefined) {
    const { text } = await get(path);
    lines.push(...[...text.matchAll(/data-head="Line">(\d+)</g)].map(([, line = '']) => line));
    path = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&').replace('#rows', '');
  }
  expect(lines).toEqual(Array.from({ length: 120 }, (_, at) => String(at + 2)));
  for (const name of ['gone', '..%2f..', 'q4%0a', '%3Cb%3E']) {
    const { status, text } = await get(`/portfolios/${name}`);
    expect([status, text.includes('There is no portfolio of this name')], name).toEqual([404, true]);
    expect((await get(`/portfolios/${name}/events`)).status, name).not.toBe(500);
  }
});

test('the page of a portfolio without a valid line says that no line could be used', async () => {
  const desk = await openDesk(0);
  await writeFile(join(desk.cwd, 'q4.csv'), 'name,requested_limit\n,5\nNobody,abc\n');
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get } = await openConsole(desk);
  const text = plainText((await get('/portfolios/q4')).text);
  expect(text).toContain('2 lines = 0 rows + 2 invalid + 0 duplicate');
  expect(text).toContain(
    'In the file 2 5.00 Left out: invalid or duplicate 2 5.00 Of the lines left out, 1 is a total or has no amount above zero that can be read: it is in no sum, and among the lines to fix.',
  );
  expect(text).toContain('No line of the file could be used.');
  expect(text).toContain('No row has failed.');
});

test('an answered row is shown by its outcome, and only an approved one is green', async () => {
  const review = { on: 'limit', match: 'HRB 2"', fault: 'decision', status: 'to_be_seen', share: 0 } as const;
  const half = { on: 'limit', match: 'HRB 3"', fault: 'decision', status: 'approved', share: 0.5 } as const;
  const nothing = { on: 'limit', match: 'HRB 4"', fault: 'decision', status: 'approved', share: 0 } as const;
  const desk = await openDesk(4, { rules: [review, half, nothing] });
  await desk.limitline('run', 'q4.csv', '--yes');
  const { get } = await openConsole(desk);
  const badges = (page: string) =>
    [...page.matchAll(/class="badge state-(\w+)">(.*?)<\/span>/g)].map(
      ([, look, words = '']) => `${look}: ${plainText(words).trim()}`,
    );
  const { text } = await get('/portfolios/q4');
  expect(badges(text)).toEqual([
    'approved: Approved',
    'partly_approved: Partly approved',
    'declined: Declined',
    'answered: Answered, outcome not known',
    'approved: approved',
    'answered: answered: “to_be_seen”',
    'partly_approved: partly approved',
    'declined: declined',
  ]);
  await desk.limitline('statuses', 'to_be_seen', '--means', 'review');
  expect(badges((await get('/portfolios/q4')).text)).toContain('under_review: Under review');
  const [row = ''] = /\/portfolios\/q4\/rows\/[\w-]+(?=">(?:<bdi>)?Buyer 2)/.exec(text) ?? [];
  expect(badges((await get(row)).text)[0]).toBe('under_review: under review');
  expect((await get('/')).text).toContain('Rows of q4 by outcome');
});

// Promise: report-counts-not-as-asked
test('page and report state what was granted above the requests, and why an outcome is not known', async () => {
  const answer = (match: string, set: Record<string, unknown>) =>
    ({ on: 'limit', match, fault: 'answer', set }) as const;
  const rules = [
    answer('HRB 1"', { total_limit: 1_101.5 }),
    answer('HRB 2"', { total_limit: 'all' }),
    answer('HRB 3"', { status: 'to_be_seen' }),
  ];
  const desk = await openDesk(4, { rules });
  const [head, ...lines] = buyerLines(4);
  const csv = [`${head},currency`, ...lines.map((line) => `${line},EUR`), ''].join('\n');
  await writeFile(join(desk.cwd, 'q4.csv'), csv);
  await desk.limitline('run', 'q4.csv', '--yes');
  const page = plainText((await (await openConsole(desk)).get('/portfolios/q4')).text);
  const { stdout } = await desk.limitline('report', 'q4');
  for (const words of [
    'More was granted than requested: EUR 100.00 above the requests.',
    'Of 1 approved limit the service named no amount that can be read: how much was granted is not known.',
    'Of 1 limit the outcome is not known: nobody has said what its status means.',
  ]) {
    expect(page).toContain(words);
    expect(stdout).toContain(words);
  }
  await desk.limitline('statuses', 'to_be_seen', '--means', 'review');
  expect((await desk.limitline('report', 'q4')).stdout).not.toContain('nobody has said');
});
