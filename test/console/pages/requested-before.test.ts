import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, unmarked } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

test('a row that was requested before shows the earlier outcome, unless it was approved in full', async () => {
  const decision = { on: 'limit', fault: 'decision' } as const;
  const rules = [
    { ...decision, match: 'HRB 1"', status: 'declined', share: 0 },
    { ...decision, match: 'HRB 3"', status: 'approved', share: 0.5 },
  ];
  const desk = await openDesk(3, { rules });
  await writeFile(join(desk.cwd, 'q5.csv'), `${buyerLines(3).join('\n')}\n`);
  for (const name of ['q4', 'q5']) await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  const web = await openConsole(desk);
  const page = (await web.get('/portfolios/q5')).text;
  const badges = [...(page.split('id="rows"')[1] ?? '').matchAll(/<td[^>]*data-head="Outcome">(.*?)<\/td>/gs)];
  expect(badges.map(([, cell = '']) => [...cell.matchAll(/badge state-(\w+)/g)].map(([, state]) => state))).toEqual([
    ['skipped', 'declined'],
    ['skipped'],
    ['skipped', 'partly_approved'],
  ]);
  const said = unmarked(page);
  expect(said).toContain('Requested before, and not approved: 1 declined.');
  expect(said).toContain('Requested before, and granted below the request: 1 limit.');
  // The report counts no request of another portfolio among its own limits, and says the same.
  const report = (await desk.limitline('report', 'q5')).stdout;
  expect(report).toContain('\nRequested before, and granted below the request: 1 limit.\n');
  expect(report).not.toContain('1 limit granted below');
  // The portfolio of the earlier requests shows this in its table.
  const own = unmarked((await web.get('/portfolios/q4')).text);
  expect(own).not.toContain('granted below the request');
  expect((await desk.limitline('report', 'q4')).stdout).toContain('\n1 limit granted below the request.\n');
});
