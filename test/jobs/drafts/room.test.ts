import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draftOf, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** Line 2 can be mended: it names no country. */
const FILE = `name,country_code,company_registration_number,requested_limit\nBuyer 1,XX,HRB 1,5\nBuyer 2,DE,HRB 2,5\n`;

// Promise: back-to-earlier-version
test('of a file that is mended again and again the uploaded file and three versions are kept, and the last is what is submitted', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  let draft = draftOf(await upload(['file', 'q4.csv', FILE]));
  for (let version = 1; version <= 5; version += 1) {
    await previewOf(desk, draft);
    const edits = [{ line: 2, cells: new Map([[0, `Buyer ${version} again`]]) }];
    const answer = await desk.mend(draft.id, { version, edits }).catch((error: Error) => error);
    if (answer instanceof Error) throw answer;
    if ('conflict' in answer) throw new Error('it was mended by others');
    draft = answer.draft;
  }
  expect(draft.versions.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  const files = await readdir(join(dir, 'data', 'drafts', draft.id));
  expect(files.filter((name) => /^v\d+$/.test(name)).sort()).toEqual(['v1', 'v4', 'v5', 'v6']);
});

// Promise: uploads-of-one-person
test('the uploads of one person take so much and no more, and those of others are not counted', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir, { quotaBytes: FILE.length + 20 });
  const first = draftOf(await upload(['file', 'q4.csv', FILE]));
  await previewOf(desk, first);
  const second = await upload(['file', 'q5.csv', FILE]);
  expect(second).toMatchObject({ refused: { status: expect.any(Number) } });
  const edits = [{ line: 2, cells: new Map([[0, 'Another']]) }];
  await expect(desk.mend(first.id, { version: 1, edits }, 'ann')).rejects.toThrow(
    /submit or remove some of them first/,
  );
  expect(await desk.list()).toHaveLength(1);
  expect(await desk.mend(first.id, { version: 1, edits }, 'ben')).toMatchObject({ mended: expect.any(Number) });
});
