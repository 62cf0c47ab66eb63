import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type ExportWish, exportedText, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,request_reference,requested_limit,supporting_documents,contact_email';

async function openPlace() {
  const place = await openWorkplace();
  const documents = join(place.dir, 'documents');
  await mkdir(documents);
  await writeFile(join(documents, 'a.pdf'), '%PDF-1.4\n');
  return {
    ...place,
    documents,
    importLines: (...lines: string[]) => place.import([HEADER, ...lines]),
    exported: async (only: ExportWish['only'] = 'all'): Promise<Record<string, string>[]> =>
      parse(await exportedText(place.context, { only }), { columns: true }),
  };
}

test.each([
  ['a changed amount', 'Acme,R1,200,,', /^requested_limit: changed after it was requested/],
  ['a fault', 'Acme,R1,100,,nobody', /^contact_email: /],
])('a line imported again with %s counts once, and the results show its existing row', async (...row) => {
  const [, line, problem] = row;
  const { exported, importLines, work, settled, report } = await openPlace();
  await importLines('Acme,R1,100,,', 'Zinc,R2,300,,');
  await work();
  await settled();
  const before = await exported();
  expect(await importLines(line, 'Zinc,R2,300,,')).toMatchObject({ lines: 2, rows: 1, invalid: 1 });
  expect(await report()).toMatchObject({ lines: 2, rows: 2, invalid: 0, duplicate: 0, kept: 1, states: { done: 2 } });
  const after = await exported();
  expect(after.map(({ state, buyer_limit_id: id }) => [state, id])).toEqual(
    before.map(({ buyer_limit_id: id }) => ['done', id]),
  );
  expect(after.map((one) => one.problem)).toEqual([expect.stringMatching(problem), '']);
  expect((await exported('errors')).map(({ name }) => name)).toEqual(['Acme']);
  await importLines('Acme,R1,100,,', 'Zinc,R2,300,,');
  expect(await report()).toMatchObject({ lines: 2, rows: 2, invalid: 0, kept: 0 });
});

test('a file imported again without its documents counts each line once', async () => {
  const { documents, exported, importLines, work, settled, report } = await openPlace();
  const lines = ['Acme,R1,100,a.pdf,', 'Zinc,R2,300,a.pdf,', 'Tin,R3,nothing,,'];
  await importLines(...lines);
  await work();
  await settled();
  await rm(documents, { recursive: true });
  for (const _time of [1, 2]) {
    expect(await importLines(...lines)).toMatchObject({ lines: 3, rows: 0, invalid: 3 });
    expect(await report()).toMatchObject({ lines: 3, rows: 2, invalid: 1, kept: 2 });
  }
  expect((await exported()).map(({ state, document_ids: ids }) => [state, ids !== ''])).toEqual([
    ['done', true],
    ['done', true],
    ['invalid', false],
  ]);
});

test('of two lines with the same request, the valid one gets the row, in every order and file', async () => {
  const { exported, importLines, work, settled, report } = await openPlace();
  const twins = ['Acme,R1,100,missing.pdf,', 'Acme,R1,100,a.pdf,'];
  const files = [twins, twins, ['Tin,R9,1,,', ...twins], ['Tin,R9,1,,', ...twins.toReversed()]];
  await work();
  for (const lines of files) {
    await importLines(...lines);
    await settled();
    const rows = lines.length - 1;
    expect(await report()).toMatchObject({ lines: lines.length, rows, invalid: 1, kept: 0, states: { done: rows } });
    const states = lines.map((line) => (line.includes('missing') ? 'invalid' : 'done'));
    const found = await exported();
    expect(found.map(({ state }) => state)).toEqual(states);
    expect(found.map(({ buyer_limit_id: id }) => id !== '')).toEqual(states.map((state) => state === 'done'));
  }
});
