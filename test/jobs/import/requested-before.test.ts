import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { writeFormatted } from '../../support/workbooks.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

test('a line whose limit was made counts as requested before, even if a row for it was refused', async () => {
  const place = await openWorkplace();
  await place.standIn.setFaults({ rules: [{ on: 'limit', fault: 'status', status: 422 }] });
  await place.work();
  const come = async (portfolio: string) => {
    const { requestedBefore } = await place.import(buyerLines(1), { portfolio });
    await place.settled(portfolio);
    return requestedBefore;
  };
  expect(await come('q3')).toBe(0);
  await place.standIn.setFaults({ rules: [] });
  expect(await come('q4')).toBe(0);
  expect(await come('q5')).toBe(1);
  expect(await come('q3')).toBe(1);
  expect(place.standIn.counts().made.limit).toBe(1);
});

test('a line whose row is refused during the import does not count as requested before', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(1));
  const { rows } = place.context;
  const put: typeof rows.put = async (row, ...told) => {
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', {});
    return rows.put(row, ...told);
  };
  const imported = await importPortfolio(
    { portfolio: 'q4', path: join(place.dir, 'q4.csv'), reading: {}, replace: false },
    {
      ...importDepsOf(place.context),
      rows: { ...rows, put },
      onBatch: () => {},
      stopping: new AbortController().signal,
    },
  );
  expect(imported).toMatchObject({ rows: 1, requestedBefore: 0 });
  expect((await place.report()).states).toMatchObject({ refused: 1 });
});

test('a reference that an earlier version read as 9001.0 counts as requested before, in every portfolio', async () => {
  const place = await openWorkplace();
  const header = ['request_reference', 'name', 'country_code', 'requested_limit'];
  await place.work();
  // The earlier version read the workbook below like this.
  await place.import([header.join(','), '9001.0,Acme,DE,1000'], { portfolio: 'q3' });
  await place.settled('q3');
  const number = (value: string) => ({ value, code: '0' });
  const path = await writeFormatted(join(place.dir, 'q3.xlsx'), header, [
    [number('9001.0'), 'Acme', 'DE', number('1000')],
    [number('9002.0'), 'Acme', 'DE', number('3000')],
  ]);
  const come = async (portfolio: string) => {
    const deps = { ...importDepsOf(place.context), onBatch: () => {}, stopping: new AbortController().signal };
    const { requestedBefore } = await importPortfolio({ portfolio, path, reading: {}, replace: false }, deps);
    await place.settled(portfolio);
    return requestedBefore;
  };
  expect(await come('q3')).toBe(1);
  expect(await come('q4')).toBe(2);
  expect(place.standIn.counts().made.limit).toBe(2);
});
