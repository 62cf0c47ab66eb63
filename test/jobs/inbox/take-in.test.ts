import { expect, test } from 'vitest';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;

test('a file becomes rows of the portfolio that it is named after, and ends in done', async () => {
  const { drop, takeIn, names, report, context } = await openInbox();
  await drop('q4.csv', text(buyerLines(3)));
  const { files, lying } = await takeIn();
  expect(files).toMatchObject([{ name: 'q4.csv', portfolio: 'q4', is: 'imported', found: { lines: 3, rows: 3 } }]);
  expect(lying).toEqual([]);
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect(await names('done')).toEqual(['<time>-q4.csv']);
  expect(await report()).toMatchObject({ lines: 3, rows: 3 });
  expect((await context.portfolios.read('q4')).file).toMatchObject({ fileName: 'q4.csv', by: 'inbox' });
});
