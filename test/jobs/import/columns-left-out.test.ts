import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { openDesk } from '../../support/desk.ts';
import { exportedText, importDepsOf, openWorkplace } from '../../support/workplace.ts';

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
  async function openAfter(lines: readonly string[]) {
    const place = await openWorkplace();
    const { rows } = place.context;
    const importLines = (given: readonly string[], reading = {}, portfolio = 'list') =>
      place.import([...given], { portfolio, reading });
    const waiting = () => rows.inState('list', 'queued', { count: 100 });
    await importLines(lines);
    return {
      ...place,
      importLines,
      waiting,
      /** Says that the limits of all rows were requested. */
      async send() {
        for (const { row } of await waiting()) await rows.advance(row, 'queued', 'done', { limit: `bl_${row.key}` });
      },
      /** Why a later file is refused as a whole. No row of it may wait then. */
      async refusal(given: readonly string[]) {
        const { faults } = await importLines(given);
        if (faults.length > 0) expect(await waiting()).toEqual([]);
        return faults.map(({ message }) => message).join('\n');
      },
    };
  }

  async function openSent(lines: readonly string[]) {
    const place = await openAfter(lines);
    await place.send();
    return place;
  }

  /** Mends the amount of the portfolio's only faulty line in its errors file, and imports that. */
  async function mend({ context, dir, importFile, send }: Awaited<ReturnType<typeof openAfter>>) {
    const path = join(dir, 'mended.csv');
    const errors = await exportedText(context, { portfolio: 'list', only: 'errors' });
    await writeFile(path, errors.replace(',0,', ',3000,'));
    expect(await importFile(path, {}, { portfolio: 'list' })).toMatchObject({ rows: 1, faults: [] });
    await send();
  }

  // Promise: lacking-reference-is-refused
  test('is refused as a whole by check, import and run if it lacks the columns that identified its buyers', async () => {
    const { limitline, cwd, standIn } = await openDesk(1);
    const write = (given: readonly string[]) => writeFile(join(cwd, 'list.csv'), `${given.join('\n')}\n`);
    await write(INFORMED);
    await limitline('run', 'list.csv', '--no-results');
    await write(without(INFORMED, 'business_information_source', 'business_information_id'));
    for (const command of ['check', 'import', 'run']) {
      const { stdout, stderr, status } = await limitline(command, 'list.csv');
      expect(status).toBe(2);
      expect(`${stdout}${stderr}`).toContain(
        'list.csv, had the columns business_information_source, business_information_id, and this one has not.',
      );
    }
    expect(standIn.counts().made.limit).toBe(1);
  });

  // Promise: lacking-reference-is-refused
  test.each([
    ['request_reference', FULL, without(FULL, 'request_reference')],
    ['country_code', NUMBERED, without(NUMBERED, 'country_code', 'company_registration_number')],
    ['country_code', NUMBERED, without(NUMBERED, 'country_code')],
    ['business_information_id', INFORMED, without(INFORMED, 'business_information_id')],
  ])('is refused as a whole if it lacks %s', async (column, lines, later) => {
    const { refusal } = await openSent(lines);
    expect(await refusal(later)).toContain(`list.csv, had the column ${column}, and this one has not.`);
  });

  // Promise: lacking-reference-is-refused
  test('is accepted if it has the column by --map, or belongs to another portfolio, or nothing was sent yet', async () => {
    const { importLines, send, refusal } = await openAfter(FULL);
    const lacking = without(FULL, 'request_reference');
    expect(await refusal(lacking)).toBe('');
    await importLines(FULL);
    await send();
    const mapping = { columns: { Vorgang: 'request_reference' }, constants: {} } as const;
    const renamed = FULL.map((line) => line.replace('request_reference', 'Vorgang'));
    expect(await importLines(renamed, { mapping })).toMatchObject({ faults: [], rows: 2, requestedBefore: 2 });
    expect(await importLines(lacking, {}, 'other')).toMatchObject({ faults: [], rows: 2 });
  });

  // Promise: lacking-reference-is-refused
  test('is accepted if it lacks a column that was empty, also after an errors file', async () => {
    const empty = ['name,country_code,request_reference,requested_limit', 'Alder AG,DE,,1000', 'Birch AG,DE,,0'];
    const place = await openSent(empty);
    await mend(place);
    expect(await place.refusal(without(empty, 'request_reference'))).toBe('');
  });

  // Promise: lacking-reference-is-refused
  test('is refused for a missing column even if an errors file with empty cells came between', async () => {
    const place = await openSent([...FULL, 'Cedar AG,DE,HRB 3,Weg 3,,0']);
    await mend(place);
    expect(await place.refusal(without(FULL, 'request_reference'))).toContain('had the column request_reference');
  });

  // Promise: lacking-reference-is-refused
  test('is accepted if it lacks columns that few lines had filled, or one of two buyer identifiers', async () => {
    const few = [...FULL.slice(0, 2), 'Birch AG,DE,HRB 2,Weg 2,,2000', 'Cedar AG,DE,HRB 3,Weg 3,,3000'];
    const { refusal } = await openSent(few);
    expect(await refusal(without(few, 'request_reference', 'company_registration_number'))).toBe('');
  });

  // Promise: lacking-reference-is-refused
  test.each([
    [
      'a registration number that identified no buyer without a country',
      without(NUMBERED, 'country_code'),
      'company_registration_number',
      { invalid: 1, problems: [{ message: expect.stringContaining('(company_registration_number differs)') }] },
    ],
    [
      'a country that was empty',
      NUMBERED.map((line) => line.replace(',DE,', ',,')),
      'country_code',
      { rows: 1, requestedBefore: 1 },
    ],
  ])('is accepted if it lacks %s, and its buyers are found', async (_what, before, column, found) => {
    const { importLines } = await openSent(before);
    expect(await importLines(without(before, column))).toMatchObject({ faults: [], ...found });
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
    const { refusal } = await openSent(lines);
    expect(await refusal(emptied(lines, ...columns))).toContain(`had the ${words}. Without`);
  });

  // Promise: empty-column-is-lacking
  test.each([
    ['any of its lines has it', [...emptied(tenLike(FULL), 'request_reference'), 'Cedar AG,DE,HRB 33,Weg 3,R33,3000']],
    ['it has nine lines, which may be an addition', emptied(tenLike(FULL).slice(0, 10), 'request_reference')],
    ['it has no line', FULL.slice(0, 1)],
  ])('is accepted with an empty column if %s', async (_what, later) => {
    const { refusal } = await openSent(tenLike(FULL));
    expect(await refusal(later)).toBe('');
  });

  // Promise: which-file-is-the-last
  test.each([
    ['without a line', FULL.slice(0, 1)],
    ['of faulty lines', FULL.map((line) => line.replace(/000$/, 'x'))],
  ])('is refused for a missing column even if a file %s came between', async (_what, between) => {
    const { refusal } = await openSent(FULL);
    expect(await refusal(between)).toBe('');
    expect(await refusal(without(FULL, 'request_reference'))).toContain('had the column request_reference');
  });

  // Promise: which-file-is-the-last
  test('is refused for a missing column even if the previous import ended early', async () => {
    const place = await openAfter(FULL.slice(0, 1));
    const many = Array.from({ length: 300 }, (_none, n) => `Buyer ${n} AG,DE,HRB ${n},Weg 1,R${n},1000`);
    const path = join(place.dir, 'list.csv');
    await writeFile(path, `${[...FULL.slice(0, 1), ...many].join('\n')}\n`);
    const stop = new AbortController();
    const ending = { stopping: stop.signal, onBatch: () => stop.abort(new Error('killed')) };
    const payload = { portfolio: 'list', path, reading: {}, replace: false };
    await expect(importPortfolio(payload, { ...importDepsOf(place.context), ...ending })).rejects.toThrow('stopping');
    for (;;) {
      if ((await place.waiting()).length === 0) break;
      await place.send();
    }
    expect(await place.refusal(without(FULL, 'request_reference'))).toContain('had the column request_reference');
  });

  // Promises: lacking-reference-is-refused, which-file-is-the-last
  test.each([
    ['request_reference', FULL, 'Elder AG,DE,HRB 44,Weg 4,,4000'],
    ['country_code', NUMBERED, 'Elder AG,,,4000'],
  ])('is refused if it lacks %s, even if an added line without it came between', async (column, one, added) => {
    const lines = tenLike(one);
    const { refusal, send } = await openSent(lines);
    expect(await refusal([...one.slice(0, 1), added])).toBe('');
    await send();
    expect(await refusal(without(lines, column))).toContain(
      `An earlier file of this portfolio, list.csv, had the column ${column}`,
    );
  });

  // Promise: which-file-is-the-last
  test('is accepted if it was itself imported before anything was sent, even if an earlier file had more columns', async () => {
    const { importLines, send } = await openAfter(FULL);
    const lacking = without(FULL, 'request_reference');
    await importLines(lacking);
    await send();
    expect(await importLines(lacking)).toMatchObject({ faults: [], requestedBefore: 2 });
  });

  // Promise: lacking-reference-is-refused
  test('is refused if its remaining buyer identifier was empty in most lines of the previous file', async () => {
    const header = 'name,country_code,buyer_reference,requested_limit';
    const lines = [header, 'Alder AG,DE,K1,1000', 'Birch AG,DE,,2000', 'Cedar AG,DE,,3000'];
    const { refusal } = await openSent(lines);
    expect(await refusal(without(lines, 'country_code'))).toContain(
      'had the column country_code, and this one has not.',
    );
  });

  // Promise: lacking-reference-is-refused
  test('is accepted with more columns than a file without identifiers, and so are later files', async () => {
    const bare = ['name,requested_limit', 'Alder AG,1000'];
    const { refusal, send } = await openSent(bare);
    for (const lines of [bare, ['name,requested_limit', 'Birch AG,2000'], FULL, FULL]) {
      expect(await refusal(lines)).toBe('');
      await send();
    }
  });
});
