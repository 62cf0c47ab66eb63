import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { exportedText, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'buyer_reference,name,country_code,company_registration_number,city,requested_limit';
const MUELLER = 'Müller Stahl GmbH,DE,HRB 1234,Köln';
const SCHMIDT = 'Schmidt Blumen GmbH,DE,HRB 1234,München';
const SCHULZ = 'Schulz AG,DE,HRB 1234,Berlin';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** The names of the companies that the service made, and each limit with the name of its company, sorted. */
function made({ standIn }: Place) {
  const companies = standIn.things('company').map(({ id, body }) => ({ id, name: String(Object(body).name) }));
  const limits = standIn.things('limit').map(({ body }) => {
    const { company, requested_limit } = Object(body);
    return `${companies.find(({ id }) => id === company)?.name}: ${requested_limit}`;
  });
  return { companies: companies.map(({ name }) => name).sort(), limits: limits.sort() };
}

async function finished(place: Place, portfolio = 'q4') {
  const workers = await place.work();
  const report = await place.settled(portfolio);
  await workers.stop();
  return report;
}

describe('three buyers with one register number', () => {
  // Promise: two-buyers-one-number
  test('lead to one request and two problems that name both buyers', async () => {
    const place = await openWorkplace();
    const lines = [HEADER, `,${MUELLER},1000`, `,${SCHMIDT},1000`, `,${SCHULZ},3000`];
    const imported = await place.import(lines);
    expect(imported).toMatchObject({ rows: 1, invalid: 2, duplicate: 0 });
    expect(imported.problems.map(({ line, column, message }) => ({ line, column, message }))).toEqual([
      { line: 3, column: 'company_registration_number', message: expect.stringMatching(/"Müller.*line 2.*"Schmidt/) },
      { line: 4, column: 'company_registration_number', message: expect.stringMatching(/"Müller.*line 2.*"Schulz/) },
    ]);
    expect(await finished(place)).toMatchObject({ states: { done: 1 } });
    expect(made(place)).toEqual({ companies: ['Müller Stahl GmbH'], limits: ['Müller Stahl GmbH: 1000'] });
    expect(await place.import(lines)).toMatchObject({ rows: 1, invalid: 2, duplicate: 0 });
  });

  // Promise: references-tell-buyers-apart
  test('are different buyers if they have references, even if one was imported without at first', async () => {
    const place = await openWorkplace();
    await place.import([HEADER, `,${MUELLER},1000`]);
    await finished(place);
    const lines = [HEADER, `A,${MUELLER},1000`, `B,${SCHMIDT},1000`, `C,${SCHULZ},3000`];
    for (const _time of [1, 2]) {
      expect(await place.import(lines)).toMatchObject({ rows: 3, invalid: 0, problems: [] });
      await finished(place);
      expect(made(place)).toEqual({
        companies: ['Müller Stahl GmbH', 'Schmidt Blumen GmbH', 'Schulz AG'],
        limits: ['Müller Stahl GmbH: 1000', 'Schmidt Blumen GmbH: 1000', 'Schulz AG: 3000'],
      });
    }
  });

  // Promise: same-buyer-by-a-person
  test('are the same or different as the column same_buyer says', async () => {
    const place = await openWorkplace();
    const header = HEADER.replace('city', 'same_buyer');
    const said = (line: string, word: string) => line.replace(/[^,]+$/, word);
    const lines = [
      header,
      `,${said(MUELLER, '')},1000`,
      `,${said(SCHMIDT, 'ja')},2000`,
      `C,${said(SCHULZ, 'nein')},3000`,
    ];
    expect(await place.import(lines)).toMatchObject({ rows: 3, invalid: 0 });
    await finished(place);
    const { companies, limits } = made(place);
    // The two are one company, named as in the row that was processed first.
    const [one = ''] = companies;
    expect(companies).toEqual([expect.stringMatching(/^(?:Müller Stahl|Schmidt Blumen) GmbH$/), 'Schulz AG']);
    expect(limits).toEqual([`${one}: 1000`, `${one}: 2000`, 'Schulz AG: 3000']);
    // The second name is known by now.
    expect(await place.import([HEADER, `,${SCHMIDT},4000`], { portfolio: 'q5' })).toMatchObject({ rows: 1 });
  });
});

// Promise: same-buyer-by-a-person
test('the errors file does not suggest --same-buyer with a line number, because its lines have other numbers', async () => {
  const place = await openWorkplace();
  const header = 'name,country_code,company_registration_number,requested_limit';
  const { problems } = await place.import([header, 'Oak AG,DE,HRB 7,1000', 'Fir GmbH,DE,HRB 7,2000']);
  expect(problems[0]?.message).toContain('say --same-buyer 3 or write "yes" in the column same_buyer');
  const errors = await exportedText(place.context, { only: 'errors' });
  expect(errors).not.toContain('--same-buyer');
  expect(errors).toContain('if they are the same, write ""yes"" in the column same_buyer');
});

// Promise: new-references-no-new-buyers
test('references added to a later file create no new buyers, and unchanged amounts no new limits', async () => {
  const place = await openWorkplace();
  const line = (n: number, reference: string, amount = 1_000) =>
    `${reference},Buyer ${String.fromCharCode(64 + n)} GmbH,DE,${n % 2 ? `HRB ${n}` : ''},Köln,${amount}`;
  const numbers = Array.from({ length: 20 }, (_none, place) => place + 1);
  await place.import([HEADER, ...numbers.map((n) => line(n, ''))]);
  await finished(place);
  const next = numbers.map((n) => line(n, `D-${n}`, n === 7 ? 9_000 : 1_000));
  expect(await place.import([HEADER, ...next], { portfolio: 'q5' })).toMatchObject({ rows: 20, problems: [] });
  expect((await finished(place, 'q5')).states).toMatchObject({ skipped: 19, done: 1 });
  expect(place.standIn.counts().made).toMatchObject({ company: 20, limit: 21 });
});

// Promise: at-most-one-call
test('two simultaneous imports do not split one buyer into two', async () => {
  const place = await openWorkplace();
  const numbers = Array.from({ length: 600 }, (_none, at) => at + 1);
  const letters = (n: number) => [...String(n)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
  const file = (of: (n: number) => string) => [HEADER, ...numbers.map(of)];
  await Promise.all([
    place.import(
      file((n) => `R-${n},Firma ${letters(n)} GmbH,DE,,Köln,1000`),
      { portfolio: 'one' },
    ),
    place.import(
      file((n) => `,Firma ${letters(n)} GmbH,DE,,Köln,2000`),
      { portfolio: 'two' },
    ),
  ]);
  const { rows } = place.context;
  const buyers = new Set<string>();
  for (const portfolio of ['one', 'two']) {
    const found = await rows.inState(portfolio, 'queued', { count: 1_000 });
    expect(found).toHaveLength(600);
    for (const result of await rows.read(found.map(({ row }) => row))) buyers.add(result?.request.buyer ?? '');
  }
  expect(buyers.size).toBe(600);
});

describe('a corrected name', () => {
  const [wrong, right] = ['Mullar Stahl GmbH,DE,HRB 7,Köln', 'Müller Stahl GmbH,DE,HRB 7,Köln'];

  // Promise: wrong-name-corrected
  test('is sent if nothing was sent before', async () => {
    const place = await openWorkplace();
    await place.import([HEADER, `,${wrong},1000`]);
    expect(await place.import([HEADER, '', `,${right},1000`])).toMatchObject({ rows: 1, invalid: 0 });
    expect(await finished(place)).toMatchObject({ rows: 1, states: { done: 1 } });
    expect(made(place)).toEqual({ companies: ['Müller Stahl GmbH'], limits: ['Müller Stahl GmbH: 1000'] });
  });

  // Promise: same-buyer-by-a-person
  test('is a problem if the company was made under the old name', async () => {
    const place = await openWorkplace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 400 }] } });
    await place.import([HEADER, `,${wrong},1000`]);
    await finished(place);
    expect(await place.import([HEADER, `,${right},1000`])).toMatchObject({ rows: 0, invalid: 1 });
    const said = await place.import([HEADER, `,${right},1000`], { reading: { sameBuyer: [2] } });
    expect(said).toMatchObject({ rows: 1, invalid: 0 });
  });
});

// Promises: placeholders-are-empty, cell-too-long
test('placeholders for a register number do not merge buyers, and are not sent', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  const placeholders = ['n/a', '-', 'keine', 'unbekannt', '000', 'tbd', 'x'];
  const lines = placeholders.map((word, at) => `,${String.fromCharCode(65 + at)} GmbH,DE,${word},,1000`);
  await writeFile(path, [HEADER, ...lines, ',Z GmbH,DE,1.23457E+11,,1000', ''].join('\n'));
  const imported = await place.importFile(path);
  expect(imported).toMatchObject({ rows: placeholders.length, invalid: 1 });
  expect(imported.problems).toMatchObject([{ line: 9, message: expect.stringMatching(/last digits are lost/) }]);
  await finished(place);
  expect(place.standIn.counts().made.company).toBe(placeholders.length);
  for (const { body } of place.standIn.things('limit')) expect(body).not.toHaveProperty('company_registration_number');
});

// Promise: may-be-same-buyer-warned
test('import warns that a line may mean the buyer of an earlier import', async () => {
  const place = await openWorkplace();
  const header = 'name,country_code,company_id,requested_limit';
  const ask = async (portfolio: string, ...lines: string[]) => {
    const { warnings } = await place.import([header, ...lines], { portfolio });
    return warnings.map(({ message }) => message).filter((message) => message.startsWith('This may be the same buyer'));
  };
  expect(await ask('a', 'Acme GmbH,,,5000', 'Beta AG,DE,,700')).toEqual([]);
  await finished(place, 'a');
  const [{ id } = { id: '' }] = place.standIn.things('company').filter(({ body }) => Object(body).name === 'Beta AG');
  const [acme, beta] = ['portfolio a, line 2 ("Acme GmbH")', 'portfolio a, line 3 ("Beta AG")'];
  const warned = (buyer: string) => expect.stringContaining(`same buyer as ${buyer}`);
  expect(await ask('b', 'Acme GmbH,DE,,5000', 'Beta AG,,,700')).toEqual([warned(acme), warned(beta)]);
  // The warning covers ids from the service and ids from lines.
  const [zinc, tin] = [`Zinc AG,DE,${id},700`, 'Tin AG,DE,company_7,700'];
  expect(await ask('c', zinc, tin)).toEqual([warned(`${beta} with the same company_id`)]);
  const lead = ['portfolio c, line 3 ("Tin AG") with the same company_id'].map(warned);
  expect(await ask('d', 'Lead AG,DE,company_7,700')).toEqual(lead);
  // A repeated line belongs to a known buyer.
  expect(await ask('d', 'Lead AG,DE,company_7,700')).toEqual([]);
});

// Promise: may-be-same-buyer-warned
test('check and import warn once if a known buyer is given the company_id of another', async () => {
  const { limitline, cwd, standIn } = await openDesk(0);
  const ask = async (command: 'check' | 'run' | 'import', portfolio: string, ...lines: string[]) => {
    await writeFile(join(cwd, 'list.csv'), ['name,country_code,Firma,requested_limit', ...lines, ''].join('\n'));
    const reading = ['--map', 'Firma=company_id', '--portfolio', portfolio];
    const { stderr, stdout } = await limitline(
      command,
      'list.csv',
      ...reading,
      ...(command === 'check' ? [] : ['--yes']),
    );
    return `${stdout}\n${stderr}`;
  };
  await ask('run', 'a', 'Nein GmbH,DE,,5000', 'Blüte GmbH,DE,,700', 'Rot AG,DE,,600');
  const idOf = (name: string) => standIn.things('company').find(({ body }) => Object(body).name === name)?.id ?? '';
  const warning = `Firma "${idOf('Nein GmbH')}": This company belongs to "Nein GmbH" (portfolio a, line 2)`;
  const own = `Blüte GmbH,DE,${idOf('Blüte GmbH')},800`;
  const wrong = `Blüte GmbH,DE,${idOf('Nein GmbH')},900`;
  expect(await ask('check', 'b', own)).not.toContain('This company');
  const checked = await ask('check', 'b', wrong);
  expect(checked).toContain(warning);
  expect(checked).toContain('Columns read: Firma as company_id.');
  expect(await ask('import', 'b', wrong)).toContain(warning);
  expect(await ask('run', 'c', wrong.replace('Blüte GmbH', 'Rot AG'))).toContain(warning.replace(/ \(.*/, ''));
  expect(await ask('import', 'b', wrong)).not.toContain('This company');
});

// Promises: lost-zeros-are-a-problem, several-alike-are-asked, case-and-spaces-do-not-count
test('a list with lost leading zeros or names in capitals requests nothing a second time', async () => {
  const place = await openWorkplace();
  const first = ['0201,Weiß AG,DE,HRB 1,Ulm,1000', '0202,Zobel AG,DE,,Ulm,2000', ',Zobel KG,DE,,Ulm,3000'];
  await place.import([HEADER, ...first]);
  await finished(place);
  const later = [
    '201,Weiß AG,DE,HRB 1,Ulm,1000',
    '202,Zobel AG,DE,,Ulm,2000',
    ',WEISS AG,DE,,,1000',
    ',Zobel A.G.,DE,,,2000',
  ];
  const imported = await place.import([HEADER, ...later], { portfolio: 'q5', reading: { sameBuyer: [5] } });
  expect(imported.problems.map(({ line, column }) => [line, column])).toEqual([
    [2, 'buyer_reference'],
    [3, 'buyer_reference'],
    [4, null],
    [5, 'name'],
  ]);
  const said = await place.import([HEADER, later[1] ?? ''], { portfolio: 'q6', reading: { sameBuyer: [2] } });
  expect(said).toMatchObject({ rows: 1, invalid: 0 });
  await finished(place, 'q6');
  expect(place.standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
});

// Promise: lost-zeros-are-a-problem
test('a line of an errors file that lost leading zeros means the buyer whose row it names', async () => {
  const refused = { on: 'limit', match: '"HRB 1"', fault: 'status', status: 422, times: 1 } as const;
  const place = await openWorkplace({ faults: { rules: [refused] } });
  const first = ['0201,Weiß AG,DE,HRB 1,Ulm,1000', '0202,Zobel AG,DE,,Ulm,2000'];
  await place.import([HEADER, ...first]);
  await finished(place);
  const path = join(place.dir, 'errors.csv');
  await writeFile(
    path,
    (await exportedText(place.context, { only: 'errors' })).replace(/\n0201,(.*),1000,/, '\n201,$1,900,'),
  );
  expect(await place.importFile(path)).toMatchObject({ rows: 1, replaced: 1, problems: [] });
  await finished(place);
  // Both spellings of the reference are known now.
  expect(await place.import([HEADER, ...first])).toMatchObject({ rows: 1, problems: [{ line: 2 }] });
  expect(place.standIn.counts().made).toMatchObject({ company: 2, limit: 2 });
});
