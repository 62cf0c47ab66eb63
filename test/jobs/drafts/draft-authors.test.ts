import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// Promise: authors-of-a-file
test('whoever uploaded, mended or mapped a file may not approve what comes of it, and neither may who submits it', async () => {
  const { context, dir } = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { desk } = openDraftDesk(context, dir);
  const content = Readable.from([Buffer.from(buyerLines(3).join('\n').replace('1002.50', 'twelve'))]);
  const draft = draftOf(await desk.receive(incoming([{ field: 'file', name: 'q4.csv', content }]), undefined, 'ann'));
  await previewOf(desk, draft);
  const edits = [{ line: 3, cells: new Map([[3, '12']]) }];
  expect(await desk.mend(draft.id, { version: 1, edits }, 'bert')).toMatchObject({ mended: 1 });
  await desk.correct(draft.id, { portfolio: 'spring' }, 'cid');
  await desk.correct(draft.id, { portfolio: 'q4' }, 'bert');
  expect((await desk.read(draft.id)).authors).toEqual(['ann', 'bert', 'cid']);
  const { of } = await previewOf(desk, draft);
  await desk.submit(draft.id, { of, replace: false, by: 'dora' });
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 3 });
  const [waiting] = await context.approvals.waiting();
  expect(waiting).toMatchObject({ rows: 3, authors: ['ann', 'bert', 'cid', 'dora'] });
  const { id = '', digest = '' } = waiting ?? {};
  for (const by of ['ann', 'bert', 'cid', 'dora']) {
    expect(await context.approvals.grant({ id, digest, by })).toBe('own');
    expect(await context.approvals.decline({ id, digest, by })).toBe('own');
  }
  expect(await context.approvals.grant({ id, digest, by: 'eve' })).toBe('granted');
});
