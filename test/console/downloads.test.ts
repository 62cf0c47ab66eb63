import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachmentOf, safeFileName } from '../../src/console/pages/downloads/send-download.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { openThreeRows } from '../support/three-rows.ts';
import { later } from '../support/under-review.ts';

const FILES = [
  ['results.csv', ['--format', 'csv', '--like-input'], 'q4-results.csv'],
  ['errors.csv', ['--format', 'errors-csv', '--like-input'], 'q4-errors.csv'],
  ['results.xlsx', ['--format', 'xlsx'], 'q4-results.xlsx'],
] as const;

// Promise: files-have-input-delimiter
test('each download equals the command line’s file byte for byte, and unknown names are answered with status 404', async () => {
  const { open, get, limitline, cwd, context } = await openThreeRows();
  for (const [file, options, name] of FILES) {
    await limitline('report', 'q4', ...options, '--out', file);
    const response = await open(`/portfolios/q4/downloads/${file}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${name}"`);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const got = Buffer.from(await response.arrayBuffer());
    expect(withoutTimes(got, file)).toEqual(withoutTimes(await readFile(join(cwd, file)), file));
  }

  const causes = await context.portfolios.causes('q4');
  const refused = causes.find(({ meaning }) => meaning === 'refused')?.id ?? '';
  const options = ['--format', 'errors-csv', '--like-input', '--cause', refused];
  const expected = (await limitline('report', 'q4', ...options)).stdout;
  expect(expected).toContain('Buyer 3 GmbH');
  const { text, headers } = await get(`/portfolios/q4/downloads/errors.csv?cause=${refused}`);
  expect(text).toBe(expected);
  expect(headers.get('content-disposition')).toContain(`q4-errors-${refused}.csv`);
  expect(await limitline('report', 'q4', '--format', 'errors-csv', '--cause', 'zzzz')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('report "q4" --causes'),
  });
  expect((await get('/portfolios/q4/downloads/errors.csv?cause=zzzz')).status).toBe(404);
  expect((await get(`/portfolios/q4/downloads/results.csv?cause=${refused}`)).status).toBe(422);

  const nowhere = [
    '/portfolios/q4/downloads/..%2f..%2f..%2fetc%2fpasswd',
    '/portfolios/..%2fq4/downloads/results.csv',
    '/portfolios/q4/downloads/original?import=../1',
    '/portfolios/q4/downloads/constructor',
    '/portfolios/none/downloads/results.csv',
    '/portfolios/none/downloads/original',
  ];
  for (const address of nowhere) {
    const answer = await get(address);
    expect([address, answer.status, answer.headers.get('content-disposition')]).toEqual([address, 404, null]);
  }
});

/** Clears the packing times in a workbook, so that everything else can be compared. */
function withoutTimes(bytes: Buffer, file: string): Buffer {
  if (!file.endsWith('.xlsx')) return bytes;
  for (const [signature, timeAt] of ZIP_TIMES) {
    for (let at = bytes.indexOf(signature); at >= 0; at = bytes.indexOf(signature, at + 4)) {
      bytes.writeUInt32LE(0, at + timeAt);
    }
  }
  return bytes;
}

/**
 * Signatures of a ZIP file’s parts, and the offset of the time in each (APPNOTE.TXT, 4.3.7, 4.3.12; Info-ZIP’s field
 * UT).
 */
const ZIP_TIMES = [
  ['PK\u0003\u0004', 10],
  ['PK\u0001\u0002', 12],
  ['UT\u0005\u0000', 5],
] as const;

test('a downloaded file has the separator of the imported one, as after a run', async () => {
  const desk = await openDesk(1);
  const lines = ['Firma;Land;HRB-Nummer;Kreditlimit', 'Müller AG;DE;HRB 1;1.250,50', 'Nobody AG;DE;HRB 2;viel'];
  await writeFile(join(desk.cwd, 'mai.csv'), lines.join('\r\n'), 'latin1');
  await desk.limitline('run', 'mai.csv', '--yes');
  const { open } = await openConsole(desk);
  for (const file of ['results', 'errors']) {
    const response = await open(`/portfolios/mai/downloads/${file}.csv`);
    const got = Buffer.from(await response.arrayBuffer());
    expect(got.equals(await readFile(join(desk.cwd, `mai.${file}.csv`)))).toBe(true);
    expect(got.toString()).toContain('Firma;Land');
  }
});

test('the original file is downloaded unchanged under its own name, with any characters', async () => {
  const desk = await openDesk(2);
  const name = 'Käufer "Q4";\n<b>.csv';
  await writeFile(join(desk.cwd, name), await readFile(join(desk.cwd, 'q4.csv')));
  await desk.limitline('import', name, '--portfolio', 'q4');
  await desk.limitline('import', 'q4.csv', '--portfolio', 'q5');
  const { open, get } = await openConsole(desk);
  const response = await open(`/portfolios/q4/downloads/original`);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="[\x20-\x7E]+"; filename\*=UTF-8''K%C3%A4ufer/,
  );
  expect(await response.text()).toBe(await desk.read('q4.csv'));
  expect((await get('/portfolios/q4/downloads/original?import=2')).status).toBe(404);
});

test('a download that the reader aborts stops reading the ledger', async () => {
  const desk = await openDesk(8_000);
  await desk.limitline('import', 'q4.csv');
  const { url, context, credentials } = await openConsole(desk);
  const { cookie } = await credentials();
  let opened = 0;
  const before = context.rows.resultsAtLines;
  context.rows.resultsAtLines = async (...args) => {
    opened += 1;
    return before(...args);
  };
  await new Promise<void>((resolve) => {
    const asked = request(`${url}/portfolios/q4/downloads/results.csv`, { headers: { cookie } }, (response) => {
      response.once('data', () => {
        asked.destroy();
        resolve();
      });
    });
    asked.on('error', () => {});
    asked.end();
  });
  // Reads that are under way may end. Afterwards nothing more is read.
  const looks = [-1];
  const rests = () => {
    looks.push(opened);
    return looks.at(-1) === looks.at(-2);
  };
  await expect.poll(rests, { interval: 250 }).toBe(true);
  expect(opened).toBeLessThan(20);
});

describe('file names', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\q4.csv', 'q4.csv'],
    ['.bashrc', 'bashrc'],
    ['con.csv', 'file_con.csv'],
    ['a\r\nSet-Cookie: x.csv', 'a__Set-Cookie_ x.csv'],
    ['', 'file_'],
    [`${'x'.repeat(300)}.csv`, `${'x'.repeat(120)}.csv`],
  ])('the name %j is saved as %j', (given, saved) => expect(safeFileName(given)).toBe(saved));

  test('the header has other scripts in its encoded form, and a plain form without special characters', () => {
    expect(attachmentOf('büyer 買い手 "a".csv')).toBe(
      `attachment; filename="buyer ___ _a_.csv"; filename*=UTF-8''b%C3%BCyer%20%E8%B2%B7%E3%81%84%E6%89%8B%20_a_.csv`,
    );
  });
});

// Promise: results-for-a-spreadsheet
test('the results CSV is written with the requested decimal mark and separator', async () => {
  const desk = await openDesk(1);
  const lines = ['Firma;Land;HRB-Nummer;Kreditlimit', 'Müller AG;DE;HRB 1;1.250,50', 'Beta AG;DE;HRB 2;2.000'];
  await writeFile(join(desk.cwd, 'mai.csv'), lines.join('\r\n'), 'latin1');
  await desk.limitline('run', 'mai.csv', '--yes');
  const { open, get } = await openConsole(desk);
  const read = async (query: string) => {
    const bytes = Buffer.from(await (await open(`/portfolios/mai/downloads/results.csv?${query}`)).arrayBuffer());
    return [bytes.subarray(0, 3).toString('hex') === 'efbbbf', bytes.toString().split('\r\n')] as const;
  };
  const [isMarked, comma] = await read('decimal=comma&delimiter=semicolon&excel=yes');
  expect(isMarked).toBe(true);
  expect(comma[1]).toMatch(/^Müller AG;DE;HRB 1;1250,5;.*;1250,5;/);
  expect(comma[2]).toMatch(/^Beta AG;DE;HRB 2;2000;/);
  const [isPlain, point] = await read('decimal=point&delimiter=tab');
  expect(isPlain).toBe(false);
  expect(point[1]).toMatch(/^Müller AG\tDE\tHRB 1\t1250\.5\t.*\t1250\.5\t/);
  // The file is imported as decisions by its own convention.
  const [header = '', line = '', other = ''] = comma;
  const at = (name: string) => header.split(';').lastIndexOf(name);
  const changed = line.split(';');
  changed[at('total_limit')] = '250,25';
  await writeFile(
    join(desk.cwd, 'back.csv'),
    [`${header};decided_at`, `${changed.join(';')};${later(1)}`, `${other};`, ''].join('\r\n'),
  );
  expect((await desk.limitline('decisions', 'back.csv')).stdout).toContain('1 decision taken (1 approved) for 1 row');
  expect((await desk.json('report', 'mai')).granted).toBe('2250.25');
  expect((await get('/portfolios/mai/downloads/results.csv?decimal=dot&delimiter=tab')).status).toBe(422);
  expect((await get('/portfolios/mai/downloads/errors.csv?decimal=comma&delimiter=tab')).status).toBe(422);
  const { text } = await get('/portfolios/mai');
  expect(text).toContain('CSV with other decimals');
  expect(text).toContain(
    '“Download CSV” has your columns as they were typed, and the columns of Limitline with a decimal point',
  );
  expect(text).toContain('aria-label="Download: Excel"');
  expect(text).not.toContain('Download: Download');
});
