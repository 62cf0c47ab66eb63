import { expect, test } from 'vitest';
import { openContextOf, openDesk } from '../../support/desk.ts';

// Promise: forget-asks-for-name
test('forget prints what it deletes, keeps and cannot reach, and requires the name of the portfolio', async () => {
  const desk = await openDesk(2);
  await desk.limitline('run', 'q4.csv', '--no-results');
  const asked = await desk.limitline('forget', 'q4');
  expect(asked.status).toBe(1);
  expect(asked.stderr).toContain('Portfolio q4 of account');
  expect(asked.stderr).toContain('What stays: counts and sums');
  expect(asked.stderr).toMatch(/events of the service that name a row of it, also where\nthey name rows of others/);
  expect(asked.stderr).toMatch(/What the service has, backups, .*\n.* not reached/);
  expect(Math.max(...beforeThat(asked.stderr).map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(asked.stderr).toContain('Nothing was changed. To forget the portfolio, run: limitline forget "q4" --yes "q4"');
  const other = await desk.limitline('forget', 'q4', '--yes', 'q5');
  expect(other).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('That is not the name of the portfolio, q4'),
  });
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { done: 2 } });

  const done = await desk.limitline('forget', 'q4', '--yes', 'q4');
  expect(done.status).toBe(0);
  expect(done.stdout).toContain('q4 is forgotten. Taken out: its rows, 2 buyers, 1 file');
  expect(done.stdout).toContain('ask it to erase');
  expect(done.stdout).toContain('redis-cli BGREWRITEAOF');
  expect(done.stdout).toMatch(
    /files that were refused as a whole .*\n {2}names them, and npx limitline reconcile lists them/,
  );
  expect(Math.max(...done.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  const again = await desk.json('forget', 'q4');
  expect(again).toMatchObject({ portfolio: 'q4', forgotten: true });
  const audit = await desk.json('audit', 'list');
  const entries = (audit as { entries: { what: string; about?: string }[] }).entries;
  expect(entries.filter(({ what }) => what === 'portfolio forgotten').map(({ about }) => about)).toEqual(['q4', 'q4']);
  const none = await desk.limitline('forget', 'none', '--yes', 'none');
  expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no portfolio "none"') });
});

// Promise: killed-import-ends-with-cancel
test('a portfolio with a killed import can be forgotten or archived after it was cancelled', async () => {
  const desk = await openDesk(2);
  const context = await openContextOf(desk);
  for (const name of ['q4', 'q5']) {
    await desk.limitline('import', 'q4.csv', '--portfolio', name);
    const [last] = await context.portfolios.allImports(name);
    if (!last) throw new Error('nothing was imported');
    // The state that a killed import leaves behind, once its last heartbeat is old.
    await (await context.portfolios.startImport(name, { ...last, id: 'never read to its end' })).leave();
  }
  expect(await desk.limitline('forget', 'q4', '--yes', 'q4')).toMatchObject({ status: 1 });
  expect(await desk.json('cancel', 'q4')).toMatchObject({ cancelled: 2 });
  expect(await desk.limitline('forget', 'q4', '--yes', 'q4')).toMatchObject({ status: 0 });
  expect(await desk.limitline('archive', 'q5')).toMatchObject({ status: 1 });
  await desk.limitline('cancel', 'q5');
  expect(await desk.limitline('archive', 'q5')).toMatchObject({ status: 0 });
});

/** The text before the question, from the line about the portfolio on. */
function beforeThat(text: string): string[] {
  const lines = text.split('\n');
  return lines.slice(
    lines.findIndex((line) => line.startsWith('To forget it')),
    lines.findIndex((line) => line.includes('Nothing was changed')),
  );
}
