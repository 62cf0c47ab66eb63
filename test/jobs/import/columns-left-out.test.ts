import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,requested_limit,PLZ';
const LINES = [HEADER, 'Buyer 1 GmbH,DE,1000,01234'];
const reading = { mapping: { columns: { PLZ: 'company.address.postal_code' }, constants: {} } } as const;

// Promise: missing-mapping-is-said
test('a file without the mapping of the one before is said to lack it, before its lines; the same file again is not', async () => {
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
test('check says it first, above the lines that it makes differ', async () => {
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

/** A list of ten lines that are like the first one, of buyers of their own. */
function tenLike([header = '', line = '']: readonly string[]): string[] {
  const other = (n: number) => line.replace('Alder', `Alder ${n}`).replace(/(?<=HRB |,R|DNB,)1/g, `${n}`);
  return [header, ...Array.from({ length: 10 }, (_none, n) => other(n + 1))];
}

/** The lines with nothing in these columns. */
function emptied([header = '', ...lines]: readonly string[], ...columns: string[]): string[] {
  const places = columns.map((column) => header.split(',').indexOf(column));
  const without = (line: string) => line.split(',').map((cell, at) => (places.includes(at) ? '' : cell));
  return [header, ...lines.map((line) => without(line).join(','))];
}

describe('a list that follows one whose limits were requested', () => {
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
  ])('and lacks %s is refused as a whole, by check, import and run', async (columns, lines, later) => {
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
      'has it under a name that --map tells',
      FULL.map((line) => line.replace('request_reference', 'Vorgang')),
      ['--map', 'Vorgang=request_reference'],
    ],
    ['goes into another portfolio', without(FULL, 'request_reference'), ['--portfolio', 'other']],
  ])('and %s is taken', async (_what, later, how) => {
    const { limitline, write } = await openAfter(FULL);
    await write(later);
    const { stdout } = await limitline('check', 'list.csv', ...how);
    expect(stdout).not.toContain('and this one has not');
    expect(stdout).toContain('2 good');
  });

  // Promise: lacking-reference-is-refused
  test('and lacks a column that was empty is taken, also after an errors file', async () => {
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
  test('is refused, too, where an errors file with an empty cell came between', async () => {
    const { limitline, write, cwd } = await openAfter([...FULL, 'Cedar AG,DE,HRB 3,Weg 3,,0']);
    await limitline('report', 'list', '--format', 'errors-csv', '--out', 'mended.csv');
    const errors = await readFile(join(cwd, 'mended.csv'), 'utf8');
    await writeFile(join(cwd, 'mended.csv'), errors.replace(',0,', ',3000,'));
    await limitline('run', 'mended.csv', '--portfolio', 'list', '--no-results');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column request_reference');
  });

  // Promise: lacking-reference-is-refused
  test('and lacks what few of its lines had, and some of what tells buyers apart, is taken', async () => {
    const few = [...FULL.slice(0, 2), 'Birch AG,DE,HRB 2,Weg 2,,2000', 'Cedar AG,DE,HRB 3,Weg 3,,3000'];
    const { limitline, write } = await openAfter(few);
    await write(without(few, 'request_reference', 'company_registration_number'));
    expect((await limitline('check', 'list.csv')).stdout).not.toContain('and this one has not');
  });

  // Promise: lacking-reference-is-refused
  test.each([
    [
      'a registration number that identified nobody without a country',
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
  ])('and lacks %s is taken, and its buyers are found', async (_what, before, column, said) => {
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
  ])('and has nothing in the %s, is refused as a whole', async (words, one, ...columns) => {
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
  ])('is taken with an empty column where %s', async (_what, later) => {
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
  ])('is refused, too, where one %s came between', async (_what, between) => {
    const { limitline, write, made } = await openAfter(FULL);
    await write(between);
    await limitline('run', 'list.csv');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column request_reference');
    expect(made()).toBe(2);
  });

  // Promise: which-file-is-the-last
  test('is refused, too, where the import of that one was killed', async () => {
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
  ])('and lacks %s is refused, too, where a line without it was added in between', async (column, one, added) => {
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
  test('and came itself before anything was sent is taken again, though one before it had more columns', async () => {
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
  test('is refused, too, where it has another identifier, which few lines of the other had', async () => {
    const header = 'name,country_code,buyer_reference,requested_limit';
    const lines = [header, 'Alder AG,DE,K1,1000', 'Birch AG,DE,,2000', 'Cedar AG,DE,,3000'];
    const { limitline, write, made } = await openAfter(lines);
    await write(without(lines, 'country_code'));
    expect((await limitline('run', 'list.csv')).stderr).toContain('had the column country_code, and this one has not.');
    expect(made()).toBe(3);
  });

  // Promise: lacking-reference-is-refused
  test('and has more columns than one without any of them is taken, and so are files without them', async () => {
    const bare = ['name,requested_limit', 'Alder AG,1000'];
    const { limitline, write } = await openAfter(bare);
    for (const lines of [bare, ['name,requested_limit', 'Birch AG,2000'], FULL, FULL]) {
      await write(lines);
      expect((await limitline('run', 'list.csv')).stderr).not.toContain('Nothing was imported');
    }
  });

  // Promise: lacking-reference-is-refused
  test('of which nothing was sent may lack every column', async () => {
    const { limitline, write } = await openAfter(FULL, 'import');
    await write(without(FULL, 'request_reference'));
    expect((await limitline('check', 'list.csv')).stdout).not.toContain('and this one has not');
  });
});
