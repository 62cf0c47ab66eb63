import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adviceDates } from '../../../../src/portfolio/lines/advice.ts';
import { financeItems } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER =
  'name,country_code,company_registration_number,requested_limit,supporting_documents,statements_dated,contact_email';

// Promises: findings-name-no-contact, rows-go-without-supplier, statements-by-nights-date
test('the nightly check lists granted, failed, held and missing limits, and no contact data', async () => {
  const place = await openWorkplace({
    faults: {
      rules: [
        { on: 'limit', match: 'HRB 2', fault: 'decision', status: 'pending', share: 0.5 },
        { on: 'limit', match: 'HRB 7', fault: 'decision', status: 'approved', share: 0.5 },
        { on: 'limit', match: 'HRB 6', fault: 'decision', status: 'approved', share: 0 },
        { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: { message: 'limit is too high' } },
        { on: 'limit', match: 'HRB 4', fault: 'reset', made: true },
      ],
    },
  });
  const { context } = place;
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4\n');
  // One moment serves the whole test, because the date may change meanwhile.
  const nowMs = Date.now();
  const { oldest, today } = adviceDates(new Date(nowMs));
  await place.import([
    `${HEADER},street`,
    ...[
      `Fine AG,DE,HRB 1,900000,a.pdf,${oldest},anna@private.example`,
      'Half AG,DE,HRB 2,800000,,,anna@private.example',
      'Refused AG,DE,HRB 3,5000,,,anna@private.example',
      'Held AG,DE,HRB 4,6000,,,anna@private.example',
      `Young AG,DE,HRB 5,900000,a.pdf,${today},`,
      'Undated AG,DE,HRB 6,900000,a.pdf,,',
      // The check requires no statements for such a small request.
      'Small AG,DE,HRB 7,1000,a.pdf,2001-01-01,',
    ].map((line) => `${line},Privatweg 1`),
  ]);
  await place.work();
  await place.settled();

  const find = (atMs: number) => financeItems(context, { atMs });
  await context.portfolios.setSupplier('q4', { body: { name: 'S' }, key: 's', problem: 'refused: no' });
  const items = await find(nowMs);
  expect(items.map(({ check, name, says }) => [check, name, says]).sort()).toEqual([
    ['granted below', 'Small AG', 'less than requested'],
    ['held', 'Held AG', expect.stringMatching(/^outcome unknown at the limit, for less than a day: ./)],
    ['no limit', 'Refused AG', 'its latest request was refused, for less than a day'],
    ['no statements', 'Half AG', 'limit made: no document is named'],
    ['no supplier', undefined, 'no company was made for the supplier, and rows are sent without it'],
    ['other status', 'Half AG', 'pending: nobody has said what this status means'],
    ['other status', 'Undated AG', 'approved, but nothing was granted'],
    ['refused', 'Refused AG', 'refused at the limit with status 422, for less than a day: limit is too high'],
  ]);
  expect(items.every(({ isMended }) => !isMended)).toBe(true);
  expect(JSON.stringify(items)).not.toMatch(/anna|Privatweg/);
  expect(items.find(({ check }) => check === 'no supplier')?.detail).toBe('refused: no');
  // The age of statements is compared with the date of the night, not of the import.
  const later = await find(nowMs + 40 * 86_400_000);
  expect(later.filter(({ check }) => check === 'old statements').map(({ name, detail }) => [name, detail])).toEqual([
    ['Fine AG', `statements of ${oldest}`],
  ]);

  const [made] = await context.rows.inState('q4', 'done', { count: 1 });
  if (!made) throw new Error('no row is done');
  const { buyer } = (await context.rows.read([made.row]))[0]?.request ?? { buyer: '' };
  const thing = { kind: 'limit', key: made.row.key, row: made.row } as const;
  const { id } = await context.calls.settle(thing, 'late/1', { id: 'bl_late', record: {}, buyer });
  const [line, says] = [2, `a limit was made twice: ${id} and bl_late`];
  expect((await find(nowMs)).filter(({ check }) => check === 'made twice')).toMatchObject([
    { line, name: 'Fine AG', says, detail: 'ask the service to take one of them back' },
  ]);
});
