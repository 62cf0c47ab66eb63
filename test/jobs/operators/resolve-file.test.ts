import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKnownIds } from '../../../jobs/operators/id-faults.ts';
import { planHeldFile, resolvePlan } from '../../../jobs/operators/plan-held-file.ts';
import { type Resolving, resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import type { ResolvedRow } from '../../../src/ledger/story/held-plan.ts';
import { readResolutionFile } from '../../../src/portfolio/results/resolution-file.ts';
import { buyerLines, exportedText, openWorkplace } from '../../support/workplace.ts';

/** Five rows and an invalid line. Two rows are held at their limit, and two of one buyer at its company. */
async function openHeld() {
  const lost = (on: 'company' | 'limit', match: string, made: boolean) =>
    ({ on, match, fault: 'reset', made, times: 1 }) as const;
  const place = await openWorkplace({
    faults: { rules: [lost('limit', 'HRB 1', true), lost('limit', 'HRB 2', false), lost('company', 'Buyer 3 ', true)] },
  });
  const [header = '', ...lines] = buyerLines(4);
  await place.import([header, ...lines, 'Buyer 3 GmbH,DE,HRB 3,77', 'Broken AG,Nowhere,HRB 9,1']);
  const workers = await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 4 });
  const idOf = (kind: 'company' | 'limit', text: string) =>
    place.standIn.things(kind).find(({ body }) => JSON.stringify(body).includes(text))?.id ?? '';
  const path = join(place.dir, 'held.csv');
  const plan = async (...lines: string[]) => {
    await writeFile(path, ['row;line;id', ...lines, ''].join('\n'));
    return planHeldFile('q4', await readResolutionFile(path, place.context.account), place.context);
  };
  return { ...place, plan, idOf, stopWork: () => workers.stop() };
}

// Promise: known-id-not-taken-twice
test('an answer file is checked as a whole, and then carried out completely or not at all', async () => {
  const { context, standIn, settled, report, plan, idOf } = await openHeld();
  const [first, third, fourth] = [idOf('limit', 'HRB 1'), idOf('company', 'Buyer 3 '), idOf('limit', 'HRB 4')];
  const wrong = await plan(
    `;2;${third}`,
    `;3;${fourth}`,
    ';4;bl_9',
    `;5;${first}`,
    ';7;bl_1',
    ';99;bl_2',
    'twin/a;;bl_3',
    'q4/a;;bl_4',
    `;2;${first}`,
    `;3;${first}`,
    `;4;${third}`,
    ';6;resend',
  );
  expect(wrong.problems.map(({ at, message }) => `${at} ${message}`)).toEqual([
    expect.stringMatching(/^2 "company_\S+ cannot be the id for line 2, which is held at the step limit/),
    expect.stringMatching(/^3 "bl_\S+ is already known: it was made for line 5 of portfolio "q4" \(Buyer 4 GmbH\)\./),
    expect.stringMatching(/^4 "bl_9" cannot be the id .* begin with company_/),
    expect.stringMatching(/^5 Line 5 of portfolio "q4" is done \(bl_/),
    expect.stringMatching(/^6 Line 7 of portfolio "q4" led to no row: it is invalid/),
    expect.stringMatching(/^7 There is no line 99/),
    '8 Row twin/a does not belong to portfolio "q4".',
    '9 There is no row q4/a.',
    '11 Another line of this file, line 3, says something else about the same limit.',
    '13 Another line of this file, line 12, says something else about the same company.',
  ]);
  const twice = await plan(`;2;${first}`, `;3;${first}`);
  expect(twice.problems).toEqual([{ at: 3, message: `"${first}" is already given for another row, in line 2.` }]);
  expect((await report()).states.held).toBe(4);

  const [row] = await context.rows.behind('q4', 'held', { line: 3, count: 1 });
  const sound = await plan(
    `;2;${first}`,
    `${rowName(row?.row ?? { portfolio: '', key: '' })};;resend`,
    `;4;${third}`,
    ';5;',
  );
  expect(sound.problems).toEqual([]);
  // Planning changes nothing.
  expect((await report()).states.held).toBe(4);
  const told: ResolvedRow[] = [];
  expect(await resolvePlan(sound, context, (of) => told.push(of))).toMatchObject({ calls: 3, rows: 4, of: told });
  expect(told.map(({ line, step, name, made }) => [line, step, name, made])).toEqual([
    [2, 'limit', 'Buyer 1 GmbH', first],
    [3, 'limit', 'Buyer 2 GmbH', undefined],
    [4, 'company', 'Buyer 3 GmbH', third],
  ]);
  expect((await settled()).states).toMatchObject({ done: 5, held: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 4, limit: 5 });
});

// Promise: known-id-not-taken-twice
test('an id known for one row is refused for another, even before a worker has recorded it', async () => {
  const { context, idOf, plan, report, stopWork } = await openHeld();
  const resolve = (what: Partial<Resolving>) => resolveCalls({ portfolio: 'q4', ...what }, context);
  await expect(resolve({ line: 3, made: idOf('limit', 'HRB 4') })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/is already known: it was made for line 5 of portfolio "q4"/),
  });
  await expect(resolve({ line: 5 })).rejects.toThrow(/ is done \(bl_\S+\)\. Held rows are on lines 2, 3, 4, 6\.$/);
  expect(await resolve({ line: 2, made: idOf('limit', 'HRB 1'), dryRun: true })).toMatchObject({ calls: 0, rows: 0 });
  expect((await report()).states.held).toBe(4);
  await stopWork();
  const limit = idOf('limit', 'HRB 1');
  expect(await resolve({ line: 2, made: limit })).toMatchObject({ calls: 1, rows: 1 });
  const known = /is already known: it was made for line 2 of portfolio "q4" \(Buyer 1 GmbH\)/;
  await expect(resolve({ line: 3, made: limit })).rejects.toThrow(known);
  const { planned, problems } = await plan(`;3;${limit}`);
  expect({ planned: planned.length, problems }).toEqual({
    planned: 1,
    problems: [{ at: 2, message: expect.stringMatching(known) }],
  });
});

// Promise: known-id-not-taken-twice
test('an id stays known after its row was deleted', async () => {
  const { context, idOf } = await openHeld();
  const id = idOf('limit', 'HRB 4');
  const known = async () => [...(await readKnownIds(new Set([id, 'bl_of_nobody']), context))];
  const [found] = await known();
  expect(found).toEqual([id, [expect.objectContaining({ of: 'line 5 of portfolio "q4" (Buyer 4 GmbH)' })]]);
  const call = found?.[1][0]?.call.split(' ')[1] ?? '';
  await context.ledger.del(context.keys.row('q4', call));
  expect(await known()).toEqual([[id, [{ call: `limit ${call}`, of: `the row q4/${call}` }]]]);
});

// Promise: answers-of-an-earlier-call
test('answers in an old results file do not apply to calls that were sent again and lost since', async () => {
  const rules = [{ on: 'limit' as const, match: 'HRB 1"', fault: 'reset' as const, made: true, times: 2 }];
  const place = await openWorkplace({ faults: { rules } });
  await place.import(buyerLines(2));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 1 });
  const path = join(place.dir, 'held.csv');
  const [header = '', ...lines] = (await exportedText(place.context, {})).split('\r\n');
  await writeFile(
    path,
    [`${header},id`, ...lines.map((line) => (line.includes(',held,') ? `${line},resend` : line))].join('\n'),
  );
  const plan = async () => planHeldFile('q4', await readResolutionFile(path, place.context.account), place.context);
  await resolvePlan(await plan(), place.context, () => {});
  await expect.poll(() => place.standIn.things('limit').length, { timeout: 60_000 }).toBe(3);
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 1 });
  expect(await plan()).toMatchObject({
    planned: [],
    problems: [
      {
        message: expect.stringMatching(
          /^Its call was sent again at .*Z, after this file was written, .* Write the file again/,
        ),
      },
    ],
  });
});
