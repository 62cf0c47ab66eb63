import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole } from '../../support/console.ts';
import { openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

test('a row whose request was made before has the outcome beside it, unless it was approved', async () => {
  const rules = [{ on: 'limit', match: 'HRB 1"', fault: 'decision', status: 'declined', share: 0 } as const];
  const desk = await openDesk(2, { rules });
  await writeFile(join(desk.cwd, 'q5.csv'), `${buyerLines(2).join('\n')}\n`);
  for (const name of ['q4', 'q5']) await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  const page = (await (await openConsole(desk)).get('/portfolios/q5')).text;
  const badges = [...(page.split('id="rows"')[1] ?? '').matchAll(/<td[^>]*data-head="Outcome">(.*?)<\/td>/gs)];
  expect(badges.map(([, cell = '']) => [...cell.matchAll(/badge state-(\w+)/g)].map(([, state]) => state))).toEqual([
    ['skipped', 'declined'],
    ['skipped'],
  ]);
});
