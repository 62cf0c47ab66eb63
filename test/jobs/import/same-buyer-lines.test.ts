import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';

// Promise: same-buyer-of-no-line
test.each(['check', 'import', 'run'])(
  '%s refuses a line that its file does not have, and says of one that it was needless',
  async (command) => {
    const { cwd, limitline, json } = await openDesk(0);
    const lines = ['Alpha GmbH,DE,HRB 1,1000', 'Alpha Holding SE,DE,HRB 1,2000', 'Beta AG,DE,HRB 2,3000'];
    const text = ['name,country_code,company_registration_number,requested_limit', ...lines, ''].join('\n');
    await writeFile(join(cwd, 'q4.csv'), text);
    const { status, stderr } = await limitline(command, 'q4.csv', '--same-buyer', '3', '--same-buyer', '17-18');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('--same-buyer 17,18 names no line of the file, whose last line is 4'),
    ]);
    expect((await json('portfolios')).portfolios).toEqual([]);
    const said = await limitline(command, 'q4.csv', '--same-buyer', '3,4');
    expect(said.status).toBe(0);
    expect(`${said.stdout}${said.stderr}`).toContain('--same-buyer was not needed for line 4');
  },
);
