import { expect } from 'vitest';
import { type ApprovalPolicy, NO_APPROVAL } from '../../../src/ledger/schema/approval.ts';
import { answerApproval, awaitRow, closeApproval, freeRows, isGranted, rowsOf, voidEmpty } from './approval-rules.ts';
import { type Command, command } from './command.ts';
import { put } from './put-command.ts';
import { kindOf, type ModelApproval, type RealLedger } from './real-ledger.ts';
import { type Model, REQUESTS, thingOf } from './rules.ts';

const ALWAYS: ApprovalPolicy = { always: true, above: undefined };

/** From now on, lines of a portfolio are put with an approval; approvals that another import left open stay open. */
export function beginImport(name: string, author: string): Command {
  return command(`${author} begins to import into ${name}, which is to be approved`, async (model, real) => {
    const place = model.approvals.size;
    const file = { id: `file-${place}`, fileName: 'f.csv', reading: '{}' };
    const id = await real.approvals.beginImport(name, { file, number: 'i', authors: [author] });
    model.approvals.set(id, {
      portfolio: name,
      kind: 'import',
      standing: 'open',
      authors: new Set([author]),
      perhaps: new Set(),
    });
    model.portfolio(name).approval = id;
  });
}

/** The import ends after its last line, or it dies and leaves its rows. */
export function endImport(name: string, how: 'asked' | 'not asked' | 'died'): Command {
  return command(`the import into ${name} ends: ${how}`, async (model, real) => {
    const id = model.portfolio(name).approval;
    model.portfolio(name).approval = undefined;
    if (id === undefined || how === 'died') return;
    const standing = await real.approvals.close({ portfolio: name, id }, how === 'asked' ? ALWAYS : NO_APPROVAL);
    expect(standing).toBe(closeApproval(model, id, how === 'asked'));
  });
}

/** A file with all requests is imported for approval, and approved or not. This leads rows far along. */
export function importForApproval(name: string, version: string, isApproved: boolean): Command {
  return command(
    `a file is imported into ${name}, ${version}${isApproved ? ', and approved' : ''}`,
    async (model, real) => {
      await beginImport(name, 'alice').run(model, real);
      const id = model.portfolio(name).approval;
      for (const [place, key] of Object.keys(REQUESTS).entries())
        await put(name, key, place + 2, version).run(model, real);
      await endImport(name, 'asked').run(model, real);
      if (!isApproved || id === undefined) return;
      voidEmpty(model);
      await answerNow(id, { is: 'granted', by: 'bert' }, model, real);
      await freeNow(id, 9, model, real);
    },
  );
}

/** A person asks for an ended row to be sent again; if there is one, it is a row in this state. */
export function ask(which: number, from: 'refused' | 'cancelled' | 'held', author: string): Command {
  return command(`${author} asks to have row ${which} go on that is ${from}`, async (model, real) => {
    const ended = [...model.rows].filter(([, { state }]) => state === from);
    const [row = 'q4/first'] = ended[which % ended.length] ?? [];
    const [name = '', key = ''] = row.split('/');
    const kind = from === 'held' ? 'answer' : 'retry';
    const id = await real.approvals.askFor({ portfolio: name, kind, by: author });
    model.approvals.set(id, {
      portfolio: name,
      kind,
      standing: 'open',
      authors: new Set([author]),
      perhaps: new Set(),
    });
    const joined = await real.approvals.awaitRow({ portfolio: name, key }, from, { id, by: author, said: 'resend' });
    expect(joined).toBe(awaitRow(model, `${name}/${key}`, from, id));
    expect(await real.approvals.close({ portfolio: name, id }, ALWAYS)).toBe(closeApproval(model, id, true));
  });
}

/** A person answers an approval in its current state. */
export function answer(which: number, is: 'granted' | 'declined', by: string): Command {
  return command(`${by} answers approval ${which}: ${is}`, async (model, real) => {
    const id = pick(model, which, ({ standing }) => standing === 'waiting');
    if (id !== undefined) await answerNow(id, { is, by }, model, real);
  });
}

async function answerNow(
  id: string,
  { is, by }: { is: 'granted' | 'declined'; by: string },
  model: Model,
  real: RealLedger,
) {
  const seen = await real.approvals.read(id);
  const given = { id, digest: seen?.digest ?? '', by };
  const taken = is === 'granted' ? await real.approvals.grant(given) : await real.approvals.decline(given);
  expect(taken).toBe(answerApproval(model, id, { is, by, taken }));
}

/** A process releases some rows of an answered approval, and may die in the middle. */
export function free(which: number, most: number): Command {
  return command(`${most} rows of approval ${which} go, if it was answered`, async (model, real) => {
    const id = pick(model, which, ({ answered }, each) => answered !== undefined && rowsOf(model, each).length > 0);
    if (id !== undefined) await freeNow(id, most, model, real);
  });
}

async function freeNow(id: string, most: number, model: Model, real: RealLedger) {
  const { portfolio = '' } = model.approvals.get(id) ?? {};
  const rows = await real.approvals.rowsOf({ portfolio, id }, { count: most });
  expect(await real.approvals.freeSome({ portfolio, id }, rows)).toBe(freeRows(model, id, most));
}

/** A granted answer to a held call is carried out: its row is held again, and continues like any other. */
export function carryOut(which: number): Command {
  return command(`what was granted as approval ${which} is carried out`, async (model, real) => {
    const id = pick(model, which, ({ kind, standing }) => kind === 'answer' && standing === 'granted');
    const approval = model.approvals.get(id ?? '');
    if (id === undefined || approval?.kind !== 'answer' || approval.standing !== 'granted') return;
    for (const [name, row] of rowsOf(model, id)) {
      const rowId = { portfolio: approval.portfolio, key: name.slice(approval.portfolio.length + 1) };
      expect(await real.approvals.restore(rowId, id)).toEqual({ state: 'held', said: 'resend' });
      Object.assign(row, { state: 'held', was: undefined });
      await real.approvals.carriedOut(rowId, id);
    }
  });
}

/** An old job comes to its call while its row waits for approval: nothing may be sent. */
export function claimUnapproved(process: string, name: string, key: string): Command {
  return command(`${process} would send what ${name}/${key} waits for`, async (model, real) => {
    const row = model.rowOf(name, key);
    if (!row || (isGranted(row, model.approvals) && model.declinedBy(key) === undefined)) return;
    model.alive.add(process);
    await real.appear(process);
    for (const step of ['company', 'documents', 'limit'] as const) {
      const thing = thingOf(key, step);
      const { revision } = row;
      const attempt = { process, portfolio: name, key, step, revision, thing, fate: 'open' as const };
      const [, thingKey = ''] = thing.split(' ');
      const said = await real.calls.claim(
        { kind: kindOf(step), key: thingKey, row: { portfolio: name, key }, revision: String(revision) },
        { owner: `${process}/stale`, onUnknown: step === 'documents' ? 'resend' : 'hold' },
      );
      expect(said.is).not.toBe('go');
      expect(said.is).toBe(model.claim(attempt));
    }
  });
}

/** At every moment, each approval binds exactly what its rows are. */
export async function expectApprovals(model: Model, real: RealLedger): Promise<void> {
  voidEmpty(model);
  const ids = [...model.approvals.keys()];
  const read = await Promise.all(ids.map((id) => real.approvals.read(id)));
  expect(read.map((one) => [one?.standing, one?.rows])).toEqual(
    ids.map((id) => {
      const known = model.approvals.get(id);
      return [known?.standing, known?.answered?.rows ?? rowsOf(model, id).length];
    }),
  );
  for (const [place, id] of ids.entries()) {
    if (model.approvals.get(id)?.answered) continue;
    const amounts = rowsOf(model, id).map(([name]) => REQUESTS[name.split('/')[1] ?? '']?.amount ?? '0');
    const sum = amounts.reduce((all, amount) => all + thousandths(amount), 0n);
    expect(thousandths(read[place]?.sum ?? ''), `the sum of ${id}`).toBe(sum);
  }
  const listed = ids.filter((id) => model.approvals.get(id)?.standing === 'waiting');
  expect((await real.approvals.waiting()).map(({ id }) => id).toSorted()).toEqual(listed.toSorted());
}

/** No request has more than three decimals. */
function thousandths(amount: string): bigint {
  const [whole = '', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.slice(0, 3).padEnd(3, '0'));
}

/** One of the approvals: wanted ones first, and among them the latest one first. */
function pick(model: Model, which: number, isWanted: (approval: ModelApproval, id: string) => boolean) {
  const alive = [...model.approvals].filter(([, { standing }]) => standing !== 'void').reverse();
  const wanted = alive.filter(([id, approval]) => isWanted(approval, id));
  const others = alive.filter(([id, approval]) => !isWanted(approval, id));
  return [...wanted, ...others][which]?.[0];
}
