import { relative, resolve } from 'node:path';
import { finishedResults, type LeftResults, leaveResults } from '../../jobs/export/leave-results.ts';
import { hasUnrequested } from '../../jobs/nightly/finance/unrequested-lines.ts';
import type { Context } from '../../src/context.ts';
import { counted, moneyText } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { FailedSessions } from '../../src/ledger/calls/sessions.ts';
import { onlyCurrency } from '../../src/ledger/counts/money.ts';
import { notQuiteGranted } from '../../src/ledger/counts/not-quite-granted.ts';
import { hasFaults, type Summary } from '../../src/ledger/portfolios/summary.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { visible } from '../../src/portfolio/problem.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Options for results files: a folder, false for none, or the default. */
export type ResultsOptions = { results?: string | false | undefined };

/** The file that was run; `path` is null for standard input. */
export type RunOf = { portfolio: string; path: string | null; documents?: string | undefined };

/** Writes a run's results files, if wanted. A run that is stopped meanwhile writes none. */
export async function leaveResultsOf(
  run: RunOf,
  summary: Summary,
  { results, context, stop }: ResultsOptions & { context: Context; stop: AbortSignal },
): Promise<LeftResults | undefined> {
  if (results === false) return undefined;
  try {
    return await leaveResults({ ...run, dir: results }, hasFaults(summary), {
      ...context,
      signal: stop,
      finishedResults: (portfolio) => finishedResults(portfolio, context),
      hasUnrequested: (of) => hasUnrequested(of, { ...context, signal: stop }),
    });
  } catch (error) {
    if (stop.aborted && isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

/** Tells what was not granted as requested, where the results are, and what to do next. */
export function sayNextSteps(
  run: RunOf,
  { summary, left }: { summary: Summary; left: LeftResults | undefined },
  { say }: Pick<Terminal, 'say'>,
): void {
  const granted = notQuiteGranted(summary, new Map(Object.entries(summary.meanings))).map(visible);
  if (granted.length > 0) say(`limitline: answered, but not granted as requested (${granted.join('; ')}).`);
  for (const words of left ? leftWords(run, left, summary) : []) say(`limitline: ${words}`);
  const { portfolio } = run;
  if (summary.states.held > 0) {
    const held = counted(summary.states.held, 'row is', 'rows are');
    say(
      `limitline: ${held} held, because the outcome of a call is unknown. Ask the service what became of it. ${heldRemedy(portfolio)}`,
    );
  }
  if (summary.states.awaiting > 0) {
    const rows = `${counted(summary.states.awaiting, 'row')}, ${moneyText(summary.byState.awaiting, onlyCurrency(summary.money))} in all`;
    const [wait, are] = summary.states.awaiting === 1 ? ['waits', 'is'] : ['wait', 'are'];
    say(
      `limitline: ${rows}, ${wait} for another person's approval, and ${are} not sent before it. Once it is given, run the same command again, or keep a worker running: npx limitline work`,
    );
  }
  if (hasFaults(summary) && !left?.errors) {
    say(`limitline: to see the lines to mend: npx limitline report "${portfolio}" --format errors-csv`);
  }
}

/** The most rows that a line names. For each of them, a person must ask for a session. */
const MOST_NAMED = 5;

/** The most approvals that are named; the console has all. */
const MOST_APPROVALS = 5;

/**
 * Lines with the parts of a portfolio that wait for a person, and the command for each; none if nothing waits.
 *
 * @param approvals the ids of its approvals that wait
 */
export function nextLine(
  summary: Summary,
  { refused, held }: FailedSessions,
  approvals: readonly string[] = [],
): string[] {
  const { portfolio, states } = summary;
  const named = (rows: readonly RowId[]) => {
    const keys = rows.slice(0, MOST_NAMED).map(({ key }) => key);
    return `${counted(rows.length, 'hosted session')} (rows ${keys.join(', ')}${rows.length > MOST_NAMED ? ' …' : ''})`;
  };
  const to = (what: string, command: string) => `${what}: npx limitline ${command}`;
  // Where several wait, the command needs the id.
  const which = approvals.length > 1 ? approvals.slice(0, MOST_APPROVALS).map((id) => ` --approval ${id}`) : [''];
  const next = [
    ...(states.held > 0
      ? [
          to(
            `say what became of ${counted(states.held, 'held row')}`,
            `report "${portfolio}" --state held --like-input --out held.csv`,
          ),
        ]
      : []),
    ...(states.awaiting > 0
      ? which.map((one) => to('another person approves', `approve "${portfolio}" --as USER${one}`))
      : []),
    ...(states.refused > 0 ? [to('see why rows were rejected', `report "${portfolio}" --causes`)] : []),
    ...(hasFaults(summary)
      ? [
          to(
            `get the lines to correct${cancelledToo(summary)}`,
            `report "${portfolio}" --format errors-csv --like-input --out errors.csv`,
          ),
        ]
      : []),
    ...(refused.length > 0
      ? [to(`ask again for what the service rejected, ${named(refused)}`, `sessions "${portfolio}" --row ID`)]
      : []),
    ...(held.length > 0
      ? [
          to(
            `ask the service what became of ${named(held)}, or ask for a second one`,
            `sessions "${portfolio}" --row ID --resend`,
          ),
        ]
      : []),
  ];
  return next.length === 0 ? [] : [`Next: ${next.join('\n      ')}`];
}

/** That a file of lines to correct also has cancelled rows. Importing the file requests them, although somebody gave them up. */
function cancelledToo({ outcomes }: Summary): string {
  const { rows } = outcomes.not_sent;
  if (rows === 0) return '';
  return ` (the file also has ${counted(rows, 'cancelled row')}: delete ${rows === 1 ? 'it, unless it is' : 'those that are not'} to be requested)`;
}

/** The paths of the files that a run left, as its JSON has them. */
export function leftFiles(left: LeftResults | undefined): { results: string | null; errors: string | null } {
  return { results: left?.results ?? null, errors: left?.errors ?? null };
}

/** One sentence per file: what it is, why it stays, or why it is gone. */
function leftWords({ portfolio, path, documents }: RunOf, left: LeftResults, summary: Summary): string[] {
  const words: string[] = [];
  const say = (name: string, what: string): number => words.push(`${shown(name)} ${what}`);
  const own = path === null ? null : resolve(path);
  const notOurs = 'it is no file of this portfolio in this account, or somebody changed it';
  // A person may have removed these lines from the file that was run.
  for (const name of left.uncorrected)
    if (name !== own) say(name, 'stays as it is: it has lines of an earlier file, which no later file corrected.');
  const others = (names: string[]) => names.filter((name) => !left.uncorrected.includes(name));
  for (const name of others(left.taken)) {
    const why = name === own ? 'it was just imported' : notOurs;
    say(name, `stays as it is: ${why}.`);
  }
  if (left.results !== null) words.push(`results: ${shown(left.results)}`);
  if (left.fault !== null) {
    const report = `npx limitline report "${portfolio}" --format csv --out FILE`;
    words.push(`no results file: ${left.fault} To get the results: ${report}`);
  }
  if (left.errors !== null) {
    const file = shown(left.errors);
    const same = documents === undefined ? '' : ` --documents "${documents}"`;
    words.push(
      `mend these lines${cancelledToo(summary)}: ${file}; then: npx limitline run "${file}" --portfolio "${portfolio}"${same}`,
    );
  }
  for (const name of left.outdated) say(name, 'was removed: it was out of date.');
  for (const name of left.removed) say(name, 'was removed: no line is left to correct.');
  for (const name of others(left.kept))
    if (name !== own) say(name, `stays as it is: ${notOurs}. Of this portfolio no line is left to correct.`);
  return words;
}

/** The path relative to the working directory, if it is below it. */
function shown(path: string): string {
  const near = relative('.', path);
  return near.startsWith('..') ? path : near;
}
