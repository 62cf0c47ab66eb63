import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { as, byHeader, openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';

const FIONA = as('fiona', 'finance');
const VERA = as('vera', 'viewer');

const HEADER = 'buyer_limit_id,status,total_limit,available_limit,note';

/**
 * A console whose account has the portfolio `q4` of three rows and another of one buyer, with the ids of the limits.
 */
async function openDecisions() {
  const rules = [{ on: 'limit' as const, match: 'HRB', fault: 'decision' as const, status: 'in_progress', share: 0 }];
  const desk = await openDesk(3, { rules });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const other = (await readFile(join(desk.cwd, 'q4.csv'), 'utf8')).split('\n').slice(0, 2).join('\n');
  await writeFile(join(desk.cwd, 'other.csv'), `${other.replace('HRB 1', 'HRB 99').replace('Buyer 1', 'Other')}\n`);
  await desk.limitline('run', 'other.csv', '--no-results');
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  const web = await openConsole(desk, byHeader);
  const idOf = (buyer: string) =>
    desk.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes(`${buyer}"`))?.id ?? '';
  /** Sends a file as the form of the page does. */
  const send = async (content: string, who = FIONA, fields: Record<string, string> = {}) => {
    await web.get('/keys', FIONA);
    const { cookie, token, origin } = await web.credentials();
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new File([content], 'later.csv', { type: 'text/csv' }));
    const response = await fetch(`${web.url}/portfolios/q4/decisions?_csrf=${encodeURIComponent(token)}`, {
      method: 'POST',
      headers: { cookie, origin, 'sec-fetch-site': 'same-origin', ...who },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const outcomes = async () => (await desk.json('report', 'q4')).outcomes;
  /** Imports an upload, and returns the page that the answer leads to. */
  const take = async (upload: string) => {
    const { status, headers } = await web.post('/portfolios/q4/decisions/take', { upload }, FIONA);
    expect(status).toBe(303);
    const address = headers.get('location') ?? '';
    return { address, ...(await web.get(address, FIONA)) };
  };
  return { ...desk, web, context: web.context, idOf, send, take, outcomes };
}

const uploadIn = (text: string) => /name="upload" value="([^"]+)"/.exec(text)?.[1] ?? '';

// Promises: decisions-before-and-after, lowered-approval-warned, mistyped-status-asked, other-portfolios-decisions-listed, unexplained-statuses-named, upload-taken-once, upload-says-first
test('an upload of decisions is previewed first, and then imported once as it was previewed', async () => {
  const { web, idOf, send, take, outcomes, json, limitline } = await openDecisions();
  expect((await web.get('/portfolios/q4', FIONA)).text).toContain('Upload decisions');
  expect((await web.get('/portfolios/q4', VERA)).text).not.toContain('Upload decisions');
  const lines = [
    `${idOf('HRB 1')},approved,1001.5,1001.5,`,
    `${idOf('HRB 2')},aproved,9000,0,`,
    `${idOf('HRB 99')},approved,1,1,`,
    'bl_<b>,approved,1,1,',
  ];
  const { status, text } = await send([HEADER, ...lines, ''].join('\n'));
  expect(status).toBe(200);
  expect(text).toContain('2 decisions would be taken (1 approved, 1 aproved), 0 known already, 2 not taken.');
  expect(text).toContain('Columns that are not read: note.');
  expect(text).toContain('No row had &quot;aproved&quot; before. Did you mean &quot;approved&quot;?');
  expect(text).toContain('1 decision has a limit above the amount that was requested: see the warnings.');
  expect(unmarked(text)).toContain('is 9,000.00, more than the 1,002.50 that was asked for.');
  expect(text).toContain(
    `The limit ${idOf('HRB 99')} is of no row of portfolio q4, but of portfolio other: upload its decision there.`,
  );
  expect(text).toContain('<a href="/portfolios/other"><bdi>other</bdi></a>');
  expect(text).toContain('made the limit bl_&lt;b&gt;.');
  expect(text).toContain('Take in 2 decisions');
  expect(unmarked(text)).toContain('Granted of these requests: 0.00 before, 1,001.50 afterwards.');
  expect(plainText(text.slice(text.indexOf('The first rows that would change')))).toMatch(
    /Buyer 1 GmbH 1,001.50 in_progress → approved counts as now – 1,001.50 Buyer 2 GmbH/,
  );
  expect(await outcomes()).toMatchObject({ under_review: { rows: 3 } });

  const upload = uploadIn(text);
  // The upload belongs to its portfolio and its page. Nothing else may import it.
  for (const left of ['', '/columns', '/take']) {
    const { status, headers } = await web.get(`/portfolios/q4/decisions${left}`, FIONA);
    expect([status, headers.get('location')]).toEqual([303, '/portfolios/q4']);
  }
  expect((await web.post('/portfolios/other/decisions/take', { upload }, FIONA)).status).toBe(409);
  expect((await web.post('/portfolios/q4/held/confirm', { plan: upload }, as('otto', 'operator'))).status).toBe(409);
  const taken = await take(upload);
  expect(taken.status).toBe(200);
  expect(taken.text).toContain('2 decisions taken (1 approved, 1 aproved) for 2 rows, 0 known already, 2 not taken.');
  expect(taken.text).toContain('Nobody has said what &quot;aproved&quot; means');
  expect(taken.text).not.toContain('Take in');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1 }, answered: { rows: 1 }, under_review: { rows: 1 } });
  expect((await json('report', 'other')).outcomes).toMatchObject({ under_review: { rows: 1 } });
  // A reloaded page or a repeated form shows the result of the import, and not that nothing was done.
  expect((await web.get(taken.address, FIONA)).text).toContain('2 decisions taken');
  expect((await web.get(taken.address, VERA)).status).toBe(403);
  expect((await web.get(taken.address.replace('q4', 'other'), FIONA)).status).toBe(404);
  const again = await take(upload);
  expect(again.text).toContain('These decisions were taken in already. Nothing was done twice');
  expect(again.text).toContain('2 decisions taken');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1 }, answered: { rows: 1 }, under_review: { rows: 1 } });
  const { entries } = await json('audit', 'list', '--what', 'decisions taken in', '--about', 'q4');
  expect(entries.find(({ is }: { is: string }) => is === 'done')).toMatchObject({
    by: 'fiona',
    facts: { file: 'later.csv', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), taken: 2, notTaken: 2 },
  });
  expect((await limitline('audit', 'verify')).status).toBe(0);
});

// Promise: upload-says-first
test('the preview of an upload shows the time of each decision, and says when all decisions are known already', async () => {
  const { idOf, send, take } = await openDecisions();
  const at = new Date(Date.now() - 60_000).toISOString().slice(0, 19);
  const content = `buyer_limit_id,status,decided_at\n${idOf('HRB 1')},approved,${at}Z\n`;
  const { text } = await send(content);
  expect(text).toContain('Take in 1 decision');
  expect(text).toContain(`${at.replace('T', ' ')} UTC</time>`);
  await take(uploadIn(text));
  const again = await send(content);
  expect(again.text).not.toContain('Take in 1 decision');
  expect(again.text).toContain('All of it is known already.');
  const taken = await take(uploadIn(again.text));
  expect(taken.text).toContain('1 known already');
});

test('a decision of a day is shown as of that day, before it is taken and on the pages of its row and of what was declined', async () => {
  const { web, idOf, send, take, context, limitline } = await openDecisions();
  const id = idOf('HRB 1');
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { text } = await send(`buyer_limit_id,status,decided_at\n${id},rejected,${day}\n`);
  const shown = `data-local="date">${day}</time>`;
  expect(text).toContain(shown);
  await take(uploadIn(text));
  await limitline('statuses', 'rejected', '--means', 'declined');
  const row = (await context.decisions.find(id))?.maker;
  expect((await web.get(`/portfolios/q4/rows/${row?.key}`, FIONA)).text.split(shown)).toHaveLength(3);
  expect((await web.get('/declined', FIONA)).text).toContain(shown);
});

// Promise: first-answer-beside-decision
test('a row’s page shows the first answer beside the latest decision, and earlier decisions in its timeline', async () => {
  const { web, idOf, send, context } = await openDecisions();
  const id = idOf('HRB 1');
  for (const said of ['rejected,0,0', 'approved,1001.5,900']) {
    const { text } = await send(`${HEADER}\n${id},${said},\n`);
    await web.post('/portfolios/q4/decisions/take', { upload: uploadIn(text) }, FIONA);
  }
  const row = (await context.decisions.find(id))?.maker;
  const { text } = await web.get(`/portfolios/q4/rows/${row?.key}`, VERA);
  const words = plainText(text);
  // A script shows times and amounts in the reader’s locale.
  expect(text).toMatch(/on <time [^>]*data-local="minute">[^<]*<\/time>, as fiona/);
  expect(text).toContain('<data class="amount" value="900">');
  expect(words).toContain('Answered at first in_progress, total 0.00 , available 0.00');
  expect(words).toMatch(
    /Decided later approved, total 1,001.50 , available 900.00 , on [-\d]+ [:\d]+ UTC , as fiona brought in with later.csv/,
  );
  expect(words).toMatch(/The service decided on .*: rejected, total 0.00 , available 0.00 , as fiona brought in/);
  // The part about the call shows its own answer only.
  const ofCall = words.slice(words.indexOf('Sent to the service'));
  expect(ofCall).toContain('status in_progress total_limit 0');
  expect(ofCall).not.toContain('decided_at');
});

// Promises: decision-columns-named, decision-columns-remembered
test('a file with unknown columns leads to a form, and the mapping is kept for files with the same header', async () => {
  const { web, cwd, idOf, send, outcomes, limitline } = await openDecisions();
  const german = (said: string) => `Limit-Nr;Ergebnis;Betrag=neu;Notiz\n${idOf('HRB 1')};${said};x\n`;
  const asked = await send(german('rejected;0'));
  expect(asked.status).toBe(422);
  expect(asked.text).toContain('Which column of <bdi>later.csv</bdi> is what?');
  expect(asked.text).toMatch(
    /<label[^>]*>Status<\/label>\s*<select[^>]*name="status"[^>]*>.*?<option value="Ergebnis">/s,
  );
  const columns = { buyer_limit_id: 'Limit-Nr', status: 'Ergebnis', total_limit: 'Betrag=neu' };
  const name = (text: string, said: Record<string, string>, who = FIONA, portfolio = 'q4') =>
    web.post(`/portfolios/${portfolio}/decisions/columns`, { upload: uploadIn(text), ...said }, who);
  expect((await name(asked.text, columns, VERA)).status).toBe(403);
  expect((await name(asked.text, columns, FIONA, 'other')).status).toBe(409);
  const twice = await name(asked.text, { ...columns, status: 'Limit-Nr' });
  expect(twice).toMatchObject({ status: 422, text: expect.stringContaining('by a mapping that names a column twice') });
  const { text } = await name(asked.text, columns);
  expect(text).toContain('1 decision would be taken (1 rejected)');
  // The mapping is kept once the decisions are imported.
  expect((await send(german('rejected;0'))).status).toBe(422);
  await web.post('/portfolios/q4/decisions/take', { upload: uploadIn(text) }, FIONA);
  expect(await outcomes()).toMatchObject({ answered: { rows: 1 } });
  const again = await send(german('approved;1001,50'));
  expect(again.text).toContain(
    'Columns are read as fiona said of such a file: Limit-Nr=buyer_limit_id, Ergebnis=status, Betrag=neu=total_limit.',
  );
  expect(again.text).toMatch(/<option value="Betrag=neu" selected/);
  await writeFile(join(cwd, 'later.csv'), german('approved;1001,50'));
  expect((await limitline('decisions', 'later.csv')).stdout).toContain('1 decision taken (1 approved) for 1 row');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1, granted: '1001.50' } });
});

// Promises: refused-upload-keeps-form, thousand-or-one-is-asked
test('a file without decisions, a too large file and an ambiguous amount are refused, and nothing is stored', async () => {
  const { web, idOf, send, outcomes } = await openDecisions();
  const none = await send('name,amount\nA,1\n');
  expect(none.status).toBe(422);
  expect(none.text).toContain('later.csv: its columns are not known.');
  expect(none.text).toContain('Its header has &quot;name&quot;, &quot;amount&quot;: say below which column is what.');
  const large = await send(`${HEADER}\n`.padEnd(10_000_001, ' '));
  expect(large.status).toBe(413);
  const old = await web.post('/portfolios/q4/decisions/take', { upload: 'gone' }, FIONA);
  expect(old.status).toBe(409);
  expect(old.text).toContain('These decisions were taken in already, or are too old');
  // Each refusal shows the form again, and a link back.
  for (const { text } of [none, large, old]) {
    expect(text).toContain('action="/portfolios/q4/decisions?_csrf=');
    expect(text).toContain('href="/portfolios/q4"');
  }
  const doubtful = `${HEADER}\n${idOf('HRB 1')},approved,1.234,,\n`;
  const asked = await send(doubtful);
  expect(asked.text).toContain('This may be 1234 or 1.234');
  expect(asked.text).toContain('choose “Decimal mark” with the file');
  expect(asked.text + none.text).not.toMatch(/--(map|decimal)/);
  expect(asked.text).not.toContain('Take in');
  expect(unmarked((await send(doubtful, FIONA, { decimal: ',' })).text)).toContain(
    'is 1,234.00, more than the 1,001.50',
  );
  expect((await send(doubtful, VERA)).status).toBe(403);
  expect(await outcomes()).toMatchObject({ under_review: { rows: 3 } });
});

test('a remembered column mapping can be corrected or removed, and is not applied afterwards', async () => {
  const { web, idOf, send } = await openDecisions();
  const file = (buyer: string, risk: string) => send(`buyer_limit_id,status,Risiko\n${idOf(buyer)},approved,${risk}\n`);
  const say = async ({ text }: { text: string }, total_limit: string) => {
    const said = { upload: uploadIn(text), row: '', total_limit, available_limit: '', decided_at: '' };
    return (await web.post('/portfolios/q4/decisions/columns', said, FIONA)).text;
  };
  const take = (text: string) => web.post('/portfolios/q4/decisions/take', { upload: uploadIn(text) }, FIONA);
  await take(await say(await file('HRB 1', '900.50'), 'Risiko'));
  const again = await file('HRB 2', '777.50');
  expect(again.text).toContain('Columns are read as fiona said of such a file: Risiko=total_limit.');
  expect(again.text).toMatch(/<option value="Risiko" selected/);
  const none = await say(again, '');
  expect(none).toContain('The file has no column total_limit');
  expect(none).not.toContain('777.50');
  await take(none);
  expect((await file('HRB 3', '5')).text).not.toContain('as fiona said');
});
