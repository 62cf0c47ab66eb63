import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { previewInThread } from '../../../jobs/drafts/preview-in-thread.ts';
import type { PortfolioDraft } from '../../../src/portfolio/portfolio-draft.ts';
import { draftOf, incoming, openDraftDesk } from '../../support/draft-desk.ts';
import { acme, exportedText, HEADER, openWorkplace, zinc } from '../../support/workplace.ts';

async function openDesk(silentMs?: number) {
  const place = await openWorkplace();
  const inThread = openDraftDesk(place.context, place.dir, {
    preview: previewInThread({ smallBytes: 0, ...(silentMs && { silentMs }) }),
  });
  const upload = async (desk: typeof inThread.desk, text: string) => {
    const content = Readable.from([Buffer.from(text)]);
    return draftOf(await desk.receive(incoming([{ field: 'file', name: 'q4.csv', content }]), undefined, 'ann'));
  };
  const stateOf = async (desk: typeof inThread.desk, draft: PortfolioDraft) => {
    await expect.poll(async () => (await desk.preview(draft)).is, { timeout: 30_000 }).not.toBe('under way');
    return desk.preview(draft);
  };
  return { ...place, desk: inThread.desk, upload, stateOf };
}

test('a preview made in a thread equals one made here, with the same ledger', async () => {
  const place = await openDesk();
  await place.import([HEADER, acme(1), zinc(5)]);
  const here = openDraftDesk(place.context, place.dir, {});
  const text = `${[HEADER, acme(2), zinc(5), 'Tin AG,XX,HRB 3,,7'].join('\n')}\n`;
  const [one, other] = [await place.upload(place.desk, text), await place.upload(here.desk, text)];
  const [threads, ours] = [await place.stateOf(place.desk, one), await place.stateOf(here.desk, other)];
  const less = (state: typeof ours) => ({ ...(state.is === 'there' ? state.preview : {}), of: '', madeMs: 0 });
  expect(less(threads)).toEqual(less(ours));
  expect(threads).toMatchObject({ is: 'there', preview: { counts: { lines: 3, invalid: 1 } } });
});

// Promise: errors-file-own-account-only
test('a preview refuses a file of another account, in a thread and here', async () => {
  const place = await openDesk();
  const here = openDraftDesk(place.context, place.dir, {});
  const header = 'name,requested_limit,row,limitline_line,problem,limitline_account';
  for (const desk of [place.desk, here.desk]) {
    const foreign = await place.upload(desk, `${header}\nTin AG,7,q4/0123456789abcdef,,It is refused,prod\n`);
    expect(await place.stateOf(desk, foreign)).toMatchObject({
      preview: { faults: [{ message: expect.stringContaining('Line 2 belongs to account "prod", but this is') }] },
    });
    const { account } = place.context;
    const own = await place.upload(desk, `${header}\nTin AG,7,q4/0123456789abcdef,,It is refused,${account}\n`);
    expect(await place.stateOf(desk, own)).toMatchObject({ preview: { faults: [], counts: { lines: 1 } } });
  }
});

test('a preview of an errors file is made also where the copy of the file before is gone, in a thread and here', async () => {
  const place = await openDesk();
  const here = openDraftDesk(place.context, place.dir, {});
  await place.import([HEADER, 'Tin AG,XX,HRB 3,,7']);
  const errors = (await exportedText(place.context, { only: 'errors' })).replace('XX', 'DE');
  await rm(join(place.context.settings.LIMITLINE_DATA, 'imports'), { recursive: true });
  for (const desk of [here.desk, place.desk]) {
    const state = await place.stateOf(desk, await place.upload(desk, errors));
    expect(state).toMatchObject({ is: 'there', preview: { faults: [], counts: { lines: 1, rows: 1 } } });
  }
});

test('a preview whose thread gives no sign of life fails with a message', async () => {
  const place = await openDesk(1);
  const draft = await place.upload(place.desk, `${[HEADER, acme(2)].join('\n')}\n`);
  const state = await place.stateOf(place.desk, draft);
  expect(state).toMatchObject({ is: 'failed', message: expect.stringMatching(/takes too long to read/) });
});
