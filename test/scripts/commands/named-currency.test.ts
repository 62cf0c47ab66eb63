import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

test('commands that act on rows name the currency of the amounts, where all files name the same one', async () => {
  const { cwd, limitline } = await openDesk(0, {
    rules: [
      { on: 'limit', match: 'HRB 1', fault: 'status', status: 422 },
      { on: 'limit', match: 'HRB 2', fault: 'reset', made: false, times: 1 },
    ],
  });
  const [head, ...lines] = buyerLines(2);
  await writeFile(join(cwd, 'q4.csv'), [`${head},currency`, ...lines.map((line) => `${line},EUR`), ''].join('\n'));
  await limitline('run', 'q4.csv', '--yes');
  for (const [args, says] of [
    [['retry', 'q4', '--dry-run'], '1 row of portfolio q4, EUR 1,001.50 in all, would be sent again'],
    [['retry', 'q4', '--line', '2', '--dry-run'], '1 row of portfolio q4, EUR 1,001.50 in all, would be sent again'],
    [
      ['cancel', 'q4', '--where', 'states=refused', '--dry-run'],
      '1 row of portfolio q4, EUR 1,001.50 in all, would be cancelled',
    ],
    [['resolve', 'q4', '--line', '3', '--resend', '--dry-run'], 'Buyer 2 GmbH, EUR 1,002.50: its limit would be'],
    [['resolve', 'q4', '--all', '--resend', '--dry-run'], '1 held row, EUR 1,002.50 in total'],
    [['resolve', 'q4', '--line', '3', '--resend'], 'Buyer 2 GmbH, EUR 1,002.50: its limit is sent again'],
  ] as const) {
    expect((await limitline(...args)).stdout, args.join(' ')).toContain(says);
  }
});

test('commands name the currency of an approval by its own file, where the files of the portfolio differ', async () => {
  const { cwd, limitline } = await openDesk(0, {}, { APPROVE_ALWAYS: 'on' });
  const [head, one = '', other = ''] = buyerLines(2);
  await writeFile(join(cwd, 'euros.csv'), `${head},currency\n${one},EUR\n`);
  await writeFile(join(cwd, 'dollars.csv'), `${head},currency\n${other},USD\n`);
  await limitline('import', 'euros.csv', '--portfolio', 'q4');
  const { stderr: waits } = await limitline('import', 'dollars.csv', '--portfolio', 'q4');
  const { stderr: asked } = await limitline('approve', 'q4', '--as', 'bob');
  for (const said of [waits, asked]) {
    expect(said).toContain('1 row, EUR 1,001.50 in all');
    expect(said).toContain('1 row, USD 1,002.50 in all');
  }
});
