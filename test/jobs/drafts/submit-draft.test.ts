import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Imported, importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { buyerLines, exportedText, importDepsOf, openWorkplace } from '../../support/workplace.ts';

// Promise: sent-once-however-imported
test('an import that was stopped halfway is resumed by the next submission without duplicates', async () => {
  const { context, dir, report } = await openWorkplace();
  const stop = new AbortController();
  const stopped = openDraftDesk(context, dir, {
    importFile: (payload, { onLines }) =>
      importPortfolio(payload, {
        ...importDepsOf(context),
        stopping: stop.signal,
        onBatch: ({ lines }) => {
          onLines(lines);
          stop.abort();
        },
      }),
  });
  const draft = draftOf(await stopped.upload(['file', 'q4.csv', buyerLines(1_000).join('\n')]));
  const { of } = await previewOf(stopped.desk, draft);
  await stopped.desk.submit(draft.id, { of, replace: false });
  await expect
    .poll(async () => (await stopped.desk.read(draft.id)).submitted)
    .toMatchObject({ ended: null, fault: expect.stringContaining('stopping') });
  expect((await report('q4')).rows).toBeLessThan(1_000);
  const { desk } = openDraftDesk(context, dir);
  const again = await previewOf(desk, draft);
  expect(again.of).toBe(of);
  await Promise.all([1, 2].map(() => desk.submit(draft.id, { of, replace: false })));
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 1_000 });
  expect(await report('q4')).toMatchObject({ rows: 1_000 });
});

test('a look during the end of an import finds it under way or ended', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const { id, ...draft } = draftOf(await upload(['file', 'q4.csv', buyerLines(2).join('\n')]));
  const { of } = await previewOf(desk, { id, ...draft });
  for (let time = 0; time < 10; time += 1) {
    await desk.submit(id, { of, replace: false });
    const looks: ReturnType<typeof desk.look>[] = [];
    while (desk.progress(id)) {
      looks.push(desk.look(id));
      // Each look opens files, and a slow machine gets through many looks meanwhile.
      await (looks[looks.length - 100] ?? setImmediate());
    }
    const between = (await Promise.all(looks)).filter((one) => !one.progress && !one.draft.submitted?.ended);
    expect(looks.length).toBeGreaterThan(0);
    expect(between).toEqual([]);
    expect((await desk.look(id)).draft.submitted?.ended).not.toBeNull();
  }
});

// Promise: sent-once-however-imported
test('submissions during the end of an import start no second import', async () => {
  const { context, dir } = await openWorkplace();
  let begun = 0;
  const importFile = async () => {
    begun += 1;
    return { lines: 2, rows: 2, invalid: 0, duplicate: 0, faults: [] } as unknown as Imported;
  };
  const { desk, upload } = openDraftDesk(context, dir, { importFile });
  const draft = draftOf(await upload(['file', 'q4.csv', buyerLines(2).join('\n')]));
  const submission = { of: (await previewOf(desk, draft)).of, replace: false };
  for (let time = 1; time <= 10; time += 1) {
    await desk.submit(draft.id, submission);
    const others: ReturnType<typeof desk.submit>[] = [];
    while (desk.progress(draft.id)) {
      others.push(desk.submit(draft.id, submission));
      await (others[others.length - 100] ?? setImmediate());
    }
    await Promise.all(others);
    expect(begun).toBe(time);
  }
});

test('a correction during a submission is either part of the import or refused', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const { id, ...draft } = draftOf(await upload(['file', 'q4.csv', buyerLines(2).join('\n')]));
  const { of } = await previewOf(desk, { id, ...draft });
  const said = await Promise.allSettled([
    desk.correct(id, { portfolio: 'q5' }),
    desk.submit(id, { of, replace: false }),
  ]);
  expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const { portfolio, submitted } = await desk.read(id);
  expect(submitted?.portfolio ?? portfolio).toBe(portfolio);
});

test('a submission can send some rows first', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', buyerLines(8).join('\n')]));
  const { of } = await previewOf(desk, draft);
  await desk.submit(draft.id, { of, replace: false, first: 5 });
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 8 });
  expect(await context.portfolios.read('q4')).toMatchObject({ first: expect.anything() });
});

test('an upload imported into another account does not count as submitted here', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const { id } = draftOf(await upload(['file', 'q4.csv', buyerLines(2).join('\n')]));
  const { of } = await previewOf(desk, { id });
  await desk.submit(id, { of, replace: false, by: 'console' });
  await expect.poll(async () => (await desk.read(id)).submitted?.ended).toMatchObject({ rows: 2 });
  const { desk: live } = openDraftDesk(context, dir, { account: 'https://live.example' });
  expect((await live.read(id)).submitted).toBeNull();
  expect(await live.list()).toMatchObject([{ id, submitted: null }]);
  expect((await desk.read(id)).submitted).toMatchObject({ portfolio: 'q4' });
});

test('a submission is refused if it was confirmed for another portfolio', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'mine.csv', buyerLines(2).join('\n')]));
  await desk.correct(draft.id, { portfolio: 'theirs' });
  const { of } = await previewOf(desk, draft);
  expect(await desk.submit(draft.id, { of, portfolio: 'mine', replace: true })).toEqual({
    conflict: expect.stringContaining('no longer what you saw'),
  });
  expect(await context.portfolios.names()).toEqual([]);
  expect(await desk.submit(draft.id, { of, portfolio: 'theirs', replace: true })).toMatchObject({
    draft: { id: draft.id },
  });
});

test('of simultaneous submissions, those with other options are answered as a conflict', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const { id } = draftOf(await upload(['file', 'q4.csv', buyerLines(3).join('\n')]));
  const { of } = await previewOf(desk, { id });
  const answers = await Promise.all([
    desk.submit(id, { of, replace: false, by: 'ann' }),
    desk.submit(id, { of, replace: false, by: 'ben' }),
    desk.submit(id, { of, replace: false, by: 'cleo', total: '1.00' }),
    desk.submit(id, { of, replace: false, by: 'dan', first: 5 }),
  ]);
  expect(answers.map((answer) => Object.keys(answer)[0])).toEqual(['draft', 'draft', 'conflict', 'conflict']);
});

test.each([[], [['documents', 'a.pdf', '%PDF-1.4'] as [string, string, string]]])(
  'a line that lacks a document of an upload asks to upload it',
  async (...more) => {
    const { context, dir } = await openWorkplace();
    const { desk, upload } = openDraftDesk(context, dir);
    const file = 'name,requested_limit,supporting_documents\nAcme,1,\nBeta,2,b.pdf\n';
    const draft = draftOf(await upload(['file', 'q4.csv', file], ...more));
    const { of } = await previewOf(desk, draft);
    await desk.submit(draft.id, { of, replace: false });
    await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 1 });
    const errors = await exportedText(context, { only: 'errors' });
    expect(errors).toContain(
      'b.pdf is not in the documents uploaded with q4.csv: upload it with this line, or correct',
    );
  },
);

// Promises: imported-as-previewed, authors-of-a-file
test('a document that comes in another console during an import adds no row to the confirmed ones', async () => {
  const { context, dir, report } = await openWorkplace();
  const go = Promise.withResolvers<void>();
  const { desk, upload } = openDraftDesk(context, dir, {
    importFile: async (payload, { onLines }) => {
      await go.promise;
      const onBatch = ({ lines }: { lines: number }) => onLines(lines);
      return importPortfolio(payload, { ...importDepsOf(context), stopping: new AbortController().signal, onBatch });
    },
  });
  onTestFinished(() => go.resolve());
  const text = 'name,country_code,requested_limit,supporting_documents\nA GmbH,DE,1000,\nB GmbH,DE,900000,b.pdf\n';
  const draft = draftOf(await upload(['file', 'q4.csv', text]));
  const { of } = await previewOf(desk, draft);
  await desk.submit(draft.id, { of, replace: false, by: 'ann' });
  const other = openDraftDesk(context, dir).desk;
  const file = () => incoming([{ field: 'documents', name: 'b.pdf', content: Readable.from(['%PDF-1.4\n%%EOF\n']) }]);
  await expect(other.addToUpload(draft.id, file(), 'ben')).rejects.toThrow('has not ended');
  go.resolve();
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 1, invalid: 1 });
  expect(await report('q4')).toMatchObject({ rows: 1 });
  expect(await other.addToUpload(draft.id, file(), 'ben')).toMatchObject({ draft: { authors: ['ann', 'ben'] } });
});

// Promise: imported-as-previewed
test('an upload is neither removed nor submitted again in another console while its import lives', async () => {
  const { context, dir } = await openWorkplace();
  const [read, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { desk, upload } = openDraftDesk(context, dir, {
    importFile: async () => {
      await read.promise;
      const run = await context.portfolios.startImport('q4', { id: 'f', fileName: 'q4.csv', reading: '{}' });
      await go.promise;
      await run.end();
      return { faults: [], lines: 2, rows: 2, invalid: 0, duplicate: 0 } as unknown as Imported;
    },
  });
  onTestFinished(() => {
    read.resolve();
    go.resolve();
  });
  const { id, ...draft } = draftOf(await upload(['file', 'q4.csv', buyerLines(2).join('\n')]));
  const { of } = await previewOf(desk, { id, ...draft });
  await desk.submit(id, { of, replace: false });
  const other = openDraftDesk(context, dir).desk;
  // The file may be read to its end before the import begins.
  await expect(other.remove(id)).rejects.toThrow('is being imported just now');
  read.resolve();
  await expect.poll(async () => (await context.portfolios.read('q4')).importing).toBe(true);
  await expect(other.remove(id)).rejects.toThrow('is being imported just now');
  // Another submission would end as a fault, after which documents may be added.
  await expect(other.submit(id, { of, replace: false })).rejects.toThrow('is being imported just now');
  expect((await other.read(id)).submitted).toMatchObject({ ended: null, fault: null });
  go.resolve();
  await expect.poll(async () => (await desk.read(id)).submitted?.ended).toMatchObject({ rows: 2 });
  await other.remove(id);
  await expect(desk.read(id)).rejects.toThrow('There is no such upload');
});
