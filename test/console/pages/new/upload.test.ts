import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorkers } from '../../../../jobs/workers/workers.ts';
import { openService } from '../../../../src/open-service.ts';
import { type FormFile, openConsole, openDesk, unmarked, uploadTo } from '../../../support/desk.ts';
import { buyerLines } from '../../../support/workplace.ts';

const CSV = buyerLines(2).join('\n');

async function openUploads(settings: Record<string, string> = {}) {
  const desk = await openDesk(1, {}, settings);
  const web = await openConsole(desk);
  const folders = () => readdir(join(web.context.settings.LIMITLINE_DATA, 'drafts')).catch((): string[] => []);
  return { desk, web, folders };
}

test('an upload is previewed, corrected and submitted by plain forms', async () => {
  const { web, desk } = await openUploads();
  const lines = buyerLines(3).join('\n').replace('1002.50', 'much');
  const { status, location } = await uploadTo(web, ['file', 'q9.csv', lines]);
  expect(status).toBe(303);
  const page = await web.get(location);
  expect(page.text).toContain('1 line would not be requested: fix it here');
  expect(page.text).toContain('1 on the whole file; for your information');
  expect(page.text).not.toContain('0 lines, 1 on');
  expect(page.text).toContain('name="cell-3-3" value="much"');
  expect(page.text).toContain('>2,005.00</data>');
  expect(page.text).toContain('npx limitline run q9.csv --portfolio q9');

  const checked = await web.post(`${location}/check`, { 'cell-3-3': '12,,5' });
  expect(checked.text).toContain('<strong><bdi>requested_limit</bdi>:</strong>');
  expect((await web.post(`${location}/check`, { 'cell-3-3': '12.5' })).text).toContain('Nothing is wrong');
  const saved = { version: '1', list: 'problems', 'cell-3-3': '12.5', 'cell-3-0': 'Buyer 2 GmbH' };
  expect((await web.post(`${location}/mend`, saved)).status).toBe(303);
  const typed = { ...saved, everywhere: 'yes', column: 'requested_limit', from: 'm<b>', to: '' };
  const conflict = await web.post(`${location}/mend`, typed);
  expect(conflict.status).toBe(409);
  expect(conflict.text).toMatch(/<bdi>much<\/bdi>[\s\S]*Not replaced.*: “.*m&lt;b&gt;.*” with nothing/);

  const mended = await web.get(location);
  expect(mended.text).toContain('Request all: 3 limits, 2,017.50 in total');
  const of = /name="of" value="(\w+)"/.exec(mended.text)?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of: 'other' })).status).toBe(409);
  expect(await web.context.portfolios.names()).toEqual([]);
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  await expect.poll(async () => (await web.get(`${location}/import`)).headers.get('location')).toBe('/portfolios/q9');
  expect(await desk.json('report', 'q9')).toMatchObject({ rows: 3, invalid: 0, inAllRows: '2017.50' });
  expect((await web.get(`${location}/file`)).text).toBe(lines.replace('much', '12.5'));
});

test('the choice of sending five rows first says how the others are sent afterwards', async () => {
  const { web } = await openUploads();
  const { location } = await uploadTo(web, ['file', 'q9.csv', buyerLines(6).join('\n')]);
  const words = 'Look at the answers and resume it, and the rest is sent.';
  expect((await web.get(location)).text).toContain(
    `Send 5, then wait</button><span class="hint">Then the portfolio pauses. ${words}`,
  );
});

test('the corrected lines of an errors file are proposed for its portfolio', async () => {
  const { web } = await openUploads();
  const { location } = await uploadTo(web, ['file', 'q4-errors-9x8bjr8t.csv', CSV]);
  expect((await web.get(location)).text).toContain('name="portfolio" value="q4"');
});

test('columns and number format of an upload are corrected, and the next file with this header is read the same way', async () => {
  const { web } = await openUploads();
  const text = (name: string) => `Wer;Wieviel\n${name};1.250\n`;
  const { location } = await uploadTo(web, ['file', 'a.csv', text('A')]);
  const page = await web.get(location);
  expect(page.text).toContain('This file cannot be imported yet.');
  expect(page.text).toContain('1.250');
  const reading = {
    'column-0': 'name',
    'column-1': 'requested_limit',
    decimal: ',',
    'constant-name-0': 'country_code',
    'constant-value-0': 'DE',
  };
  expect((await web.post(`${location}/reading`, reading)).status).toBe(303);
  await expect.poll(async () => (await web.get(location)).text).toContain('1 limit, 1,250.00 in total');
  const corrected = await web.get(location);
  expect(corrected.text).toContain('--map mapping.json --map Wer=name --map Wieviel=requested_limit --decimal comma');
  const of = /name="of" value="(\w+)"/.exec(corrected.text)?.[1] ?? '';
  await web.post(`${location}/submit`, { of });
  const { location: next } = await uploadTo(web, ['file', 'b.csv', text('B')]);
  await expect.poll(async () => (await web.get(next)).text).toContain('1 limit, 1,250.00 in total');
  expect((await web.get(next)).text).toContain('It has the same columns as a.csv.');
});

test('an errors file can be assigned to the portfolio that it belongs to', async () => {
  const desk = await openDesk(1, { rules: [{ on: 'limit', fault: 'status', status: 422, times: 1 }] });
  await desk.limitline('run', 'q4.csv', '--yes');
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'mended.csv', await desk.read('q4.errors.csv')]);
  expect((await web.get(location)).text).toContain('Choose portfolio “q4” below.');
  expect((await web.get(location)).text).toContain('name="portfolio" value="mended"');
  expect((await web.post(`${location}/portfolio`, { portfolio: 'q4' })).status).toBe(303);
  await expect.poll(async () => (await web.get(location)).text).toContain('Request all: 1 limit');
});

test('a file that is no table or too large is refused with a reason, and nothing of it is kept', async () => {
  const { web, folders } = await openUploads({ CONSOLE_UPLOAD_MB: '1' });
  const refused = async (
    status: number,
    words: string,
    ...files: Parameters<typeof uploadTo> extends [unknown, ...infer Files] ? Files : never
  ) => {
    const answer = await uploadTo(web, ...files);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(words) });
    expect(await folders()).toEqual([]);
  };
  await refused(415, 'This is a PDF document', ['file', 'buyers.csv', '%PDF-1.7\n']);
  await refused(413, 'larger than 1 MB', ['file', 'buyers.csv', Buffer.alloc(1_500_000, 'a')]);
  await refused(
    413,
    'larger than 1 MB',
    ['file', 'buyers.csv', CSV],
    ['documents', 'a.pdf', Buffer.alloc(1_100_000, 'a')],
  );
  await refused(400, 'Choose the file of buyers', ['documents', 'a.pdf', '%PDF-1.7\n']);
  const { status, location } = await uploadTo(web, ['file', '<img src=x onerror=alert(1)>.csv', CSV]);
  expect(status).toBe(303);
  expect((await web.get(location)).text).toContain('&lt;img src=x onerror=alert(1)&gt;.csv');
});

test('a path in a file name does not leave the folder of the upload', async () => {
  const { web, folders } = await openUploads();
  const evil = '../../../evil';
  const { location } = await uploadTo(web, ['file', `${evil}.csv`, CSV], ['documents', `${evil}.pdf`, '%PDF-1.7\n']);
  const [id = ''] = await folders();
  expect(location).toBe(`/new/${id}`);
  const dir = join(web.context.settings.LIMITLINE_DATA, 'drafts', id);
  expect((await readdir(join(dir, 'documents'))).sort()).toEqual(['evil.pdf']);
  expect((await readdir(dir)).sort()).toEqual(expect.arrayContaining(['documents', 'draft.json', 'v1']));
  for (const name of ['..%2f..%2fredis', '..', '%2e%2e', 'aaaaaaaaaaaa', `${id}%00`]) {
    expect((await web.get(`/new/${name}/file`)).status, name).toBeGreaterThanOrEqual(400);
  }
});

// Promise: refused-upload-leaves-nothing
test('an upload whose connection breaks leaves no file', async () => {
  const { web, folders } = await openUploads();
  const { cookie, token, origin } = await web.credentials();
  const sending = request(`${web.url}/new/upload?_csrf=${encodeURIComponent(token)}`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 10_000_000 },
  });
  const closed = new Promise((done) => sending.on('error', () => {}).on('close', done));
  sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="q4.csv"\r\n\r\n');
  sending.write(`${CSV}\n`.repeat(1_000));
  await expect.poll(folders).toHaveLength(1);
  sending.destroy();
  await closed;
  await expect.poll(folders).toEqual([]);
});

test('an upload without a valid token is refused, and leaves no file', async () => {
  const { web, folders } = await openUploads();
  const { cookie, origin } = await web.credentials();
  const forged = { url: web.url, credentials: async () => ({ cookie, token: 'forged', origin }) };
  expect((await uploadTo(forged, ['file', 'q4.csv', CSV])).status).toBe(403);
  expect(await folders()).toEqual([]);
});

test('of 600 columns the preview shows only some, including those that are mapped', async () => {
  const { web } = await openUploads();
  const header = `${'own,'.repeat(300)}${Array.from({ length: 300 }, (_, at) => `own ${at}`).join(',')},name,requested_limit`;
  const { location } = await uploadTo(web, ['file', 'wide.csv', `${header}\n${'x,'.repeat(600)}A,1000\n`]);
  const { text } = await web.get(location);
  expect(text.length).toBeLessThan(500_000);
  expect(text).toContain('name="column-600"');
  expect(text).toContain('more columns are not sent');
});

test('a truncated upload is answered with status 400, and leaves no file', async () => {
  const { web, folders } = await openUploads();
  const { cookie, token, origin } = await web.credentials();
  const response = await fetch(`${web.url}/new/upload?_csrf=${encodeURIComponent(token)}`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\ncontent-disposition: form-data; name="file"; filename="q4.csv"\r\n\r\n${CSV}`,
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('cut off before its end')]);
  expect(await folders()).toEqual([]);
});

// Promise: preview-says-sum-above
test('the preview says which sum is above its limit, and a waiting import says that nothing is sent yet', async () => {
  const settings = { APPROVE_ABOVE: '40000', APPROVE_PERSON_ABOVE: '5000' };
  const { web } = await openUploads(settings);
  const submit = async (name: string, lines: string[]) => {
    const { location } = await uploadTo(web, ['file', `${name}.csv`, lines.join('\n')]);
    await expect.poll(async () => (await web.get(location)).text).toContain('name="of"');
    const text = unmarked((await web.get(location)).text);
    const submitted = async () =>
      web.post(`${location}/submit`, { of: /name="of" value="(\w+)"/.exec(text)?.[1] ?? '' });
    return { location, text, submitted };
  };
  const first = await submit('q8', buyerLines(3));
  expect(first.text).not.toContain('A colleague must approve this first.');
  expect(first.text).toContain('If the sum of one buyer is above 40,000.00 with this file, nothing is sent');
  await first.submitted();
  await expect
    .poll(async () => (await web.get(`${first.location}/import`)).headers.get('location'))
    .toBe('/portfolios/q8');
  const second = await submit('q9', ['name,requested_limit', 'Omega AG,2000']);
  expect(second.text).toMatch(
    /asks for 5,007\.50 with this and what passed lately without another person&#39;s yes, which is above 5,000\.00\./,
  );
  const large = await submit('q10', buyerLines(60));
  expect(large.text).toMatch(/It asks for [\d,.]+, which is above 40,000\.00: nothing is sent/);
  const seen = Promise.withResolvers<void>();
  vi.spyOn(web.context, 'enterAccount').mockReturnValueOnce(seen.promise);
  await large.submitted();
  const importing = await web.get(`${large.location}/import`);
  seen.resolve();
  expect(importing.text).toContain('Nothing is sent before the whole file is imported, and approved where needed');
});

const SUPPLIER: FormFile = ['supplier', 'us.csv', 'name,country_code,Fax\n<b>Supplier</b> GmbH,DE,\n'];

async function submitted(web: Awaited<ReturnType<typeof openUploads>>['web'], location: string) {
  const { text } = await web.get(location);
  const of = /name="of" value="(\w+)"/.exec(text)?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  await expect.poll(async () => (await web.get(`${location}/import`)).status).toBe(303);
  return text;
}

test('an uploaded supplier is shown and created before its buyers, once for the account', async () => {
  const { web, desk } = await openUploads();
  // The first portfolio creates two buyers, two limits and the supplier. The second creates nothing.
  for (const [name, calls] of Object.entries({ q8: 5, q9: 0 })) {
    const { location } = await uploadTo(web, ['file', `${name}.csv`, CSV], SUPPLIER);
    const text = await submitted(web, location);
    const supplier = '<bdi>&lt;b&gt;Supplier&lt;/b&gt; GmbH</bdi>';
    expect(text).toContain(`Supplier: <strong>${supplier}</strong>, of <bdi>us.csv</bdi>`);
    expect(text).toContain('Columns of the supplier&#39;s file that are not sent: Fax.');
    expect(text).toMatch(new RegExp(`Calls</dt><dd class="stat-value">${calls}<`));
    expect(text).toContain(`npx limitline run ${name}.csv --portfolio ${name} --supplier us.csv`);
  }
  const workers = await startWorkers(web.context, openService(web.context, desk.standIn.url()));
  onTestFinished(() => workers.stop());
  const finished = async (name: string) => (await web.context.portfolios.read(name)).finishedMs;
  for (const name of ['q8', 'q9']) await expect.poll(() => finished(name)).toBeDefined();
  const [one, other] = [await desk.json('report', 'q8'), await desk.json('report', 'q9')];
  expect([one.supplier, one.states.done]).toEqual([expect.stringMatching(/^company_/), 2]);
  expect(other.supplier).toBe(one.supplier);
  const { entries } = await desk.json('audit', 'list', '--what', 'file uploaded');
  expect(entries.at(-1).facts).toMatchObject({ supplier: 'us.csv' });
});

// Promise: imports-wait-for-approval
test('nothing is sent for an uploaded supplier before the import is approved', async () => {
  const { web, desk } = await openUploads({ APPROVE_ALWAYS: 'on' });
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], SUPPLIER);
  await submitted(web, location);
  await desk.limitline('run', 'q4.csv', '--no-results');
  expect(await desk.json('report', 'q9')).toMatchObject({ supplier: null, states: { awaiting: 2 } });
  expect(await web.context.portfolios.read('q9')).toMatchObject({ supplierAwaits: true });
  const [asked] = await web.context.approvals.of('q9', 1);
  expect(asked?.supplier).toBe('<b>Supplier</b> GmbH');
  expect(desk.standIn.counts().made.company).toBe(0);
});

test.each([
  [
    'the supplier’s file has no line',
    ['supplier', 'us.csv', 'name,country_code\n'],
    422,
    'The supplier in us.csv cannot be used. The file has no line',
  ],
  ['the supplier’s file has two lines', ['supplier', 'us.csv', 'name\nA\nB\n'], 422, 'The file has several lines'],
  ['the supplier’s file is no table', ['supplier', 'us.csv', '\0\0\0'], 422, 'us.csv'],
  ['a cell is invalid', ['supplier', 'us.csv', 'name,country_code\nA,dex\n'], 422, 'Line 2, country_code'],
  ['there are two suppliers', SUPPLIER, 400, 'A portfolio has one supplier'],
] as const)('an upload with a supplier is refused if %s', async (_what, supplier, status, words) => {
  const { web, folders } = await openUploads();
  const files: FormFile[] = [['file', 'q9.csv', CSV], [...supplier], ...(status === 400 ? [SUPPLIER] : [])];
  const refused = await uploadTo(web, ...files);
  expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(words)]);
  expect(refused.text).not.toContain('incoming-');
  expect(await folders()).toEqual([]);
});

test('an import is refused if the supplier’s file was changed on disk after the preview', async () => {
  const { web } = await openUploads();
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], SUPPLIER);
  const of = /name="of" value="(\w+)"/.exec((await web.get(location)).text)?.[1] ?? '';
  const id = location.split('/').at(-1) ?? '';
  await writeFile(join(web.context.settings.LIMITLINE_DATA, 'drafts', id, 'supplier.csv'), 'name\nOther GmbH\n');
  const refused = await web.post(`${location}/submit`, { of });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('no longer what you saw')]);
  expect(await web.context.portfolios.names()).toEqual([]);
});
