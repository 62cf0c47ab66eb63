import type { ClaimAnswer } from '../../../src/ledger/calls/claim-answers.ts';
import type { CancelAnswer, RowState, Step } from '../../../src/ledger/schema/row.ts';
import { bind, goBack, isGranted, keepAuthors, redo } from './approval-rules.ts';
import { makeNoes } from './noes.ts';
import type { Attempt, ModelApproval, ModelCall, ModelPortfolio, ModelRow } from './real-ledger.ts';
import { inDoubt, isOpen, kindOf, newPortfolio, noteDoubt, noteRefusal, watchCanary } from './real-ledger.ts';

/** The requests and their authors: two portfolios have the same requests, and rows share a buyer and a document. */
export const PORTFOLIOS = ['q4', 'twin'] as const;
export const REQUESTS: Record<string, { buyer: string; amount: string; companyId?: string; document?: string }> = {
  first: { buyer: 'shared', amount: '1000' },
  second: { buyer: 'shared', amount: '0.1', document: 'statement' },
  third: { buyer: 'alone', amount: '90071992547409.93', document: 'statement' },
  fourth: { buyer: 'known', amount: '12345678.905', companyId: 'company_known' },
  // These requests are ordinary, once the canary has seen a first answer.
  fifth: { buyer: 'other', amount: '250.5' },
  sixth: { buyer: 'another', amount: '77000', document: 'balance' },
};

export type Model = ReturnType<typeof makeModel>;

/** The rules in plain code and in memory. The ledger must agree with them after every step. */
export function makeModel({ canaryRefusals }: { canaryRefusals: number }) {
  const rows = new Map<string, ModelRow>();
  const calls = new Map<string, ModelCall>();
  const alive = new Set<string>();
  const approvals = new Map<string, ModelApproval>();
  const portfolios = new Map<string, ModelPortfolio>(PORTFOLIOS.map((name) => [name, newPortfolio()]));
  const portfolio = (name: string) => portfolios.get(name) as ModelPortfolio;
  const rowOf = (name: string, key: string) => rows.get(`${name}/${key}`);
  /**
   * What is known of a request in any portfolio: the approval that it joined last, and the one by which a person
   * declined it.
   */
  const isMade = (key: string) => calls.get(`limit ${key}`)?.state === 'made';
  const noes = makeNoes({ approvals, rowOf, isMade });

  const hasClosed = ({ approval = '' }: ModelRow) => approvals.get(approval)?.standing !== 'open';

  const isCancelled = (name: string, row: ModelRow) => row.generation < portfolio(name).cancels;

  return {
    rows,
    calls,
    alive,
    approvals,
    portfolio,
    rowOf,
    ...noes,
    isMade,

    put(name: string, key: string, line: number, rowName: string, declinedBefore?: string) {
      const known = rowOf(name, key);
      const generation = portfolio(name).cancels;
      const same = known?.name === rowName;
      if (known && !same && (calls.has(`limit ${key}`) || known.state === 'done')) return 'changed';
      const { approval } = portfolio(name);
      const isLeft = known?.state === 'awaiting' && !known.was && !hasClosed(known);
      const made = isMade(key);
      // A declined request needs another approval, whoever imports it.
      const no = noes.declinedBy(key) ?? declinedBefore;
      if (no !== undefined && this.goesOn(name, key, rowName)) {
        if (!approval) return 'declined';
        noes.declined.set(key, no);
        redo(approvals, no, approval);
      }
      if (same && !made) keepAuthors(approvals, known, { by: approval, isLeft });
      if (known) Object.assign(known, { line, generation });
      // Rows that a dead import left waiting continue with this one.
      if (known && same && isLeft && approval && known.approval !== approval) {
        known.approval = approval;
        noes.joins(key, approval);
      }
      if (known && same && ['done', 'skipped', 'held'].includes(known.state)) return 'ended';
      const goes = isLeft && !approval;
      if (known && same && !goes && !['refused', 'cancelled'].includes(known.state)) return 'open';
      if (known) portfolio(name).replaced -= known.replaced === undefined ? 0 : 1;
      const state = made ? 'skipped' : approval ? 'awaiting' : 'queued';
      const revision = known ? known.revision + (same ? 0 : 1) : 0;
      const row = { state, step: stepBehind(key), line, name: rowName, company: '', revision, generation } as const;
      const isJoining = state === 'awaiting' && !(known?.state === 'awaiting' && known.approval === approval);
      rows.set(`${name}/${key}`, { ...row, approval: made ? undefined : approval });
      if (isJoining && approval) noes.joins(key, approval);
      if (made) return 'ended';
      return known ? 'renewed' : 'added';
    },

    /** Whether a line with these words would have its row sent, by this import or the next. */
    goesOn(name: string, key: string, rowName: string): boolean {
      const known = rowOf(name, key);
      const isLeft = known?.state === 'awaiting' && !known.was && !hasClosed(known);
      const ended = known?.state === 'refused' || known?.state === 'cancelled';
      return (known?.name !== rowName || isLeft || ended) && !isMade(key);
    },

    /** The same for a line that corrects another row, which is cancelled unless it was sent or replaced already. */
    putInPlaceOf(name: string, key: string, { line, rowName, old }: { line: number; rowName: string; old: string }) {
      const [known, given] = [rowOf(name, key), rowOf(name, old)];
      const isChanged =
        known && known.name !== rowName && (calls.has(`limit ${key}`) || known.state === 'done')
          ? 'changed'
          : undefined;
      if (isChanged) return isChanged;
      const isDone = given?.replaced === key;
      const isFree = given && !['done', 'skipped'].includes(given.state) && !calls.has(`limit ${old}`);
      if (!isDone && (!isFree || given.replaced)) return 'again';
      const declinedBefore = isDone ? undefined : noes.declinedBy(old);
      const isDeclined = (noes.declinedBy(key) ?? declinedBefore) !== undefined;
      if (isDeclined && !portfolio(name).approval && this.goesOn(name, key, rowName)) return 'declined';
      if (given && !isDone) {
        portfolio(name).replaced += given.replaced === undefined ? 1 : 0;
        noes.leaves(name, old);
        Object.assign(given, { state: 'cancelled', replaced: key, was: undefined });
      }
      return this.put(name, key, line, rowName, declinedBefore);
    },

    /** A worker starts a row: only at its current step, and only if it waits there. */
    begin(name: string, key: string, step: Step): RowState | undefined {
      const row = rowOf(name, key);
      if (row?.state === 'queued' && row.step === step) {
        if (isCancelled(name, row) && !calls.has(`limit ${key}`)) row.state = 'cancelled';
        else if (!portfolio(name).paused) row.state = step;
      }
      return row?.state;
    },

    /** Whether a call may be sent. Companies and limits in doubt are held, and documents are sent again. */
    claim(attempt: Attempt): ClaimAnswer['is'] {
      const call = calls.get(attempt.thing);
      const row = rowOf(attempt.portfolio, attempt.key);
      const hold = attempt.step !== 'documents';
      const gone = row !== undefined && (row.state === 'cancelled' || isCancelled(attempt.portfolio, row));
      if (call?.state === 'made') return 'made';
      if (call?.state === 'claimed' && alive.has(call.owner.process)) return 'busy';
      if (call?.state === 'claimed') noteDoubt(call);
      if (row?.refusal === `${attempt.step} ${attempt.revision}`) return 'refused';
      const awaits = !isGranted(row, approvals) || noes.declinedBy(attempt.key) !== undefined;
      if (call && (hold || gone || awaits || call.doubts > 8)) return 'unknown';
      if (gone || awaits) return gone ? 'cancelled' : 'awaiting';
      if (portfolio(attempt.portfolio).paused) return 'paused';
      if (row?.state === 'held' || row?.revision !== attempt.revision) return 'changed';
      if (call?.doubted) return 'later';
      calls.set(attempt.thing, {
        open: call?.open ?? 0,
        doubts: call?.doubts ?? 0,
        state: 'claimed',
        owner: attempt,
        id: '',
        row: `${attempt.portfolio}/${attempt.key}`,
      });
      portfolio(attempt.portfolio).calls[kindOf(attempt.step)] += 1;
      return 'go';
    },

    /** The id of a thing is known. Any process may report it, and the first id is final. Returns the id on record. */
    settle(attempt: Attempt, id: string): string {
      const known = calls.get(attempt.thing);
      if (known?.state === 'made') return known.id;
      const row = `${attempt.portfolio}/${attempt.key}`;
      calls.set(attempt.thing, { state: 'made', owner: attempt, id, row, open: 0, doubts: 0 });
      return id;
    },

    /** Nothing was made: the claim is removed, also one that other processes had begun to doubt. */
    release(attempt: Attempt, why: 'refused' | 'throttled' | 'unreachable'): void {
      const call = calls.get(attempt.thing);
      if (call?.owner !== attempt || call.state === 'made') return;
      // A process that counted as vanished and reports now that it made nothing ends its own doubt, and no earlier one.
      if (call.state === 'unknown') {
        call.open -= 1;
        call.doubts -= 1;
      }
      if (call.open > 0) Object.assign(call, { state: 'unknown', owner: undefined });
      else calls.delete(attempt.thing);
      if (why === 'refused' && call.open === 0) noteRefusal(rowOf(attempt.portfolio, attempt.key), attempt);
      const counts = portfolio(attempt.portfolio).calls;
      if (why === 'throttled') counts.throttled += 1;
      if (why === 'unreachable') counts[kindOf(attempt.step)] -= 1;
    },

    doubt(attempt: Attempt): void {
      const call = calls.get(attempt.thing);
      // The call was given back in the meantime, and this send of it has an unknown outcome.
      if (!call) calls.set(attempt.thing, inDoubt(attempt));
      // So has this send if another owner has the call by now, and no send was in doubt.
      if (call?.state === 'claimed' && call.owner !== attempt && call.open === 0) call.open = call.doubts = 1;
      // A call of a vanished process is not counted as answered, and may be sent again at once.
      if (call?.owner !== attempt || call.state !== 'claimed') return;
      noteDoubt(call);
      call.doubted = true;
    },

    /** The first move wins, but a held row accepts the answer that it waits for, and a made limit stays made. */
    advance(
      { portfolio: name, key, step, revision, thing }: Attempt,
      to: RowState,
      brought: { company?: string; answer: 'ok' | '422' | '' },
    ): RowState | '' {
      const row = rowOf(name, key);
      if (!row) return '';
      if (row.revision !== revision && to !== 'done') return row.state;
      const isHeld = row.state === 'held' || row.was?.state === 'held';
      const call = step === 'documents' ? undefined : calls.get(thing);
      if (to === 'held' && step !== 'documents' && (!call || call.state === 'made')) return row.state;
      const isOpen = call?.state === 'unknown';
      const mayMove = isHeld ? to !== 'refused' || !isOpen : to === 'held' && row.state === 'refused' && isOpen;
      const expected = row.state === step || (mayMove && row.step === step) || to === 'done';
      if (row.state === 'done' || !expected) return row.state;
      if (row.was) bind(row, row.was.approval);
      row.state = to;
      if (to === 'refused') row.refusal = undefined;
      if (to === 'company' || to === 'documents' || to === 'limit') row.step = to;
      row.company = brought.company ?? row.company;
      if (to === 'done' && brought.answer === 'ok') portfolio(name).statuses += 1;
      watchCanary(portfolio(name), step, brought.answer, canaryRefusals);
      return to;
    },

    /** A worker finds a row that is not approved. */
    putBack(name: string, key: string, step: Step): RowState | undefined {
      const row = rowOf(name, key);
      if (row?.state !== step) return row?.state;
      const standing = approvals.get(row.approval ?? '')?.standing;
      row.state =
        standing === 'open' || standing === 'waiting' ? 'awaiting' : calls.has(`limit ${key}`) ? 'queued' : 'cancelled';
      return row.state;
    },

    requeue(name: string, key: string, from: RowState): boolean {
      const row = rowOf(name, key);
      if (row?.state !== from || row.replaced || noes.declinedBy(key) !== undefined) return false;
      if (row.approval && (from === 'cancelled' || !isGranted(row, approvals))) return false;
      portfolio(name).replaced -= row.replaced === undefined ? 0 : 1;
      Object.assign(row, { replaced: undefined, refusal: undefined, state: 'queued' });
      row.generation = portfolio(name).cancels;
      return true;
    },

    /** A file that replaces the others lacks the row: it is cancelled unless it was sent or has ended otherwise. */
    leaveOut(name: string, key: string): boolean {
      const row = rowOf(name, key);
      // This includes a row that was to be sent again, whatever its earlier state; a row held at its limit was sent.
      const isHeld = row?.state === 'held' || row?.was?.state === 'held';
      const isAny = row && (isOpen(row.state) || row.state === 'refused' || row.state === 'awaiting');
      const isLeft = isHeld ? row?.step !== 'limit' : isAny;
      if (!row || !isLeft || calls.has(`limit ${key}`)) return false;
      noes.leaves(name, key);
      Object.assign(row, { state: 'cancelled', replaced: '', was: undefined });
      portfolio(name).replaced += 1;
      return true;
    },

    cancel(name: string, key: string): CancelAnswer {
      portfolio(name).cancels += 1;
      return this.cancelRow(name, key);
    },

    cancelRow(name: string, key: string): CancelAnswer {
      const row = rowOf(name, key);
      if (!row || !(isOpen(row.state) || row.state === 'awaiting')) return 'nothing';
      // A person's answer about a held call is withdrawn, whatever became of the call.
      for (const thing of row.was?.state === 'held' ? [] : [`limit ${key}`, thingOf(key, row.step)]) {
        const call = calls.get(thing);
        const isOwn = call?.row === `${name}/${key}`;
        if (isOwn && call.state === 'claimed') return alive.has(call.owner.process) ? 'under way' : 'left';
        if (isOwn && thing.startsWith('limit')) return 'under way';
      }
      noes.leaves(name, key);
      if (goBack(row, portfolio(name))) return 'restored';
      row.state = 'cancelled';
      return 'cancelled';
    },

    resolve(thing: string, id: string | undefined): 'resolved' | 'made' | 'not unknown' {
      const call = calls.get(thing);
      if (call?.state !== 'unknown') return call?.state === 'made' ? 'made' : 'not unknown';
      if (id === undefined) calls.delete(thing);
      else calls.set(thing, { ...call, state: 'made', id });
      return 'resolved';
    },

    resume(name: string): void {
      Object.assign(portfolio(name), { paused: false, canary: {} });
    },
  };
}

/** The step after the given one, or the first step of a request. */
export function stepBehind(key: string, step?: Step): Step {
  const { companyId, document } = REQUESTS[key] ?? {};
  if (step === undefined && companyId === undefined) return 'company';
  return document !== undefined && step !== 'documents' ? 'documents' : 'limit';
}

/** The thing that a step makes: its kind and its key. */
export function thingOf(key: string, step: Step): string {
  const { buyer, document } = REQUESTS[key] ?? {};
  return { company: `company ${buyer}`, documents: `document ${document}`, limit: `limit ${key}` }[step];
}
