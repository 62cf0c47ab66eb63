import { expect, test, vi } from 'vitest';
import { draftOf, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    statfs: async (...args: Parameters<typeof real.statfs>) => {
      const found = await real.statfs(...args);
      return disk.isFull ? Object.assign(found, { bavail: 0, bfree: 0 }) : found;
    },
  };
});

/** The file is large enough for the check of free disk space. */
const LARGE = `name,requested_limit,note\n${Array.from({ length: 6 }, (_none, n) => `A${n} GmbH,x,${'n'.repeat(200_000)}\n`).join('')}`;

test('going back to an earlier version and correcting both respect the reserve of the disk', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', LARGE]));
  const edits = (text: string) => [{ line: 2, cells: new Map([[0, text]]) }];
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: edits('B') }, 'ann');
  await previewOf(desk, draft);
  disk.isFull = true;
  await expect(desk.mend(draft.id, { version: 2, edits: edits('C') }, 'ann')).rejects.toThrow(/space|room|full/i);
  await expect(desk.goBack(draft.id, { version: 2, to: 1 }, 'ann')).rejects.toThrow(/space|room|full/i);
});
