import { moneyText } from '../../src/counted.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { describeRow } from '../../src/ledger/portfolios/replacing.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { ROW_STATES, type RowState } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { importNames, makeFileNames } from '../rows/import-names.ts';
import { type FoundRow, rowsAtLine, rowsOfLine } from '../rows/walk-rows.ts';

export type Retry = {
  portfolio: string;
  state: 'refused' | 'cancelled';
  /** The number of the line whose row is sent again. */
  line?: number | undefined;
  row?: string | undefined;
  /** Text that the problem must contain, ignoring case. */
  error?: string | undefined;
  /** The id of the cause for which the row failed. */
  cause?: string | undefined;
};

type ExplainDeps = { rows: Rows; portfolios: Portfolios; calls: Pick<Calls, 'madeId'> };

/** Why a line has no row that can be retried or resolved: its state, and what can be done. */
export async function explainLine(portfolio: string, line: number, deps: ExplainDeps): Promise<string> {
  for (const state of ROW_STATES) {
    const [found] = await rowsOfLine(deps, portfolio, state, line);
    if (found) return `Line ${line} of portfolio "${portfolio}" ${await describeState(found, `--line ${line}`, deps)}`;
  }
  const [fault] = await deps.portfolios.faultyLines(portfolio, [line]);
  if (fault) {
    return `Line ${line} of portfolio "${portfolio}" led to no row: it is ${fault.kind}. ${seeProblems(portfolio)}`;
  }
  return `There is no line ${line} in portfolio "${portfolio}". To see its lines, run: npx limitline report "${portfolio}" --format csv.`;
}

/** As {@link explainLine}, for a row. */
export async function explainRow(found: FoundRow, deps: ExplainDeps): Promise<string> {
  return `Row ${rowName(found.row)} ${await describeState(found, `--row ${found.row.key}`, deps)}`;
}

/** Why a retry sent nothing again, in one sentence. */
export async function explainEmptyRetry(
  { portfolio, state, line, row, error, cause }: Retry,
  deps: ExplainDeps,
): Promise<string> {
  const lacking = [
    ...(error === undefined ? [] : [`its problem does not contain "${error}"`]),
    ...(cause === undefined ? [] : [`its cause is not ${cause}`]),
  ].join(', or ');
  if (row !== undefined) {
    const found = await rowByName(portfolio, row, deps);
    if (typeof found === 'string') return found;
    if (found.result.state !== state || lacking === '') return explainRow(found, deps);
    return `Row ${rowName(found.row)} is ${state}, but ${lacking}. ${seeProblems(portfolio)}`;
  }
  if (line !== undefined) {
    const [found] = await rowsOfLine(deps, portfolio, state, line);
    if (!found || lacking === '') return explainLine(portfolio, line, deps);
    return `Line ${line} of portfolio "${portfolio}" is ${state}, but ${lacking}. ${seeProblems(portfolio)}`;
  }
  const { states, replaced } = await deps.portfolios.read(portfolio);
  if (error !== undefined && states[state] > 0) {
    return `No ${state} row of portfolio "${portfolio}" has a problem that contains "${error}". ${seeProblems(portfolio)}`;
  }
  // Replaced rows are in the state cancelled, and no retry sends them.
  const counts = {
    ...states,
    cancelled: states.cancelled - replaced,
    'corrected or left out by a later file': replaced,
  };
  const there = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  const next = [
    ...(states.held > 0 ? [`${heldRemedy(portfolio)}.`] : []),
    ...(state !== 'refused' && counts.refused > 0
      ? [`To send the refused ones again: npx limitline retry "${portfolio}".`]
      : []),
    ...(state !== 'cancelled' && counts.cancelled > 0
      ? [`To send the cancelled ones again: npx limitline retry "${portfolio}" --state cancelled.`]
      : []),
    ...(states.awaiting > 0 ? [`To see what waits for an approval: npx limitline report "${portfolio}".`] : []),
  ];
  const none = `No row of portfolio "${portfolio}" is ${state} (${there.join(', ') || 'it has no rows'}).`;
  return [none, ...next].join(' ');
}

type FindDeps = { rows: Rows; portfolios: Portfolios };

/** The row with this name (`<portfolio>/<key>`) or key, or a sentence that says why there is none. */
export async function rowByName(
  portfolio: string,
  name: string,
  { rows }: Pick<FindDeps, 'rows'>,
): Promise<FoundRow | string> {
  const row: RowId = { portfolio, key: name.slice(name.lastIndexOf('/') + 1) };
  if (name !== row.key && name !== rowName(row)) return `Row ${name} does not belong to portfolio "${portfolio}".`;
  const [result] = await rows.read([row]);
  return result ? { row, result } : `There is no row ${rowName(row)}.`;
}

/**
 * The row of this state with this line number; nothing if there is none. Lines of several files may have the number. Then the
 * answer is a sentence that names each row, since taking one could mix up buyers.
 */
export async function rowAtLine(
  portfolio: string,
  { state, line }: { state: RowState; line: number },
  deps: FindDeps,
): Promise<FoundRow | string | undefined> {
  const all = await rowsAtLine(deps.rows, portfolio, state, line);
  if (all.length > 1) {
    const described = (await describeRows(portfolio, all, deps)).join('; ');
    return `Several ${state} rows have line number ${line}: ${described}.`;
  }
  const [meant] = await rowsOfLine(deps, portfolio, state, line);
  return meant;
}

/** Describes rows for people: `line 2 of q4.csv #1, Acme AG, 1,000 (row q4/abc…)`. */
export async function describeRows(portfolio: string, found: readonly FoundRow[], deps: FindDeps): Promise<string[]> {
  const imports = await importNames(portfolio, deps);
  const inOrder = [...found].sort((a, b) => Number(a.result.importId) - Number(b.result.importId));
  return inOrder.map(({ row, result: { line, importId, request } }) => {
    const whose = `${request.name}, ${moneyText(request.limit.requested_limit)}`;
    return `line ${line} of ${imports.get(importId) ?? 'a file'}, ${whose} (row ${rowName(row)})`;
  });
}

/** Points to the errors file instead of telling the problem: cells and the service's answers must not get into a log. */
function seeProblems(portfolio: string): string {
  return `To see the problem, run: npx limitline report "${portfolio}" --format errors-csv.`;
}

/** A row's state and what can be done; `option` names the row in a command. */
async function describeState(found: FoundRow, option: string, deps: ExplainDeps): Promise<string> {
  const { supplier } = await deps.portfolios.read(found.row.portfolio);
  const words = await describeRowState(found, option, deps);
  return supplier?.problem === undefined ? words : `${words} No company was made for its supplier: see the report.`;
}

async function describeRowState({ row, result }: FoundRow, option: string, deps: ExplainDeps): Promise<string> {
  const { state, step, limitId, approval, awaits } = result;
  const name = `"${row.portfolio}"`;
  const again = `was given up: npx limitline retry ${name} --state cancelled ${option} sends it again.`;
  switch (state) {
    case 'done':
      return `is done (${limitId}).`;
    case 'held':
      return `is held at the step ${step}, because nobody knows what became of the call. Say what became of it: npx limitline resolve ${name} ${option} --made ID. If nothing was made, give --resend instead.`;
    case 'refused':
      return `was refused: npx limitline retry ${name} ${option} sends it again.`;
    case 'cancelled':
      return result.replaced ? describeReplaced(row, again, deps) : again;
    case 'awaiting': {
      const what = awaits?.was === 'held' ? 'has an answer that waits' : 'waits';
      return `${what} for another person's approval: npx limitline approve ${name} --as USER --approval ${approval}, or the console's page /approvals/${approval}.`;
    }
    case 'skipped':
      return `was skipped: this request was made before${limitId === '' ? '' : ` (${limitId})`}.`;
    default:
      break;
  }
  // A person may have given the limit's id, for example. Then the row is not sent again.
  const made = await deps.calls.madeId({ kind: 'limit', key: row.key });
  if (made !== undefined) {
    return `needs no call any more: its limit is known (${made}), and a worker only has to record it.`;
  }
  return state === 'queued'
    ? `is waiting for the step ${step}, and goes on by itself while workers run.`
    : `is being worked on (${step}).`;
}

/** Which row replaced a row, and what brings it back. A row that a later file only lacked is sent by a retry: then `again` says so. */
async function describeReplaced(row: RowId, again: string, { rows, portfolios }: ExplainDeps): Promise<string> {
  const key = (await rows.ofRow(row))?.replaced?.key;
  const other = key ? await rows.ofRow({ portfolio: row.portfolio, key }) : undefined;
  if (!other) return again;
  const by = `${describeRow(other, await makeFileNames({ portfolios })(other), moneyText)}, row ${rowName(other.row)}`;
  return `was replaced by ${by}, and no retry sends it. Import its own line again to bring it back; that is refused once a correction of it was sent.`;
}
