import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';

// Promise: nearly-named-portfolio-said
test('a new portfolio whose name differs from another only by case or spaces gets a warning, until it exists', async () => {
  const { cwd, limitline } = await openDesk(1);
  const said = async (command: string, name: string) => {
    const { stdout, stderr } = await limitline(command, 'list.csv', '--portfolio', name);
    return /^file: (Portfolio .*) \(a warning\)$/m.exec(stdout + stderr)?.[1];
  };
  await writeFile(join(cwd, 'list.csv'), 'name,requested_limit\nElm GmbH,5\n');
  expect(await said('import', 'q4 eu')).toBeUndefined();
  const words =
    'Portfolio "Q4EU" is a new one, and there is "q4 eu". If the file belongs to that one, say --portfolio "q4 eu".';
  expect(await said('check', 'Q4EU')).toBe(words);
  expect(await said('import', 'Q4EU')).toBe(words);
  expect(await said('check', 'Q4EU')).toBeUndefined();
  expect(await said('check', 'q4-eu')).toBeUndefined();
});
