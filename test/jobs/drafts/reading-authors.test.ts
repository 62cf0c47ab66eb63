import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { makeNamedMappings } from '../../../jobs/drafts/kept-mappings.ts';
import { lastingOf } from '../../../src/portfolio/read-options.ts';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openInbox } from '../../support/inbox.ts';
import { makeFolder, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'Firma,Land,HR,Betrag';
const file = (n: number) => `${HEADER}\nMuster ${n} GmbH,DE,HRB ${n},1000\n`;
const COLUMNS = {
  Firma: 'name',
  Land: 'country_code',
  HR: 'company_registration_number',
  Betrag: 'requested_limit',
} as const;
/** A reading by a person who wants every request of ben to use a company of their own. */
const FAYS = {
  decimal: ',',
  mapping: {
    columns: COLUMNS,
    constants: { company_id: 'company_fay', buyer_reference: 'F', city: 'Ulm', business_information_source: 'fay' },
  },
} as const;
/** The part of that reading that is kept. */
const LASTING = {
  decimal: ',',
  mapping: { columns: COLUMNS, constants: { city: 'Ulm', business_information_source: 'fay' } },
};

async function openDesk() {
  const { context, dir } = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { desk } = openDraftDesk(context, dir);
  let files = 0;
  const upload = async (by: string) => {
    files += 1;
    const content = Readable.from([Buffer.from(file(files))]);
    return draftOf(
      await desk.receive(incoming([{ field: 'file', name: `${by}-${files}.csv`, content }]), undefined, by),
    );
  };
  const submit = async (id: string, by: string) => {
    const { of } = await previewOf(desk, { id });
    await desk.submit(id, { of, replace: false, by });
    await expect.poll(async () => (await desk.read(id)).submitted?.ended).toMatchObject({ rows: 1 });
    const { submitted } = await desk.read(id);
    return (await context.approvals.waiting()).find(({ portfolio }) => portfolio === submitted?.portfolio);
  };
  return {
    context,
    dir,
    desk,
    upload,
    submit,
    /** Sets how a file is read and submits it, which keeps the reading for files of the same form. */
    async keep(by: string, reading: Parameters<typeof lastingOf>[0] = FAYS) {
      const { id } = await upload(by);
      await desk.correct(id, { reading }, by);
      return submit(id, by);
    },
  };
}

describe("another person's reading of a form", () => {
  // Promise: authors-of-a-file
  test('is offered with its author, and used only after a confirmation, which makes both of them authors', async () => {
    const { desk, upload, submit, keep, context } = await openDesk();
    expect((await keep('fay'))?.authors).toEqual(['fay']);
    const bens = await upload('ben');
    expect(bens).toMatchObject({
      reading: {},
      keptFrom: null,
      offered: { name: 'fay-1.csv', by: ['fay'], reading: LASTING },
      readBy: [],
    });
    expect((await previewOf(desk, bens)).faults).not.toEqual([]);
    const taken = await desk.correct(bens.id, { takeOffered: true }, 'ben');
    expect(taken).toMatchObject({ reading: LASTING, offered: null, keptFrom: { name: 'fay-1.csv' }, readBy: ['fay'] });
    const waiting = await submit(bens.id, 'ben');
    expect(waiting?.authors).toEqual(['ben', 'fay']);
    const answer = { id: waiting?.id ?? '', digest: waiting?.digest ?? '' };
    expect(await context.approvals.grant({ ...answer, by: 'fay' })).toBe('own');
    expect(await context.approvals.grant({ ...answer, by: 'eve' })).toBe('granted');
    // The reading still belongs to fay, however often ben uses it.
    expect(await upload('ben')).toMatchObject({ reading: {}, offered: { by: ['fay'] } });
    expect(await upload('fay')).toMatchObject({ reading: LASTING, offered: null, readBy: ['fay'] });
  });

  test('keeps its author if it is used unchanged, and has both authors after a change', async () => {
    const { desk, upload, submit, keep } = await openDesk();
    await keep('fay', { ...FAYS, mapping: { columns: COLUMNS, constants: {} } });
    const plain = await upload('ben');
    await desk.correct(plain.id, { reading: { mapping: { columns: COLUMNS, constants: {} } } }, 'fay');
    await desk.correct(plain.id, { forgetKept: true }, 'ben');
    expect(await upload('ben')).toMatchObject({ offered: { by: ['fay'] } });
    const both = await upload('ben');
    const { reading } = await desk.correct(both.id, { takeOffered: true }, 'ben');
    // Settings for single lines are not kept, and do not make their author one of the kept reading.
    await desk.correct(both.id, { reading: { ...reading, sameBuyer: [2] } }, 'cid');
    await desk.correct(both.id, { reading: { ...reading, dates: 'dmy' } }, 'ben');
    expect((await submit(both.id, 'ben'))?.authors).toEqual(['ben', 'cid', 'fay']);
    for (const by of ['ben', 'fay'])
      expect(await upload(by)).toMatchObject({ reading: {}, offered: { by: ['fay', 'ben'] } });
  });

  test('without a recorded author is only offered, and gets the person who accepts it as author', async () => {
    const { dir, desk, upload, submit, keep } = await openDesk();
    await keep('fay');
    const folder = join(dir, 'data', 'mappings');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), JSON.stringify({ name: 'old.csv', keptMs: 1, reading: FAYS }));
    const taken = await upload('fay');
    expect(taken).toMatchObject({ reading: {}, offered: { name: 'old.csv', by: [], reading: LASTING } });
    await desk.correct(taken.id, { takeOffered: true }, 'ben');
    expect((await submit(taken.id, 'cid'))?.authors).toEqual(['ben', 'cid', 'fay']);
    expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toMatchObject({ by: ['ben'], reading: LASTING });
    expect(await upload('ben')).toMatchObject({ reading: LASTING });
  });
});

// Promise: reading-keeps-no-buyer
test("a person's own reading is used at once, without constants for buyer, request or amount", async () => {
  const { upload, keep } = await openDesk();
  await keep('ben');
  expect(await upload('ben')).toMatchObject({ reading: LASTING, offered: null, keptFrom: { by: ['ben'] } });
  const constants = {
    requested_limit: '1',
    request_reference: 'R',
    name: 'N',
    same_buyer: 'yes',
    buyer_reference: 'B',
    company_id: 'company_1',
    currency: 'EUR',
  } as const;
  const ids = { business_information_id: '1', company_registration_number: 'HRB 1', country_code: 'DE' } as const;
  const said = { mapping: { columns: {}, constants: { ...constants, ...ids } } };
  expect(lastingOf(said)).toEqual({ mapping: { columns: {}, constants: { country_code: 'DE' } } });
  expect(lastingOf({ mapping: { columns: {}, constants } })).toEqual({});
});

describe('a dropped file', () => {
  const ALWAYS = { env: { APPROVE_ALWAYS: 'on' } };

  // Promise: mapping-keeper-is-author
  test('has as author whoever set the reading of its form in the console, also in the audit', async () => {
    const { drop, takeIn, context } = await openInbox(ALWAYS);
    const { LIMITLINE_DATA: dataDir } = context.settings;
    const { desk } = openDraftDesk(context, await makeFolder(), { dataDir });
    const content = Readable.from([Buffer.from(file(1))]);
    const draft = draftOf(await desk.receive(incoming([{ field: 'file', name: 'a.csv', content }]), undefined, 'fay'));
    await desk.correct(draft.id, { reading: FAYS }, 'fay');
    const { of } = await previewOf(desk, draft);
    await desk.submit(draft.id, { of, replace: false, by: 'fay' });
    await drop('q4.csv', file(2));
    expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
    const waiting = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === 'q4');
    expect(waiting?.authors).toEqual([expect.stringContaining('drop folder ('), 'fay']);
    const { entries } = await context.audit.read.page({ count: 9, walk: 99, filter: { what: 'file imported' } });
    expect(entries.at(-1)?.facts).toMatchObject({
      file: 'q4.csv',
      authors: ['fay'],
      reading: expect.stringContaining('Ulm'),
    });
    expect(JSON.stringify(entries)).not.toContain('company_fay');
  });

  // Promise: mapping-keeper-is-author
  test('has as author whoever kept its mapping', async () => {
    const { drop, takeIn, context } = await openInbox({ env: { ...ALWAYS.env, LIMITLINE_INBOX_MAPPING: 'erp' } });
    const mappings = makeNamedMappings({ dataDir: context.settings.LIMITLINE_DATA });
    await mappings.keep({ name: 'erp', file: 'a.csv', keptMs: 1, by: ['command line (fay)'], reading: FAYS });
    expect(await mappings.need('erp')).toMatchObject({ reading: LASTING });
    await drop('q4.csv', file(2));
    await takeIn();
    const [waiting] = await context.approvals.waiting();
    expect(waiting?.authors).toContain('command line (fay)');
  });

  // Promise: mapping-without-author-unused
  test('is not read with a kept reading without an author, and waits until somebody sets the reading again', async () => {
    const { drop, takeIn, context, names } = await openInbox();
    const { LIMITLINE_DATA: dataDir } = context.settings;
    const { desk } = openDraftDesk(context, await makeFolder(), { dataDir });
    const upload = async () => {
      const content = Readable.from([Buffer.from(file(1))]);
      return draftOf(await desk.receive(incoming([{ field: 'file', name: 'a.csv', content }]), undefined, 'ben'));
    };
    const submit = async ({ id }: { id: string }) => {
      const { of } = await previewOf(desk, { id });
      await desk.submit(id, { of, replace: false, by: 'ben' });
    };
    const first = await upload();
    await desk.correct(first.id, { reading: FAYS }, 'ben');
    await submit(first);
    const folder = join(dataDir, 'mappings');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), JSON.stringify({ name: 'old.csv', keptMs: 1, reading: FAYS }));
    await drop('q4.csv', file(2));
    const { files, lying } = await takeIn();
    expect([files, lying]).toMatchObject([[], [{ why: expect.stringContaining('did not note who it was') }]]);
    expect(await names('rejected')).toEqual([]);
    const again = await upload();
    await desk.correct(again.id, { takeOffered: true }, 'ben');
    await submit(again);
    expect((await takeIn()).files).toMatchObject([{ is: 'imported', by: [expect.anything(), 'ben'] }]);

    const mappings = makeNamedMappings({ dataDir });
    await mappings.keep({ name: 'erp', file: 'a.csv', keptMs: 1, by: [], reading: FAYS });
    await expect(mappings.need('erp')).rejects.toThrow(
      /did not note by whom: keep it again with .* mapping keep "erp" FILE/,
    );
  });
});
