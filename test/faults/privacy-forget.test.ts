import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerApproval, carryOutAnswered } from '../../jobs/approvals/answer-approval.ts';
import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../jobs/archive/forget-portfolio.ts';
import { makeKeptMappings, makeNamedMappings } from '../../jobs/drafts/kept-mappings.ts';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { printReport } from '../../scripts/nightly/report-table.ts';
import { BOB, resendHeld } from '../support/approved-portfolio.ts';
import { draftOf, openDraftDesk, previewOf } from '../support/draft-desk.ts';
import { filesBelow } from '../support/files-below.ts';
import { openInbox } from '../support/inbox.ts';
import { keyContents, MARK } from '../support/key-contents.ts';

/** A line with a mark in every cell that may name people. */
type Marked = { n: number; documents?: string; email?: string };

const HEADER =
  'name,country_code,city,street,state,website,business_information_source,business_information_id,company_registration_number,requested_limit,contact_first_name,contact_last_name,contact_email,supporting_documents,buyer_reference,request_reference,Betreuer';

/** An answer of the service that repeats what was sent for a row. */
const echo = (n: number) => `{"error":"Zqxjv ${n} GmbH of Zqxjvweg ${n} (zqxjv${n}@zqxjv.example) is not known"}`;
const limit = (n: number) => ({ on: 'limit' as const, match: `"HRB zqxjv ${n}"` });

/** Refused rows, one of them at its company, and two rows with unknown outcomes. */
const RULES = [
  { ...limit(2), fault: 'status' as const, status: 422, body: echo(2) },
  { ...limit(3), fault: 'status' as const, status: 408, body: echo(3), times: 1 },
  { ...limit(4), fault: 'reset' as const, made: true, times: 1 },
  { on: 'company' as const, match: 'Zqxjv 5 GmbH', fault: 'status' as const, status: 400, body: echo(5) },
];

function markedFile(...lines: (number | Marked)[]): string {
  return `${[HEADER, ...lines.map((line) => markedCells(typeof line === 'number' ? { n: line } : line))].join('\n')}\n`;
}

function markedCells({ n, documents = '', email = `zqxjv${n}@zqxjv.example` }: Marked): string {
  const address = `DE,Zqxjvstadt,Zqxjvweg ${n},Zqxjvland,https://zqxjv${n}.example`;
  const ids = `zqxjv,zqxjv-${n},HRB zqxjv ${n}`;
  const contact = `Zqxjvanna,Zqxjvmann ${n},${email}`;
  return `Zqxjv ${n} GmbH,${address},${ids},${1_000 + n}.50,${contact},${documents},zqxjv-b${n},zqxjv-r${n},Frau Zqxjv`;
}

/**
 * A place in which portfolio `q4` went through everything: documents, invalid and duplicate lines, refusals that repeat
 * what was sent, held and resolved rows, corrections, approvals, the drop folder, an upload, mappings, a rule, a plan,
 * notices, events, and a nightly report. Every value has a mark.
 */
async function openMarkedPortfolio() {
  const place = await openInbox({
    faults: { rules: RULES },
    env: { APPROVE_ALWAYS: 'on', CANARY_REFUSALS: '0', SERVICE_CONCURRENCY: '4' },
  });
  const { context, dir } = place;
  const dataDir = context.settings.LIMITLINE_DATA;

  /** Approves everything that waits, with marked words. */
  async function approve(): Promise<void> {
    for (const { id, digest } of await context.approvals.waiting()) {
      const said = { id, digest, answer: 'approve' as const, words: 'zqxjv: yes', person: BOB };
      const answered = await answerApproval(said, context);
      if (answered.is === 'done') await carryOutAnswered(answered.approval, context);
    }
  }

  async function importText(name: string, text: string, portfolio = 'q4') {
    const path = join(dir, name);
    await writeFile(path, text);
    const supplierPath = join(dir, 'zqxjv-supplier.csv');
    await writeFile(supplierPath, 'name,country_code,city\nZqxjv Lieferant,DE,Zqxjvstadt\n');
    const imported = await place.importFile(path, {}, { portfolio, by: 'alice', supplierPath });
    await approve();
    return imported;
  }

  const night = (id: string) =>
    reconcile(
      { ...context, printReport },
      { id, atMs: Date.now(), by: 'nightly', signal: new AbortController().signal },
    );

  await mkdir(join(dir, 'documents'));
  await writeFile(join(dir, 'documents', 'zqxjv-1.pdf'), '%PDF-1.4 zqxjv 1');
  const first = markedFile(
    { n: 1, documents: 'zqxjv-1.pdf' },
    ...[2, 3, 4, 5, 1],
    { n: 6, email: 'zqxjv(at)zqxjv' },
    { n: 7, documents: 'zqxjv-lost.pdf' },
  );
  const imported = await importText('zqxjv buyers.csv', first);
  expect(imported.problems.length).toBeGreaterThan(1);
  const workers = await place.work();
  await expect
    .poll(async () => (await place.report()).states, { timeout: 60_000 })
    .toMatchObject({ held: 2, limit: 0 });
  await place.settled();
  const held = await night('2026-11-22T01:30:00.000Z');
  await resendHeld({ by: 'alice' }, context);
  await approve();
  await expect.poll(async () => (await place.report()).states, { timeout: 60_000 }).toMatchObject({ done: 3 });

  // Other words for a refused row, and another amount for a row, which a new row replaces.
  await importText('zqxjv corrected.csv', markedFile(2, 5).replace('Zqxjvmann 2', 'Zqxjvfrau 2'));
  await place.settled();

  await place.drop('q4/zqxjv-9.pdf', '%PDF-1.4 zqxjv 9');
  await place.drop('q4.csv', markedFile({ n: 9, documents: 'zqxjv-9.pdf' }, { n: 10, email: 'zqxjv(at)zqxjv' }));
  await place.takeIn();
  await approve();
  await place.settled();
  await place.takeIn();
  await place.drop('q4.csv', 'zqxjv\nzqxjv\n');
  await place.takeIn();

  const { desk, upload } = openDraftDesk(context, dir, { dataDir });
  const draft = draftOf(await upload(['file', 'zqxjv upload.csv', markedFile(11, { n: 12, email: 'zqxjv(at)zqxjv' })]));
  await desk.correct(draft.id, { portfolio: 'q4' });
  await previewOf(desk, draft);
  const mapping = { keptMs: 1, by: ['ann'], reading: { headerLine: 1 } };
  await makeKeptMappings({ dir: join(dataDir, 'mappings') }).keep('0'.repeat(32), {
    name: 'zqxjv buyers.csv',
    ...mapping,
  });
  await makeNamedMappings({ dataDir }).keep({ name: 'ours', file: 'zqxjv corrected.csv', ...mapping });

  await context.retryRules.add({ portfolio: 'q4', words: 'zqxjv', nights: 1, by: 'alice' });
  const cause = (await context.portfolios.causes('q4'))[0];
  await context.retryRules.add({ cause: cause?.id ?? '', known: cause?.words ?? '', nights: 1, by: 'alice' });
  await context.plans.keep({ portfolio: 'q4', action: 'retry', filter: { text: 'zqxjv' }, atMs: Date.now() } as never);
  const facts = [{ term: 'File', what: 'zqxjv buyers.csv' }];
  const notice = { kind: 'inbox' as const, title: 'q4', facts, path: '/portfolios/q4', atMs: 1 };
  await context.outbox.report([{ subject: 'settled q4', state: 'settled 1', notice }]);
  const limits = await limitsOf('q4');
  const body = Buffer.from(JSON.stringify({ id: limits.values().next().value, contact: 'zqxjv' }));
  expect(await context.events.keep({ body, headers: { from: 'zqxjv' } })).toBe('kept');
  await night('2026-11-23T01:30:00.000Z');
  await workers.stop();

  /** The ids of the portfolio's limits by row key. */
  async function limitsOf(portfolio: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const state of ['done', 'skipped'] as const) {
      const rows = await context.rows.inState(portfolio, state, { count: 100 });
      const results = await context.rows.read(rows.map(({ row }) => row));
      for (const [at, { row }] of rows.entries()) found.set(row.key, results[at]?.limitId ?? '');
    }
    return found;
  }

  return { ...place, dataDir, first, held, approve, importText, night, limitsOf, limits, desk };
}

/** Includes waits that are caused by faults of the service, on a busy machine. */
const TIMEOUT_MS = 150_000;

const options = { by: 'anna', signal: new AbortController().signal };

// Promises: forget-leaves-no-person, forgotten-not-requested-twice
test(
  'after forget, neither Redis nor the data folder names a person of a portfolio that went through every fault',
  async () => {
    const place = await openMarkedPortfolio();
    const { context, dataDir, standIn } = place;
    const workers = await place.work();
    await place.importText('zqxjv old.csv', markedFile(21, { n: 22, documents: 'zqxjv-1.pdf' }), 'old');
    await place.settled('old');
    await workers.stop();
    await archivePortfolio(context, 'old', options);
    const limits = await place.limitsOf('q4');
    const made = standIn.counts();

    // The marks are found before, which shows that the search works.
    const before = await look();
    expect(before.keys.length).toBeGreaterThan(20);
    expect(before.names()).toEqual(
      expect.arrayContaining([
        'archive',
        'documents',
        'done',
        'drafts',
        'imports',
        'mappings',
        'rejected',
        'reports',
        'results',
      ]),
    );
    await forgetPortfolio('q4', options, context);
    const ended = await forgetPortfolio('old', options, context);
    expect(ended.state).toMatchObject({ is: 'forgotten', states: { done: 2 } });
    const after = await look();
    expect(after.keys).toEqual([]);
    expect(after.files).toEqual([]);

    const report = await place.night('2026-11-24T01:30:00.000Z');
    expect(report).toMatchObject({ is: 'well' });
    await place.importText('zqxjv again.csv', markedFile(1, 3, 4, 9, 21, 22), 'again');
    expect((await place.report('again')).states).toMatchObject({ skipped: 6, awaiting: 0 });
    const again = await place.limitsOf('again');
    for (const [key, id] of again) if (limits.has(key)) expect(id).toBe(limits.get(key));
    expect(standIn.counts()).toEqual(made);

    async function look() {
      const isMarked = (text: string) => MARK.test(text);
      const keys = (await keyContents(context)).filter(({ key, value }) => isMarked(key) || isMarked(value));
      const folders = [...(await filesBelow(dataDir)), ...(await filesBelow(place.inbox))];
      const files = folders.filter(({ path, content }) => isMarked(path) || isMarked(content)).map(({ path }) => path);
      const names = () =>
        files.map((path) => path.replace(`${dataDir}/`, '').replace(`${place.inbox}/`, '').split('/')[0]);
      return { keys: keys.map(({ key }) => key), files, names };
    }
  },
  TIMEOUT_MS,
);
