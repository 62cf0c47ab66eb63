import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const gate = vi.hoisted(() => ({ reached: () => {}, go: Promise.resolve() as Promise<void> }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    rename: async (from: string, to: string) => {
      if (to.endsWith('/documents/b.pdf')) {
        gate.reached();
        await gate.go;
      }
      return real.rename(from, to);
    },
  };
});

test('a document whose upload ends after the submission adds no row to the confirmed ones', async () => {
  const { context, dir, report } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const head = 'name,country_code,company_registration_number,supporting_documents,requested_limit';
  const text = `${[head, 'A GmbH,DE,HRB 1,,1000', 'B GmbH,DE,HRB 2,b.pdf,900000'].join('\n')}\n`;
  const draft = draftOf(await upload(['file', 'q4.csv', text]));
  const { of, dryRun } = await previewOf(desk, draft);
  expect(dryRun).toMatchObject({ limits: 1, requested: '1000' });
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  gate.reached = reached.resolve;
  gate.go = go.promise;
  const file = { field: 'documents', name: 'b.pdf', content: Readable.from(['%PDF-1.4\n%%EOF\n']) };
  const adding = desk.addToUpload(draft.id, incoming([file]), 'ben').catch((error: Error) => error);
  await reached.promise;
  const submitting = desk.submit(draft.id, { of, replace: false, by: 'ann' }).catch((error: Error) => error);
  await submitting;
  go.resolve();
  await adding;
  await expect.poll(() => desk.progress(draft.id), { timeout: 20_000 }).toBeUndefined();
  expect((await context.portfolios.names()).length === 0 ? 0 : (await report('q4')).rows).toBeLessThan(2);
});
