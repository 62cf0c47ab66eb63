import { grouped } from '../../../counted.ts';
import type { FindingChange, FoundItem, ReportFinding } from '../../../ledger/nightly/checks.ts';
import { rowIdOf } from '../../../ledger/schema/schema.ts';
import type { RowFilter } from '../../../ledger/search/row-filter.ts';
import { secondText } from '../../../utc-text.ts';
import { countWords, type Html, type HtmlValue, html, NOTHING, t } from '../../html/html.ts';
import { amount, commandLine, count, cutWords, money, theirWords, withNumbers } from '../../parts/text.ts';
import { portfolioAddress, rowAddress } from '../addresses.ts';

/** A finding with the examples that are still kept. */
export type ShownFinding = ReportFinding & { examples: readonly FoundItem[] };

/** Where a finding is shown: on a page with links, or printed without them. */
export type Medium = 'page' | 'paper';

/** The most examples of a finding on paper: fewer than on a page, since the file of all items has the rest. */
const EXAMPLES_ON_PAPER = 5;

export const CHANGE_WORDS: Readonly<Record<FindingChange, string>> = {
  new: t`new`,
  more: t`more`,
  fewer: t`fewer`,
  sums: t`other sums`,
  same: t`same`,
  gone: t`no more found`,
};

/** One finding: number of rows, description, portfolio, age, change, commands, examples. */
export function findingView(finding: ShownFinding, medium: Medium): Html {
  const { rows, sum, granted, currency, portfolio, finding: words } = finding;
  const { commands, examples, sinceMs, change, rowsBefore } = finding;
  const isGone = change === 'gone';
  return html`<li class="finding">
    <div class="finding-count"><strong>${countOf(finding, medium)}</strong>${sum !== undefined && html`<span class="quiet">${finding.check === 'granted below' && t`requested `}${money({ amount: sum, currency })}</span>`}${finding.check === 'granted below' && granted !== undefined && html`<span class="quiet">granted ${money({ amount: granted, currency })}</span>`}</div>
    <div>
      <p>${change !== undefined && !isGone && changeMark(change)} ${words}</p>
      <p class="quiet">${portfolio === '' ? t`All portfolios` : portfolioName(portfolio, medium)}${sinceMs !== undefined && html` · ${rows === 1 ? t`since` : t`the oldest since`} ${dayOf(sinceMs, medium)}`}${rowsBefore !== undefined && !isGone && rowsBefore !== rows && html` · ${count(rowsBefore)} before`}</p>
      ${medium === 'page' && commands.length > 0 && html`<p class="beside">${commands.map((command) => commandLine(`npx limitline ${command}`))}</p>`}
      ${examples.some(isOne) && examplesView(finding, medium)}
    </div>
  </li>`;
}

/** A day in UTC. On a page with scripts it becomes the day in the reader's time zone. */
function dayOf(atMs: number, medium: Medium): HtmlValue {
  const day = secondText(atMs).slice(0, 10);
  return medium === 'paper'
    ? day
    : html`<time datetime="${new Date(atMs).toISOString()}" data-local="day">${day}</time>`;
}

/** How a finding has changed since the report before, as a coloured word. */
export function changeMark(change: FindingChange, words: string = CHANGE_WORDS[change]): Html {
  return html`<span class="${['change', `is-${change}`]}">${words}</span>`;
}

function countOf(finding: ShownFinding, medium: Medium): Html {
  const { rows, portfolio, change, rowsBefore = 0 } = finding;
  if (change === 'gone') return html`${withNumbers(countWords(rowsBefore, 'row'))}`;
  const filter = filterOf(finding);
  const words = countWords(rows, 'row');
  if (medium === 'paper' || portfolio === '' || !filter) return html`${words}`;
  return html`<a href="${portfolioAddress(portfolio, filter)}">${words}</a>`;
}

/** The filter of the portfolio's page that shows exactly the finding's rows, if there is one. */
function filterOf({ check, commands }: ShownFinding): RowFilter | undefined {
  const causes = new Set(commands.map((command) => /--cause ([a-z0-9]{1,16})(?!\S)/.exec(command)?.[1]));
  const [cause] = causes;
  if (causes.size === 1 && cause !== undefined) return { cause };
  if (check === 'held') return { states: ['held'] };
  return check === 'refused' ? { states: ['refused'] } : undefined;
}

function portfolioName(name: string, medium: Medium): Html {
  return medium === 'paper' ? theirWords(name) : html`<a href="${portfolioAddress(name)}">${theirWords(name)}</a>`;
}

function examplesView({ examples, rows }: ShownFinding, medium: Medium): Html {
  if (medium === 'paper') return exampleList(examples.slice(0, EXAMPLES_ON_PAPER), medium);
  const told = examples.reduce((sum, { rows: count = 1 }) => sum + count, 0);
  const few = told < rows ? t`The first ${grouped(examples.length)}` : t`All of them`;
  const words = examples.length === 1 ? (rows === 1 ? t`Which one` : t`For example`) : few;
  return html`<details class="finding-examples"><summary>${words}</summary>${exampleList(examples, medium)}</details>`;
}

/** Whether an example tells a row, a line or a detail. Others only count rows, and are not shown. */
function isOne({ key, line, name, detail }: FoundItem): boolean {
  return [key, line, name, detail].some((part) => part !== undefined);
}

function exampleList(examples: readonly FoundItem[], medium: Medium): Html {
  return html`<ul class="examples">${examples.map((item) => html`<li>${exampleView(item, medium)}</li>`)}</ul>`;
}

/** An example: `line 7 Muster GmbH 1,000.00 granted 800.00 since 2026-11-20 its detail 2 rows`. */
function exampleView(
  { portfolio, key, line, name, requested, granted, detail, sinceMs, rows = 1 }: FoundItem,
  medium: Medium,
): Html {
  const row = key === undefined ? undefined : rowIdOf(`${portfolio}/${key}`);
  const where = line === undefined ? (key ?? '') : t`line ${grouped(line)}`;
  const which = html`${where} ${name !== undefined && theirWords(name)}`;
  return html`${row && medium === 'page' ? html`<a href="${rowAddress(row)}">${which}</a>` : which}
    ${requested !== undefined && amount(requested)}${granted !== undefined && html` granted ${amount(granted)}`}
    ${sinceMs !== undefined && html`<span class="quiet">since ${dayOf(sinceMs, medium)}</span>`}
    ${detail === undefined ? NOTHING : html`<span class="quiet"><bdi>${withNumbers(cutWords(detail))}</bdi></span>`}
    ${rows > 1 && html`<span class="quiet">${withNumbers(countWords(rows, 'row'))}</span>`}`;
}
