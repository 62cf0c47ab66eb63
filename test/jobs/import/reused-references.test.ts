import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { checkedFile, type ExportWish, exportedText, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,contact_email,requested_limit';

async function openPlace() {
  const rules = [{ on: 'limit' as const, match: '"requested_limit":400', fault: 'status' as const, status: 422 }];
  const place = await openWorkplace({ faults: { rules } });
  const exported = (only: ExportWish['only'] = 'all') => exportedText(place.context, { only });
  return {
    ...place,
    exported,
    importLines: (...lines: string[]) => place.import([HEADER, ...lines]),
    /** The lines that an import would refuse, according to check. */
    foreseen: async (path: string) => (await checkedFile({ path }, place.context)).invalid,
    async shown(): Promise<string[]> {
      const rows: Record<string, string>[] = parse(await exported(), { columns: true });
      return rows.map(({ name, requested_limit: amount, state, total_limit: granted }) =>
        [name, amount, state, granted].join(' '),
      );
    },
  };
}

// Promise: reference-of-another-buyer
test("a reference used for another buyer is a problem, and the first buyer's request stays", async () => {
  const { importLines, dir, foreseen, work, settled, shown, exported, importFile } = await openPlace();
  await importLines('Acme AG,DE,HRB 1,1,,400', 'Tin AG,DE,HRB 7,2,,70');
  const next = join(dir, 'q4.csv');
  const zinc = 'Zinc AG,DE,HRB 2,1,,500';
  for (const state of ['queued', 'refused']) {
    await writeFile(next, `${HEADER}\n${zinc}\n`);
    expect(await foreseen(next)).toEqual([2]);
    const imported = await importFile(next);
    expect(imported).toMatchObject({ rows: 0, invalid: 1, replaced: 0 });
    const message = expect.stringMatching(/another buyer's request, line 2, "Acme AG" \(400\): give this line another/);
    expect(imported.problems).toMatchObject([{ line: 2, column: 'request_reference', message }]);
    expect((await shown())[0]).toBe(`Acme AG 400 ${state} `);
    if (state === 'refused') break;
    const workers = await work();
    await settled();
    await workers.stop();
  }
  expect(await shown()).toEqual(['Acme AG 400 refused ', 'Tin AG 70 done 70', 'Zinc AG 500 invalid ']);
  // The same name with another register number is a correction, and so is a line with the row id.
  await writeFile(next, `${HEADER}\nAcme AG,DE,HRB 11,1,,300\n`);
  expect(await foreseen(next)).toEqual([]);
  expect(await importFile(next)).toMatchObject({ rows: 1, invalid: 0 });
  const errors = join(dir, 'errors.csv');
  await writeFile(errors, (await exported('errors')).replace('Acme AG,DE,HRB 11,1,', 'Neu AG,DE,HRB 12,1,'));
  expect(await foreseen(errors)).toEqual([]);
  expect(await importFile(errors)).toMatchObject({ rows: 1, invalid: 0 });
  expect(await shown()).toEqual(['Tin AG 70 done 70', 'Neu AG 300 queued ']);
});

// Promise: reference-of-another-buyer
test("an invalid line with the reference of another buyer does not show that buyer's limit", async () => {
  const { importLines, work, settled, shown, report } = await openPlace();
  await importLines('Acme AG,DE,HRB 1,1,,100');
  await work();
  await settled();
  await importLines('Zinc AG,DE,HRB 2,1,nobody,500', 'Lead AG,DE,HRB 1,1,,600');
  expect(await shown()).toEqual(['Acme AG 100 done 100', 'Zinc AG 500 invalid ', 'Lead AG 600 invalid ']);
  expect(await report()).toMatchObject({ rows: 1, invalid: 2, kept: 0 });
});

// Promise: lost-zeros-are-a-problem
test("a request_reference without the leading zeros of the same buyer's request is a problem", async () => {
  const { importLines, dir, foreseen, work, settled, importFile, standIn } = await openPlace();
  await importLines('Acme AG,DE,HRB 1,00017,,100', 'Tin AG,DE,HRB 7,x0017,,70');
  await work();
  await settled();
  const next = join(dir, 'q5.csv');
  const others = ['Acme AG,DE,HRB 1,170,,100', 'Tin AG,DE,HRB 7,0017,,70', 'Neu AG,DE,HRB 9,017,,90'];
  await writeFile(next, [HEADER, 'Acme AG,DE,HRB 1,17,,100', ...others, ''].join('\n'));
  expect(await foreseen(next)).toEqual([2]);
  const imported = await importFile(next);
  expect(imported).toMatchObject({ rows: 3, invalid: 1 });
  const message = expect.stringMatching(
    /zeros at its beginning .* Write 00017 as before; or, if a second limit is meant/,
  );
  expect(imported.problems).toMatchObject([{ line: 2, column: 'request_reference', value: '17', message }]);
  await writeFile(next, `${HEADER}\nAcme AG,DE,HRB 1,00017,,100\n`);
  expect(await foreseen(next)).toEqual([]);
  await settled();
  expect(standIn.counts().made.limit).toBe(5);
});

// Promise: lost-zeros-are-a-problem
test('a request_reference without leading zeros is a problem even if its own row was cancelled', async () => {
  const { importLines, context, work, settled, dir, foreseen, importFile, standIn } = await openPlace();
  await importLines('Acme AG,DE,HRB 1,17,,100');
  await context.portfolios.cancel('q4', 'alice');
  await work();
  await settled();
  await importLines('Acme AG,DE,HRB 1,0017,,100');
  await settled();
  const next = join(dir, 'q5.csv');
  await writeFile(next, `${HEADER}\nAcme AG,DE,HRB 1,17,,100\n`);
  expect(await foreseen(next)).toEqual([2]);
  expect(await importFile(next)).toMatchObject({ rows: 0, invalid: 1 });
  await settled();
  expect(standIn.counts().made.limit).toBe(1);
});
