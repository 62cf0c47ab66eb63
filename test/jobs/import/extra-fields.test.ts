import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PDF } from '../../support/workbooks.ts';
import { exportedText, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,PLZ,Telefon,Tage,Versichert';
const LINE = 'Buyer 1 GmbH,DE,HRB 1,1000,01234,+49 30 1,30,ja';
const mapping = {
  columns: {
    PLZ: 'company.address.postal_code',
    Telefon: 'buyer_limit.contact.phone',
    Tage: 'buyer_limit.terms.days:number',
    Versichert: 'buyer_limit.terms.insured:yesno',
  },
  constants: {},
} as const;
const reading = { mapping };

// Promise: mapped-path-sent-exactly
test('a mapped field is sent at exactly its path and with its type, and an empty cell is left out', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, LINE, 'Buyer 2 GmbH,DE,HRB 2,2000,,,,'], { reading });
  await place.work();
  await place.settled();
  const bodies = (kind: 'company' | 'limit') => place.standIn.things(kind).map(({ body }) => Object(body));
  const of = (name: string) => bodies('company').find((body) => body.name === name);
  expect(of('Buyer 1 GmbH').address).toEqual({ country_code: 'DE', state: null, postal_code: '01234' });
  expect(of('Buyer 2 GmbH').address).toEqual({ country_code: 'DE', state: null });
  const limits = bodies('limit').sort((one, other) => one.requested_limit - other.requested_limit);
  expect(limits[0]).toMatchObject({ contact: { phone: '+49 30 1' }, terms: { days: 30, insured: true } });
  expect(Object.keys(limits[1]).sort()).toEqual(['company', 'company_registration_number', 'requested_limit']);
});

// Promise: changed-field-is-a-problem
test('a changed mapped value is sent if the request was not sent yet, and is a problem afterwards', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, LINE], { reading });
  expect(await place.import([HEADER, LINE.replace('+49 30 1', '+49 30 2')], { reading })).toMatchObject({ rows: 1 });
  await place.work();
  await place.settled();
  expect(place.standIn.things('limit').map(({ body }) => Object(body).contact)).toEqual([{ phone: '+49 30 2' }]);
  expect(await place.import([HEADER, LINE], { reading })).toMatchObject({
    invalid: 1,
    problems: [{ message: expect.stringMatching(/^changed after it was requested/) }],
  });
  // A mapped company field is treated like the city.
  const moved = [`${HEADER},city`, `${LINE.replace('+49 30 1', '+49 30 2')},Ulm`];
  const renumbered = [HEADER, LINE.replace('+49 30 1', '+49 30 2').replace('01234', '99999')];
  for (const lines of [moved, renumbered]) {
    expect((await place.import(lines, { reading })).problems).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^changed after it was requested/) }),
    ]);
  }
});

// Promises: errors-file-carries-paths, path-header-not-sent
test('an errors file carries the mapped paths, and is imported alike without the mapping', async () => {
  const rules = [{ on: 'limit', fault: 'status', status: 400 } as const];
  const place = await openWorkplace({ faults: { rules } });
  const own = `${HEADER},company.of_the_team,company.of_the_team:text`;
  await place.import([own, `${LINE},x,y`], { reading });
  await place.work();
  expect((await place.settled()).states.refused).toBe(1);
  const errors = await exportedText(place.context, { only: 'errors' });
  expect(errors.split('\n')[0]).toContain(
    'company.address.postal_code:text,buyer_limit.contact.phone:text,buyer_limit.terms.days:number,buyer_limit.terms.insured:yesno,company.of_the_team,company.of_the_team:text (own)',
  );
  await place.standIn.setFaults({ rules: [] });
  const path = join(place.dir, 'q4.errors.csv');
  await writeFile(path, errors);
  expect(await place.importFile(path)).toMatchObject({ problems: [], rows: 1 });
  await place.settled();
  const bodies = place.standIn.things('limit').map(({ body }) => Object(body));
  expect(bodies).toEqual([
    expect.objectContaining({ contact: { phone: '+49 30 1' }, terms: { days: 30, insured: true } }),
  ]);
  const [company] = place.standIn.things('company').map(({ body }) => Object(body));
  expect(Object.keys(company).sort()).toEqual(['address', 'name']);
  // The errors file means the same if it is read with the mapping.
  expect(await place.importFile(path, reading)).toMatchObject({ problems: [], invalid: 0 });
});

test('an errors file carries the mapped paths and sent values even if the original file is gone', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 400 } as const] } });
  const other = LINE.replaceAll('1 GmbH', '2 GmbH').replace('HRB 1', 'HRB 2').replace('30,ja', '"1,2340",');
  await place.import([HEADER, LINE, other], { reading });
  await place.work();
  expect((await place.settled()).states.refused).toBe(2);
  const [{ id = '' } = {}] = await place.context.portfolios.allImports('q4');
  const sent = place.standIn.things('company').map(({ body }) => Object(body).address);
  expect(sent).toEqual([1, 2].map(() => expect.objectContaining({ postal_code: '01234' })));
  await rm(place.context.imports.open(id).path);
  const results = await exportedText(place.context);
  expect(results.split('\n')[0]).toContain('buyer_limit.terms.insured:yesno');
  const path = join(place.dir, 'q4.errors.csv');
  await writeFile(path, await exportedText(place.context, { only: 'errors' }));
  await place.standIn.setFaults({ rules: [] });
  expect(await place.importFile(path)).toMatchObject({ problems: [], rows: 2 });
  await place.settled();
  const bodies = place.standIn.things('limit').map(({ body }) => Object(body));
  expect(bodies.sort((one, two) => two.terms.days - one.terms.days)).toEqual([
    expect.objectContaining({ contact: { phone: '+49 30 1' }, terms: { days: 30, insured: true } }),
    expect.objectContaining({ contact: { phone: '+49 30 1' }, terms: { days: 1.234 } }),
  ]);
});

// Promise: approval-binds-paths
test('an approval covers the mapping of the file', async () => {
  const asked = async (lines: string[], columns: Record<string, string>) => {
    const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
    await place.import(lines, { reading: { mapping: { columns, constants: {} } as never } });
    const [approval] = await place.context.approvals.waiting();
    return approval;
  };
  const known = await asked([HEADER, LINE], mapping.columns);
  const other = await asked([HEADER, LINE], { ...mapping.columns, PLZ: 'company.zip' });
  expect([known?.file?.reading, other?.file?.reading]).toEqual([
    expect.stringContaining('company.address.postal_code'),
    expect.stringContaining('company.zip'),
  ]);
  expect(known?.digest).not.toBe(other?.digest);
});

// Promise: document-once-a-purpose
test('a document is sent once for each purpose, and counts as a financial statement only without a purpose', async () => {
  const place = await openWorkplace();
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), PDF);
  const line = (number: number, purpose: string) => `Buyer ${number} GmbH,DE,HRB ${number},800000,a.pdf,${purpose}`;
  const header = 'name,country_code,company_registration_number,requested_limit,supporting_documents,document_purpose';
  const lines = [header, line(1, ''), line(2, 'financial_statement'), line(3, 'tax_return'), line(4, 'tax_return')];
  const { warnings } = await place.import(lines);
  const advised = warnings.filter(({ message }) => message.startsWith('Above USD 750k'));
  expect(advised.map(({ line, message }) => [line, /names (one|no) document/.exec(message)?.[1]])).toEqual([
    [2, 'one'],
    [3, 'one'],
    [4, 'no'],
    [5, 'no'],
  ]);
  await place.work();
  expect((await place.settled()).states.done).toBe(4);
  const purposes = place.standIn.things('document').map(({ body }) => Object(body).purpose);
  expect(purposes.sort()).toEqual(['financial_statement', 'tax_return']);
});

test("a problem names the differing fields, and the portfolio and field that another portfolio's line lacks", async () => {
  const place = await openWorkplace();
  await place.import([HEADER, LINE], { reading });
  await place.work();
  await place.settled();
  const messages = async (lines: string[], how: object) =>
    (await place.import(lines, how)).problems.map(({ message }) => message);
  const moved = [`${HEADER},city`, `${LINE.replace('30,ja', '31,ja')},Ulm`];
  expect(await messages(moved, { reading })).toEqual([
    expect.stringMatching(
      /^changed after it was requested \(buyer_limit\.terms\.days:number, city differ\); the request stays as it was sent\. .* SECOND/,
    ),
  ]);
  const { PLZ, Versichert, Tage } = mapping.columns;
  const without = { reading: { mapping: { columns: { PLZ, Versichert, Tage }, constants: {} } }, portfolio: 'twin' };
  expect(await messages([HEADER, LINE], without)).toEqual([
    'changed after it was requested (buyer_limit.contact.phone differs); the request stays as it was sent in portfolio q4. It was sent with buyer_limit.contact.phone, which this line lacks: if the column was read as that before, read it so again, or leave the line out',
  ]);
});
