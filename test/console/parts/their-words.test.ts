import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../../support/desk.ts';

/** Reverses the reading direction for the rest of its paragraph. */
const TURNED = '\u202e';

test('a direction override in a name does not affect the amount beside it, and a very long name is shortened', async () => {
  const desk = await openDesk(0, {
    rules: [
      { on: 'limit', match: '"HRB 1"', fault: 'status', status: 500, body: 'no' },
      { on: 'limit', match: '"HRB 2"', fault: 'status', status: 422, body: 'no' },
    ],
  });
  const long = 'long '.repeat(2_000);
  const lines = [1, 2, 3].map((n) => `Turned ${TURNED}${n} ${long},DE,HRB ${n},1000`);
  const text = ['name,country_code,company_registration_number,requested_limit', ...lines].join('\n');
  await writeFile(join(desk.cwd, 'q4.csv'), text);
  await desk.limitline('run', 'q4.csv', '--no-results', '--yes');
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q5.csv', text]);
  for (const path of ['/portfolios/q4', '/held', '/work?portfolio=q4', location]) {
    const page = (await web.get(path)).text;
    // The letter to the service’s people contains the whole name.
    if (path !== '/held') expect(page.length, path).toBeLessThan(45_000);
    expect(page, path).toContain(`<bdi>Turned ${TURNED}`);
  }
});
