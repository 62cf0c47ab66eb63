import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,requested_limit,PLZ';
const LINES = [HEADER, 'Buyer 1 GmbH,DE,1000,01234'];
const reading = { mapping: { columns: { PLZ: 'company.address.postal_code' }, constants: {} } } as const;

// Promise: missing-mapping-is-said
test('an import warns if its file lacks the mapping of the previous file', async () => {
  const { import: importLines } = await openWorkplace();
  const said = async (how?: { reading: typeof reading }) =>
    (await importLines(LINES, how)).warnings.filter(({ message }) => message.includes('was read with'));
  expect(await said({ reading })).toEqual([]);
  expect(await said({ reading })).toEqual([]);
  expect((await importLines(LINES)).warnings[0]).toMatchObject({
    column: null,
    message: expect.stringMatching(
      /^The last file of this portfolio, .*\.csv, was read with --map "PLZ=company\.address\.postal_code", and this one is not\./,
    ),
  });
});

// Promise: missing-mapping-is-said
test('check prints the warning about a missing mapping above the lines that differ', async () => {
  const { cwd, limitline } = await openDesk(1);
  await writeFile(join(cwd, 'plz.csv'), `${LINES.join('\n')}\n`);
  const mapped = ['plz.csv', '--map', 'PLZ=company.address.postal_code'];
  await limitline('run', ...mapped, '--no-results');
  const { stdout, status } = await limitline('check', 'plz.csv');
  expect(status).toBe(2);
  expect(stdout).toMatch(
    /^file: The last file of this portfolio, plz\.csv, was read with --map "PLZ=company\.address\.postal_code", and .* \(a warning\)\nline 2/,
  );
  expect((await limitline('check', ...mapped)).stdout).not.toContain('was read with');
});

const FULL = [
  'name,country_code,company_registration_number,street,request_reference,requested_limit',
  'Alder AG,DE,HRB 1,Weg 1,R1,1000',
  'Birch AG,DE,HRB 2,Weg 2,R2,2000',
];
const INFORMED = ['name,business_information_source,business_information_id,requested_limit', 'Alder AG,DNB,1,1000'];
const NUMBERED = ['name,country_code,company_registration_number,requested_limit', 'Alder AG,DE,HRB 1,1000'];

/** The lines without these columns. */
function without(lines: readonly string[], ...columns: string[]): string[] {
  const header = lines[0]?.split(',') ?? [];
  const places = columns.map((column) => header.indexOf(column));
  return lines.map((line) =>
    line
      .split(',')
      .filter((_cell, at) => !places.includes(at))
      .join(','),
  );
}

/** A list of ten lines like the first one, each for another buyer. */
function tenLike([header = '', line = '']: readonly string[]): string[] {
  const other = (n: number) => line.replace('Alder', `Alder ${n}`).replace(/(?<=HRB |,R|DNB,)1/g, `${n}`);
  return [header, ...Array.from({ length: 10 }, (_none, n) => other(n + 1))];
}

/** The lines with empty cells in these columns. */
function emptied([header = '', ...lines]: readonly string[], ...columns: string[]): string[] {
  const places = columns.map((column) => header.split(',').indexOf(column));
  const without = (line: string) => line.split(',').map((cell, at) => (places.includes(at) ? '' : cell));
  return [header, ...lines.map((line) => without(line).join(','))];
}

describe('a file after one whose limits were requested', () => {
  async function openAfter(lines: readonly string[], command = 'run') {
    const desk = await openDesk(1);
    const write = (given: readonly string[]) => writeFile(join(desk.cwd, 'list.csv'), `${given.join('\n')}\n`);
    await write(lines);
    await desk.limitline(command, 'list.csv');
    return { ...desk, write, made: () => desk.standIn.counts().made.limit };
  }

  // Promise: lacking-reference-is-refused
  test.each([
    ['request_reference', FULL, without(FULL, 'request_reference')],
    ['country_code', NUMBERED, without(NUMBERED, 'country_code', 'company_registration_number')],
    ['country_code', NUMBERED, without(NUMBERED, 'country_code')],
    ['business_information_id', INFORMED, without(INFORMED, 'business_information_id')],
    [
      'business_information_source, business_information_id',
      INFORMED,
      without(INFORMED, 'business_information_source', 'business_information_id'),
    ],
  ])('is refused as a whole by check, import and run if it lacks %s', async (columns, lines, later) => {
    const { limitline, write, made } = await openAfter(lines);
    const before = made();
    await write(later);
    for (const command of ['check', 'import', 'run']) {
      const { stdout, stderr, status } = await limitline(command, 'list.csv');
      expect(status).toBe(2);
      expect(`${stdout}${stderr}`).toContain(
        `list.csv, had the column${columns.includes(',') ? 's' : ''} ${columns}, and this one has not.`,
      );
    }
    expect(made()).toBe(before);
  });

  // Promise: lacking-reference-is-refused
  test.each([
    [
      'has it under another name, given by --map',
      FULL.map((line) => line.replace('request_reference', 'Vorgang')),
      ['--map', 'Vorgang=request_reference'],
    ],
    ['is imported into another portfolio', without(FULL, 'request_reference'), ['--portfolio', 'other']],
  ])('is accepted if it %s', async (_what, later, how) => {
    const { limitline, write } = await openAfter(FULL);
    await write(later);
    const { stdout } = await limitline('check', 'list.csv', ...how);
    expect(stdout).not.toContain('and this one has not');
    expect(stdout).toContain('2 good');
  });

  // Promise: lacking-reference-is-refused
  test('is accepted if it lacks a column that was empty, also after an errors file', async () => {
    const empty = ['name,country_code,request_reference,requested_limit', 'Alder AG,DE,,1000', 'Birch AG,DE,,0'];
    const { limitline, write, cwd } = await openAfter(empty);
    await limitline('report', 'list', '--format', 'errors-csv', '--out', 'mended.csv');
    const errors = await readFile(join(cwd, 'mended.csv'), 'utf8');
    await writeFile(join(cwd, 'mended.csv'), errors.replace(',0,', ',3000,'));
    await limitline('run', 'mended.csv', '--portfolio', 'list', '--no-results');
    await write(without(empty, 'request_reference'));
    expect((await limitline('check', 'list.csv')).stdout).not.toContain('and this one has not');
  });

  // Promise: lacking-reference-is-refused
  test('is refused for a missing column even if an errors file with empty cells came between', async () => {
    const { limitline, write, cwd } = await openAfter([...FULL, 'Cedar AG,DE,HRB 3,Weg 3,,0']);
    await limitline('report', 'list', '--format', 'errors-csv', '--out', 'mended.csv');
    const errors = await readFile(join(cwd, 'mended.csv'), 'utf8');
    await writeFile(join(cwd, 'mended.csv'), errors.replace(',0,', ',3000,'));
    await limitline('run', 'mended.csv', '--portfolio', 'list', '--no-results');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column request_reference');
  });

  // Promise: lacking-reference-is-refused
  test('is accepted if it lacks columns that few lines had filled, or one of two buyer identifiers', async () => {
    const few = [...FULL.slice(0, 2), 'Birch AG,DE,HRB 2,Weg 2,,2000', 'Cedar AG,DE,HRB 3,Weg 3,,3000'];
    const { limitline, write } = await openAfter(few);
    await write(without(few, 'request_reference', 'company_registration_number'));
    expect((await limitline('check', 'list.csv')).stdout).not.toContain('and this one has not');
  });

  // Promise: lacking-reference-is-refused
  test.each([
    [
      'a registration number that identified no buyer without a country',
      without(NUMBERED, 'country_code'),
      'company_registration_number',
      'changed after it was requested (company_registration_number differs)',
    ],
    [
      'a country that was empty',
      NUMBERED.map((line) => line.replace(',DE,', ',,')),
      'country_code',
      '1 row, requested before',
    ],
  ])('is accepted if it lacks %s, and its buyers are found', async (_what, before, column, said) => {
    const { limitline, write } = await openAfter(before);
    await write(without(before, column));
    const { stdout } = await limitline('check', 'list.csv');
    expect(stdout).not.toContain('and this one has not');
    expect(stdout).toContain(said);
  });

  // Promise: empty-column-is-lacking
  test.each<[string, string[], ...string[]]>([
    ['column request_reference, and in this one all its cells are empty', FULL, 'request_reference'],
    ['column country_code, and in this one all its cells are empty', NUMBERED, 'country_code'],
    [
      'columns business_information_source, business_information_id, and in this one all their cells are empty',
      INFORMED,
      'business_information_source',
      'business_information_id',
    ],
  ])('is refused as a whole if it has nothing in the %s', async (words, one, ...columns) => {
    const lines = tenLike(one);
    const { limitline, write, made } = await openAfter(lines);
    const before = made();
    await write(emptied(lines, ...columns));
    expect((await limitline('check', 'list.csv')).stdout).toContain(`had the ${words}. Without`);
    expect((await limitline('run', 'list.csv')).stderr).toContain(`had the ${words}. Without`);
    expect(made()).toBe(before);
  });

  // Promise: empty-column-is-lacking
  test.each([
    ['any of its lines has it', [...emptied(tenLike(FULL), 'request_reference'), 'Cedar AG,DE,HRB 33,Weg 3,R33,3000']],
    ['it has nine lines, which may be an addition', emptied(tenLike(FULL).slice(0, 10), 'request_reference')],
    ['it has no line', FULL.slice(0, 1)],
  ])('is accepted with an empty column if %s', async (_what, later) => {
    const { limitline, write } = await openAfter(tenLike(FULL));
    await write(later);
    const { stdout, status } = await limitline('check', 'list.csv');
    expect(stdout).not.toContain('cells are empty');
    expect(status).toBe(0);
  });

  // Promise: which-file-is-the-last
  test.each([
    ['without a line', FULL.slice(0, 1)],
    ['of faulty lines', FULL.map((line) => line.replace(/000$/, 'x'))],
  ])('is refused for a missing column even if a file %s came between', async (_what, between) => {
    const { limitline, write, made } = await openAfter(FULL);
    await write(between);
    await limitline('run', 'list.csv');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column request_reference');
    expect(made()).toBe(2);
  });

  // Promise: which-file-is-the-last
  test('is refused for a missing column even if the previous import was killed', async () => {
    const many = Array.from({ length: 8000 }, (_none, n) => `Buyer ${n} AG,DE,HRB ${n},Weg 1,R${n},1000`);
    const { limitline, write, made, start } = await openAfter([...FULL.slice(0, 1), ...many], 'check');
    const { child, ended } = start('run', 'list.csv');
    await expect.poll(made, { timeout: 60_000 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await ended;
    await write(without(FULL, 'request_reference'));
    expect((await limitline('check', 'list.csv')).stdout).toContain('had the column request_reference');
  });

  // Promises: lacking-reference-is-refused, which-file-is-the-last
  test.each([
    ['request_reference', FULL, 'Elder AG,DE,HRB 44,Weg 4,,4000'],
    ['country_code', NUMBERED, 'Elder AG,,,4000'],
  ])('is refused if it lacks %s, even if an added line without it came between', async (column, one, added) => {
    const lines = tenLike(one);
    const { limitline, write, made } = await openAfter(lines);
    await write([...one.slice(0, 1), added]);
    await limitline('run', 'list.csv');
    await write(without(lines, column));
    expect((await limitline('run', 'list.csv')).stderr).toContain(
      `An earlier file of this portfolio, list.csv, had the column ${column}`,
    );
    expect(made()).toBe(11);
  });

  // Promise: which-file-is-the-last
  test('is accepted if it was itself imported before anything was sent, even if an earlier file had more columns', async () => {
    const { limitline, write, made } = await openAfter(FULL, 'import');
    await write(without(FULL, 'request_reference'));
    await limitline('run', 'list.csv');
    const before = made();
    for (const command of ['check', 'run']) {
      const { stdout, stderr } = await limitline(command, 'list.csv');
      expect(`${stdout}${stderr}`).not.toContain('and this one has not');
    }
    expect(made()).toBe(before);
  });

  // Promise: lacking-reference-is-refused
  test('is refused if its remaining buyer identifier was empty in most lines of the previous file', async () => {
    const header = 'name,country_code,buyer_reference,requested_limit';
    const lines = [header, 'Alder AG,DE,K1,1000', 'Birch AG,DE,,2000', 'Cedar AG,DE,,3000'];
    const { limitline, write, made } = await openAfter(lines);
    await write(without(lines, 'country_code'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column country_code, and this one has not.');
    expect(made()).toBe(3);
  });

  // Promise: lacking-reference-is-refused
  test('is accepted with more columns than a file without identifiers, and so are later files', async () => {
    const bare = ['name,requested_limit', 'Alder AG,1000'];
    const { limitline, write } = await openAfter(bare);
    for (const lines of [bare, ['name,requested_limit', 'Birch AG,2000'], FULL, FULL]) {
      await write(lines);
      expect((await limitline('run', 'list.csv')).stderr).not.toContain('Nothing was imported');
    }
  });

  // Promise: lacking-reference-is-refused
  test('may lack any column while nothing of the portfolio was sent', async () => {
    const { limitline, write } = await openAfter(FULL, 'import');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('check', 'list.csv')).stdout).not.toContain('and this one has not');
  });
});
