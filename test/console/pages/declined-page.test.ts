import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decided, openConsole, openDesk, plainText } from '../../support/desk.ts';

/** The id of a buyer's limit. The limits are made in any order. */
function limitOf(
  { standIn }: Pick<Awaited<ReturnType<typeof openDesk>>, 'standIn'>,
  buyer: number,
): string | undefined {
  return standIn.things('limit').find(({ body }) => JSON.stringify(body).includes(`HRB ${buyer}"`))?.id;
}

test('a decline that 2,000 later answers push out of the read range is reported as possible', async () => {
  const desk = await openDesk(2, { rules: [decided(1, 'declined'), decided(2, 'review')] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  await desk.limitline('statuses', 'review', '--means', 'review');
  const { get, context } = await openConsole(desk);
  expect(plainText((await get('/')).text)).toContain('1 request was declined');
  const { ledger, keys } = context;
  const names = await ledger.zrange(keys.answeredLately, '0', '-1');
  const tallies = await Promise.all(names.map((name) => ledger.hget(keys.row('q4', name.slice(3)), 'tally')));
  const review = tallies.find((tally) => tally?.endsWith('review')) ?? '';
  expect(review).not.toBe('');
  const step = ledger.pipeline();
  for (let n = 0; n < 2_000; n += 1) {
    step.hset(keys.row('big', `k${n}`), 'tally', review, 'import', '1');
    step.zadd(keys.answeredLately, Date.now() + 1, `big/k${n}`);
  }
  await step.exec();
  expect(plainText((await get('/')).text)).toContain('Requests may have been declined In the last 7 days');
  const page = plainText((await get('/declined')).text);
  expect(page).toContain('There may be more');
  expect(page).not.toContain('Nothing was declined in the last 7 days.');
});

test('declined requests are listed for seven days', async () => {
  const desk = await openDesk(1, { rules: [decided(1, 'declined')] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  const { get, context } = await openConsole(desk);
  const { ledger, keys } = context;
  const [name = ''] = await ledger.zrange(keys.answeredLately, '0', '-1');
  await ledger.zadd(keys.answeredLately, Date.now() - 6 * 86_400_000, name);
  expect(plainText((await get('/declined')).text)).toContain('Buyer 1 GmbH');
  expect(plainText((await get('/')).text)).toContain('1 request was declined In the last 7 days');
  await ledger.zadd(keys.answeredLately, Date.now() - 8 * 86_400_000, name);
  expect(plainText((await get('/declined')).text)).toContain('Nothing was declined in the last 7 days.');
});

// Promise: withdrawn-says-what-was-granted
test('a withdrawn limit is listed with its former granted amount, and an immediate decline without one', async () => {
  const desk = await openDesk(2, { rules: [decided(1, 'declined')] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  const { get } = await openConsole(desk);
  const [limit] = desk.standIn.things('limit');
  const later = (amount: string) =>
    writeFile(join(desk.cwd, 'later.csv'), `buyer_limit_id,status,total_limit\n${limit?.id},${amount}\n`);
  await later('approved,400');
  await desk.limitline('decisions', 'later.csv');
  await later('declined,');
  await desk.limitline('decisions', 'later.csv');
  const page = plainText((await get('/declined')).text);
  expect(page.match(/had been granted/g)).toHaveLength(1);
  expect(page).toContain('400.00 had been granted');
});

// Promise: lowered-within-a-week
test('a limit that a later decision lowers is listed with both amounts, until it is as high as before or declined', async () => {
  const desk = await openDesk(3);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  const { get } = await openConsole(desk);
  const [first, second, third] = [1, 2, 3].map((n) => limitOf(desk, n));
  const later = async (...lines: string[]) => {
    await writeFile(join(desk.cwd, 'later.csv'), `buyer_limit_id,status,total_limit\n${lines.join('\n')}\n`);
    expect(await desk.limitline('decisions', 'later.csv')).toMatchObject({ status: 0 });
  };
  const pages = async () => ({
    home: plainText((await get('/')).text),
    list: plainText((await get('/lowered')).text),
  });
  expect((await pages()).home).not.toContain('lowered');
  expect((await pages()).list).toContain('No limit was lowered in the last 7 days.');

  await later(`${first},approved,400`, `${second},approved,500.25`, `${third},approved,5000`);
  const { home, list } = await pages();
  expect(home).toContain('2 limits were lowered In the last 7 days');
  expect(list).toMatch(/Buyer 1 GmbH q4 1,001\.50 1,001\.50 400\.00 20/);
  expect(list).toMatch(/Buyer 2 GmbH q4 1,002\.50 1,002\.50 500\.25 20/);
  expect(list.match(/Buyer \d GmbH/g)).toHaveLength(2);

  await later(`${first},approved,300`, `${second},declined,`);
  expect((await pages()).home).toContain('1 limit was lowered In the last 7 days');
  expect((await pages()).home).toContain('1 request was declined In the last 7 days');
  expect((await pages()).list).toMatch(/Buyer 1 GmbH q4 1,001\.50 400\.00 300\.00 20/);

  await later(`${first},approved,350`);
  expect((await pages()).list).toMatch(/Buyer 1 GmbH q4 1,001\.50 400\.00 350\.00 20/);

  await later(`${first},approved,1001.5`);
  await expect.poll(async () => (await pages()).list).toContain('No limit was lowered in the last 7 days.');
});

test('declined requests of a portfolio that was archived since are reported as possible', async () => {
  const desk = await openDesk(2, { rules: [decided(1, 'declined')] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const { get } = await openConsole(desk);
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  expect(plainText((await get('/')).text)).toContain('1 request was declined');
  expect(await desk.limitline('archive', 'q4', '--yes')).toMatchObject({ status: 0 });
  expect(plainText((await get('/')).text)).toContain('Requests may have been declined In the last 7 days');
  expect(plainText((await get('/declined')).text)).toContain('There may be more');
});

test('a limit that is granted after a review is not lowered, whatever amount the answer before named', async () => {
  const desk = await openDesk(2, { rules: [decided(1, 'review', 1)] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'review', '--means', 'review');
  const { get } = await openConsole(desk);
  const [one, other] = [1, 2].map((n) => limitOf(desk, n));
  const later = `buyer_limit_id,status,total_limit\n${one},approved,400\n${other},approved,500\n`;
  await writeFile(join(desk.cwd, 'later.csv'), later);
  await desk.limitline('decisions', 'later.csv');
  expect(plainText((await get('/')).text)).toContain('1 limit was lowered');
  const page = plainText((await get('/lowered')).text);
  expect(page).toContain('Buyer 2 GmbH');
  expect(page).not.toContain('Buyer 1 GmbH');
});

// Promise: approval-left-open-is-listed
test('an approval that a later decision puts under review is listed as lowered, with what had been granted', async () => {
  const desk = await openDesk(4, { rules: [decided(4, 'in_progress', 1)] });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  const { get } = await openConsole(desk);
  const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => limitOf(desk, n));
  const lines = [
    `${first},in_progress,800`,
    `${second},suspended,900`,
    `${third},approved,`,
    `${fourth},in_progress,700`,
  ];
  await writeFile(join(desk.cwd, 'later.csv'), `buyer_limit_id,status,total_limit\n${lines.join('\n')}\n`);
  await desk.limitline('decisions', 'later.csv');
  expect(plainText((await get('/')).text)).toContain('3 limits were lowered In the last 7 days');
  const page = plainText((await get('/lowered')).text);
  expect(page).toMatch(/Buyer 1 GmbH q4 1,001\.50 1,001\.50 – in_progress 20/);
  expect(page).toMatch(/Buyer 2 GmbH q4 1,002\.50 1,002\.50 – suspended 20/);
  expect(page).toMatch(/Buyer 3 GmbH q4 1,003\.50 1,003\.50 – approved 20/);
  expect(page).not.toContain('Buyer 4 GmbH');
  await writeFile(join(desk.cwd, 'later.csv'), `buyer_limit_id,status,total_limit\n${first},approved,1001.5\n`);
  await desk.limitline('decisions', 'later.csv');
  await expect.poll(async () => plainText((await get('/')).text)).toContain('2 limits were lowered');
});

// Promise: approval-left-open-is-listed
test('an approval in words of the service that a later decision puts under review is listed as lowered, too', async () => {
  const desk = await openDesk(3, {
    rules: [1, 2, 3].map((n) => decided(n, n === 3 ? 'in_progress' : 'freigegeben', 1)),
  });
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  await desk.limitline('statuses', 'freigegeben', '--means', 'approved');
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  const { get } = await openConsole(desk);
  const [first, second, third] = [1, 2, 3].map((n) => limitOf(desk, n));
  const lines = [`${first},in_progress,`, `${second},freigegeben,`, `${third},suspended,`];
  await writeFile(join(desk.cwd, 'later.csv'), `buyer_limit_id,status,total_limit\n${lines.join('\n')}\n`);
  await desk.limitline('decisions', 'later.csv');
  expect(plainText((await get('/')).text)).toContain('2 limits were lowered In the last 7 days');
  const page = plainText((await get('/lowered')).text);
  expect(page).toMatch(/Buyer 1 GmbH q4 1,001\.50 1,001\.50 – in_progress 20/);
  expect(page).toMatch(/Buyer 2 GmbH q4 1,002\.50 1,002\.50 – freigegeben 20/);
  expect(page).not.toContain('Buyer 3 GmbH');
});
