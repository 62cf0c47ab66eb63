import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLineActor } from '../../src/actor.ts';
import { openConsole, openDesk, plainText } from '../support/desk.ts';
import { openThreeRows } from '../support/three-rows.ts';

// Promise: row-tells-its-story
test('the page of a done row shows its line, its calls with times and ids, and the buyer’s limits', async () => {
  const { get, rowOf, standIn, context } = await openThreeRows();
  const { status, text } = await get(await rowOf('done'));
  expect(status).toBe(200);
  const company = standIn.things('company').find(({ body }) => JSON.stringify(body).includes('Buyer 1 '));
  const limit = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 1'));
  expect(text).toContain(company?.id);
  expect(text).toContain(limit?.id);
  expect(text).toMatch(/<h1><bdi>Buyer 1 GmbH<\/bdi><\/h1>/);
  expect(text).toMatch(/The service made the company after [\d.]+ m?s: company_/);
  expect(text).toContain('q4.csv (import 1) was imported by command line');
  expect(text).toMatch(/<dt>company_registration_number.*?<\/dt><dd>HRB 1<\/dd>/s);
  expect(text).toMatch(/What was sent<\/summary><pre[^>]*>[^<]*requested_limit[^<]*1001\.5/);
  expect(text).not.toContain(context.settings.SERVICE_CLIENT_SECRET);
  // A row without a problem has no story of its own in Redis.
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  expect(await context.ledger.exists(context.keys.story('q4', found?.row.key ?? ''))).toBe(0);
});

// Promise: row-tells-its-story
test('a rejected row shows the service’s answer as text, is sent again, and its timeline names the person', async () => {
  const { get, post, rowOf, limitline, standIn } = await openThreeRows();
  const address = await rowOf('refused');
  const before = await get(address);
  expect(before.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(before.text).not.toContain('<script>alert');
  expect(before.text).toMatch(/The service refused the limit with status 422 after /);
  expect(before.text).toContain(`npx limitline retry q4 --row ${address.split('/').at(-1)}`);

  await standIn.setFaults({ rules: [] });
  const sent = await post(`${address}/retry`);
  expect(sent.status).toBe(303);
  expect((await get(sent.headers.get('location') ?? '')).text).toContain('The row goes again');
  // A second press reports where the row is now.
  expect(await post(`${address}/retry`)).toMatchObject({
    status: 409,
    text: expect.stringContaining('is waiting for the step limit'),
  });
  await limitline('run', 'q4.csv');
  const { text } = await get(address);
  expect(text).toContain(`Sent again by ${commandLineActor()}: it had been rejected by the service.`);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).toContain('The request is sent and answered.');
});

// Promise: selected-rows
test('a row that a colleague has cancelled since the page was loaded is not sent by its button', async () => {
  const { get, post, rowOf, context } = await openThreeRows();
  const address = await rowOf('refused');
  const key = address.split('/').at(-1) ?? '';
  expect((await get(address)).text).toContain('name="state" value="refused"');
  const plan = (await get(`/plans/new?portfolio=q4&action=cancel&chosen=yes&rows=${key}`)).text;
  await post(/action="(\/plans\/[\w-]+\/confirm)"/.exec(plan)?.[1] ?? '');
  const state = async () => (await context.rows.read([{ portfolio: 'q4', key }]))[0]?.state;
  await expect.poll(state, { timeout: 20_000 }).toBe('cancelled');

  expect((await post(`${address}/retry`, { state: 'refused' })).status).toBe(409);
  expect(await state()).toBe('cancelled');
  expect((await get(address)).text).toContain('name="state" value="cancelled"');
  expect((await post(`${address}/retry`, { state: 'cancelled' })).status).toBe(303);
});

// Promise: row-page-names-other-request
test('a rejected row of a buyer with another request shows a warning beside its button', async () => {
  const refused = { on: 'limit', match: '5000', fault: 'status', status: 422 } as const;
  const desk = await openDesk(0, { rules: [refused] });
  const lines = ['Acme AG,HRB 1,700', 'Acme AG,HRB 1,5000', 'Zinc AG,HRB 2,5000'];
  await writeFile(
    join(desk.cwd, 'q4.csv'),
    ['name,company_registration_number,requested_limit', ...lines, ''].join('\n'),
  );
  await desk.limitline('run', 'q4.csv');
  const { get, context } = await openConsole(desk);
  const rows = await context.rows.inState('q4', 'refused', { count: 2 });
  expect(rows).toHaveLength(2);
  for (const { row, line } of rows) {
    const { text } = await get(`/portfolios/q4/rows/${row.key}`);
    expect(text).toContain('Send this row again');
    const warning = /A second limit would be requested: .*?>Line 2 of portfolio q4<\/a> \(.*?700.*?, answered\)/s;
    if (line === 3) expect(text).toMatch(warning);
    else expect(text).not.toContain('A second limit');
  }
});

test('a held row is answered on its page, and a wrong id is refused without effect', async () => {
  const { get, post, rowOf, heldOf, limitline, standIn, json } = await openThreeRows();
  const [address, held] = [await rowOf('held'), await heldOf()];
  const [field, back] = [`made-${held}`, { back: 'row' }];
  const { text } = await get(address);
  expect(text).toMatch(/No answer to the limit call after .*: it is not known whether the limit was made/);
  expect(text).toContain('The row needs an answer');
  expect(await post('/held/plan', { ...back, [field]: 'company_1' })).toMatchObject({
    status: 422,
    text: expect.stringContaining('ids of that step begin with bl_'),
  });
  expect(await post('/held/plan', { ...back, [field]: '' })).toMatchObject({ status: 422 });
  expect((await post('/held/plan', { [field]: 'bl_1' }, { origin: 'http://evil.example' })).status).toBe(403);
  expect((await json('report', 'q4')).states.held).toBe(1);

  const made = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 2'))?.id ?? '';
  const { text: planned } = await post('/held/plan', { ...back, [field]: made });
  const plan = /name="plan" value="([^"]+)"/.exec(planned)?.[1] ?? '';
  expect((await post('/held/confirm', { plan })).headers.get('location')).toBe(`${address}?did=made`);
  await limitline('run', 'q4.csv');
  const after = await get(address);
  expect(after.text).toContain(`${commandLineActor()} said: the limit was made, ${made}.`);
  expect(after.text).toContain('The request is sent and answered.');
  expect(standIn.counts().made.limit).toBe(2);
});

test('the page of a row shows shared documents, corrected lines and a cancelled portfolio', async () => {
  const desk = await openDesk(0);
  const write = async (name: string) => {
    const lines = ['name,country_code,company_registration_number,requested_limit,supporting_documents'];
    lines.push('"=HYPERLINK(""http://evil.example"")",DE,HRB 1,1000,a.pdf', `${name},DE,HRB 2,2000,a.pdf`);
    await writeFile(join(desk.cwd, 'q4.csv'), `${lines.join('\n')}\n`);
  };
  await mkdir(join(desk.cwd, 'documents'));
  await writeFile(join(desk.cwd, 'documents', 'a.pdf'), '%PDF-1.4\n% a\n%%EOF\n');
  await desk.standIn.setFaults({ rules: [{ on: 'company', match: '<i>', fault: 'status', status: 422, body: 'odd' }] });
  await write('Old <i>');
  await desk.limitline('run', 'q4.csv');
  await write('New GmbH');
  await desk.limitline('import', 'q4.csv', '--portfolio', 'q4');
  await desk.limitline('cancel', 'q4');
  const { get, context } = await openConsole(desk);
  const [done] = await context.rows.inState('q4', 'done', { count: 1 });
  const first = (await get(`/portfolios/q4/rows/${done?.row.key}`)).text;
  expect(first).toContain('<h1><bdi>=HYPERLINK(&quot;http://evil.example&quot;)</bdi></h1>');
  expect(first).toContain('a.pdf, application/pdf,');
  const [cancelled] = await context.rows.inState('q4', 'cancelled', { count: 1 });
  const second = (await get(`/portfolios/q4/rows/${cancelled?.row.key}`)).text;
  expect(second).toContain('The service refused the company with status 422');
  expect(second).toContain('A corrected line came with q4.csv (import 2 by command line');
  expect(second).toContain('Old &lt;i&gt;');
  expect(second).toContain('made, for another row');
  expect(second).toContain(`<a href="/portfolios/q4/rows/${done?.row.key}">q4/`);
  expect(second).toContain('The portfolio was cancelled by command line');
});

test('a row that is refused for a company id that a person named says how to name another', async () => {
  const rules = [
    { on: 'company', fault: 'reset', made: true, times: 1 } as const,
    { on: 'limit', fault: 'status', status: 422, times: 1 } as const,
  ];
  const desk = await openDesk(2, { rules });
  await desk.limitline('run', 'q4.csv');
  const words = 'add a column “company_id” with the right id to the file to correct';
  const { get, context } = await openConsole(desk);
  const [held] = await context.rows.inState('q4', 'held', { count: 1 });
  const [refused] = await context.rows.inState('q4', 'refused', { count: 1 });
  const address = `/portfolios/q4/rows/${held?.row.key}`;
  expect((await get(address)).text).not.toContain(words);
  const other = await get(`/portfolios/q4/rows/${refused?.row.key}`);
  expect(other.text).toContain('The service refused the buyer limit request with status 422');
  expect(other.text).not.toContain(words);
  await desk.limitline(
    'resolve',
    'q4',
    '--row',
    `q4/${held?.row.key}`,
    '--made',
    `company_${'a'.repeat(32)}`,
    '--id-is-right',
  );
  await desk.limitline('run', 'q4.csv');
  const { text } = await get(address);
  expect(text).toContain('The service refused the buyer limit request with status 422');
  expect(text).toContain(words);
});

// Promise: other-fields-kept
test('further fields of an answer are shown on the page of its row', async () => {
  const desk = await openDesk(1, { rules: [{ on: 'limit', fault: 'answer', set: { score: 7 } }] });
  await desk.limitline('run', 'q4.csv');
  const { get, context } = await openConsole(desk);
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  const { text } = await get(`/portfolios/q4/rows/${found?.row.key}`);
  expect(text).toContain('The answer also has: <code>{&quot;score&quot;:7}</code>');
});

test('an unknown row is answered with status 404', async () => {
  const { get } = await openConsole(await openDesk(1));
  for (const row of [
    'q4/rows/nothing',
    'q4/rows/..%2f..%2fetc',
    '..%2f/rows/AAAAAAAAAAAAAAAA',
    'q4/rows/AAAAAAAAAAAAAAAA',
  ]) {
    const answer = await get(`/portfolios/${row}`);
    expect(answer, row).toMatchObject({ status: 404, text: expect.stringContaining('Not found') });
  }
});

// Promise: row-names-its-supplier
test('the page of a row names the current supplier of its portfolio, also when it was added later', async () => {
  const { limitline, cwd, env } = await openDesk(1);
  await limitline('run', 'q4.csv', '--yes');
  const { get, context } = await openConsole({ cwd, env });
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  const line = async () => {
    const { text } = await get(`/portfolios/q4/rows/${found?.row.key}`);
    return /<dt>Supplier of the portfolio now<\/dt><dd>(.*?)<\/dd>/s.exec(text)?.[1]?.replace(/<[^>]*>/g, '');
  };
  expect(await line()).toBe(undefined);
  await writeFile(join(cwd, 'us.csv'), 'name,country_code\nNord & Co,DE\n');
  await limitline('run', 'q4.csv', '--yes', '--supplier', 'us.csv');
  const { supplier } = await context.portfolios.read('q4');
  expect(await line()).toBe(`Nord &amp; Co, ${supplier?.id}`);
  expect((await get('/portfolios/q4')).text.replace(/<[^>]*>/g, '')).toContain(
    `Supplier: Nord &amp; Co, ${supplier?.id}.`,
  );
  const named = { body: supplier?.body ?? {}, key: 's' };
  await context.portfolios.setSupplier('q4', { ...named, problem: 'refused: see FILE' });
  expect(await line()).toBe('Nord &amp; Co, not created: the portfolio’s page says why');
  await context.portfolios.setSupplier('q4', named);
  expect(await line()).toBe('Nord &amp; Co, not created yet');
  await context.ledger.hset(context.keys.portfolio('q4'), 'supplierApproval', 'a1');
  expect(await line()).toBe('Nord &amp; Co, once it is approved');
  await context.portfolios.setSupplier('q4', { id: 'company_1', key: 'id:company_1' });
  expect(await line()).toBe('company_1');
});

// Promise: row-names-its-supplier
test('the page of a row names the supplier at the time of its limit call, also after another one was set', async () => {
  const { limitline, cwd, env, standIn } = await openDesk(1);
  const { get, context } = await openConsole({ cwd, env });
  const files = { a: 'A GmbH,DE,HRB 1,5', b: 'B GmbH,DE,HRB 2,5', none: 'C GmbH,DE,HRB 3,5' };
  const header = 'name,country_code,company_registration_number,requested_limit';
  for (const [name, line] of Object.entries(files)) await writeFile(join(cwd, `${name}.csv`), `${header}\n${line}\n`);
  await limitline('run', 'none.csv', '--portfolio', 'p', '--yes');
  for (const name of ['a', 'b']) {
    await writeFile(join(cwd, 'us.csv'), `name,country_code\nSupplier ${name},DE\n`);
    await limitline('run', `${name}.csv`, '--portfolio', 'p', '--yes', '--supplier', 'us.csv');
  }
  const suppliers: Record<string, string | undefined> = {};
  for (const { row } of await context.rows.inState('p', 'done', { count: 3 })) {
    const { text } = await get(`/portfolios/p/rows/${row.key}`);
    const name = /<h1><bdi>(.*?)<\/bdi>/.exec(text)?.[1] ?? '';
    suppliers[name] = /<dt>Supplier when it was sent<\/dt><dd><code>(.*?)<\/code><\/dd>/s.exec(text)?.[1];
  }
  const idOf = (name: string) => standIn.things('company').find(({ body }) => JSON.stringify(body).includes(name))?.id;
  expect(suppliers).toEqual({
    'A GmbH': expect.stringMatching(/^company_/),
    'B GmbH': idOf('Supplier b'),
    'C GmbH': undefined,
  });
  expect(suppliers['A GmbH']).toBe(idOf('Supplier a'));
});

// Promise: row-tells-its-story
test('the page of a row names the currency of each amount, and the outcomes of the buyer’s other requests', async () => {
  const desk = await openDesk(0);
  const header = 'name,country_code,requested_limit,request_reference,currency';
  for (const [name, amount, currency] of [
    ['q3', 2000, 'USD'],
    ['q4', 1000, 'EUR'],
  ]) {
    await writeFile(join(desk.cwd, `${name}.csv`), `${header}\nAcme,DE,${amount},${name},${currency}\n`);
    await desk.limitline('run', `${name}.csv`, '--yes');
  }
  const { get, context } = await openConsole(desk);
  const [first] = await context.rows.inState('q4', 'done', { count: 1 });
  const shown = plainText((await get(`/portfolios/q4/rows/${first?.row.key}`)).text);
  expect(shown).toContain('Line 2 of q4.csv , EUR 1,000.00 requested');
  expect(shown).toContain('Granted EUR 1,000.00 Available EUR 1,000.00');
  expect(shown).toMatch(/Portfolio Outcome Requested q3, line 2 approved USD 2,000.00/);
});
