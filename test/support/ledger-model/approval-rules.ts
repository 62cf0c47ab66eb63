import type { ModelApproval, ModelPortfolio, ModelRow } from './real-ledger.ts';
import type { Model } from './rules.ts';

/** Whether nothing of a row needs an approval any more. */
export function isGranted(row: ModelRow | undefined, approvals: ReadonlyMap<string, ModelApproval>): boolean {
  return row?.approval === undefined || approvals.get(row.approval)?.standing === 'granted';
}

/** Whoever asked for what an approval covers asks for it by a later one, too. */
function addAuthors(from: ModelApproval | undefined, to: ModelApproval | undefined, isSure = true): void {
  for (const author of from?.authors ?? []) (isSure ? to?.authors : to?.perhaps)?.add(author);
  for (const author of from?.perhaps ?? []) to?.perhaps.add(author);
}

/** A person declined a request before, by the approval `no`, so the approval `id` waits in any case. */
export function redo(approvals: ReadonlyMap<string, ModelApproval>, no: string, id: string): void {
  const approval = approvals.get(id);
  if (approval) approval.isRedone = true;
  addAuthors(approvals.get(no), approval);
}

/**
 * The authors of a row's earlier approval stay if the row comes back as it was, `by` another approval, and no person said yes to it.
 * `isLeft`: an import that died left it waiting.
 */
export function keepAuthors(
  approvals: ReadonlyMap<string, ModelApproval>,
  row: ModelRow | undefined,
  { by, isLeft }: { by: string | undefined; isLeft: boolean },
): void {
  const known = approvals.get(row?.approval ?? '');
  const comesBack = isLeft || row?.state === 'cancelled' || row?.state === 'refused';
  if (!known || !comesBack || by === undefined || by === row?.approval) return;
  const isGiven = known.standing === 'granted' && known.answered?.by !== undefined;
  if (!isGiven || row?.state === 'cancelled') addAuthors(known, approvals.get(by), !isGiven);
}

export function bind(row: ModelRow, approval: string | undefined): void {
  Object.assign(row, { approval, was: undefined });
}

/** Returns a row that was not new to its earlier state. Returns whether it had one. */
export function goBack(row: ModelRow, portfolio: ModelPortfolio): boolean {
  const { was } = row;
  if (!was) return false;
  if (was.replaced !== undefined) portfolio.replaced += 1;
  Object.assign(row, { state: was.state, replaced: was.replaced });
  bind(row, was.state === 'cancelled' && was.approval ? row.approval : was.approval);
  return true;
}

/** The rows that wait for an approval, in the order of their lines. */
export function rowsOf({ rows }: Model, id: string): [name: string, row: ModelRow][] {
  const waiting = [...rows].filter(([, row]) => row.state === 'awaiting' && row.approval === id);
  return waiting.toSorted(([one, a], [other, b]) => a.line - b.line || (one < other ? -1 : 1));
}

/** An approval that has lost its last row is no longer open. */
export function voidEmpty(model: Model): void {
  for (const [id, approval] of model.approvals) {
    if (approval.standing === 'waiting' && rowsOf(model, id).length === 0) approval.standing = 'void';
  }
}

export function closeApproval(model: Model, id: string, always: boolean): string {
  const approval = model.approvals.get(id);
  if (!approval) return 'void';
  const count = rowsOf(model, id).length;
  if (approval.standing === 'open') {
    approval.standing = count === 0 ? 'void' : always || approval.isRedone ? 'waiting' : 'granted';
    if (approval.standing === 'granted') approval.answered = { rows: count };
  }
  return approval.standing;
}

/** The result of a person's answer to the current state of an approval. */
export function answerApproval(
  model: Model,
  id: string,
  { is, by, taken }: { is: 'granted' | 'declined'; by: string; taken: string },
): string {
  const approval = model.approvals.get(id);
  if (!approval || approval.standing === 'void') return 'gone';
  if (approval.standing === 'granted' || approval.standing === 'declined') return 'answered';
  if (approval.authors.has(by) || (taken === 'own' && approval.perhaps.has(by))) return 'own';
  if (approval.standing === 'open') return 'changed';
  // Whoever says yes has to see first that a person declined one of the same requests. The ledger looks for that at the answer.
  if (is === 'granted' && taken === 'changed' && hasNo(model, id)) return 'changed';
  approval.standing = is;
  const turn = 1 + Math.max(0, ...[...model.approvals.values()].map(({ answered }) => answered?.turn ?? 0));
  approval.answered = { rows: rowsOf(model, id).length, by, turn };
  return is;
}

/** Whether a person declined, by another approval, what one of the rows of this one asks for. */
function hasNo(model: Model, id: string): boolean {
  if (model.approvals.get(id)?.kind === 'answer') {
    return [...model.approvals].some(
      ([other, { kind, standing }]) => other !== id && kind === 'answer' && standing === 'declined',
    );
  }
  return rowsOf(model, id).some(
    ([name]) => ![undefined, id].includes(model.declinedBy(name.slice(name.indexOf('/') + 1))),
  );
}

/** Releases the first rows of an answered approval. Returns the number of rows left. */
export function freeRows(model: Model, id: string, most: number): number {
  const approval = model.approvals.get(id);
  const isAnswered = approval && !['open', 'waiting'].includes(approval.standing);
  const granted = approval?.standing === 'granted';
  if (!approval || !isAnswered || (granted && approval.kind === 'answer')) return rowsOf(model, id).length;
  const portfolio = model.portfolio(approval.portfolio);
  for (const [name, row] of rowsOf(model, id).slice(0, most)) {
    const key = name.slice(approval.portfolio.length + 1);
    const isNo = approval.standing === 'declined' && approval.kind !== 'answer' && !model.isMade(key);
    if (isNo) model.isDeclined(key, id);
    if (granted && row.generation >= portfolio.cancels) {
      row.state = 'queued';
      if (approval.answered?.by !== undefined) model.isWanted(key, id);
      bind(row, id);
    } else if (!goBack(row, portfolio)) row.state = 'cancelled';
  }
  return rowsOf(model, id).length;
}

/** An ended row waits for an open approval. Returns whether it does. */
export function awaitRow(model: Model, name: string, from: ModelRow['state'], id: string): boolean {
  const row = model.rows.get(name);
  const approval = model.approvals.get(id);
  if (!row || row.state !== from || row.replaced || approval?.standing !== 'open') return false;
  const portfolio = model.portfolio(approval.portfolio);
  if (row.replaced !== undefined) portfolio.replaced -= 1;
  if (row.state !== 'held') row.refusal = undefined;
  const was = { state: row.state, approval: row.approval, replaced: row.replaced };
  Object.assign(row, { state: 'awaiting', was, approval: id, replaced: undefined, generation: portfolio.cancels });
  model.joins(name.slice(approval.portfolio.length + 1), id);
  return true;
}
