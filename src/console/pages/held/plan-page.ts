import { counted } from '../../../counted.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { button, linkButton } from '../../parts/button.ts';
import { form, hidden } from '../../parts/form.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { heldAddress } from './held-address.ts';

/** What a file would do to held rows, as it is shown before the yes. */
export type HeldFilePlan = {
  id: string;
  portfolio: string;
  fileName: string;
  of: readonly { line: number; import: string; step: string; name: string; requested_limit: string; made?: string }[];
  silent: number;
  problems: readonly { at: number; message: string }[];
};

/** So many lines are shown; the rest is counted. */
const MOST_SHOWN = 200;

/** The plan of a file, to say yes to; or what is wrong with the file, then there is nothing to say yes to. */
export function planPage({
  plan,
  changed = false,
  csrf,
}: {
  plan: HeldFilePlan;
  changed?: boolean;
  csrf: string;
}): Html {
  const { portfolio, fileName, of, silent, problems, id } = plan;
  const desk = heldAddress(portfolio);
  const made = of.filter((one) => one.made !== undefined).length;
  return html`${pageHead({
    title: html`What ${fileName} would do`,
    trail: [
      { href: '/', words: 'Portfolios' },
      { href: `/portfolios/${encodeURIComponent(portfolio)}`, words: portfolio },
      { href: desk, words: 'Held' },
    ],
    lead: html`${counted(made, 'call')} would be taken as made, ${counted(of.length - made, 'call')} sent again${silent > 0 && `; ${counted(silent, 'line')} without an answer would change nothing`}. Nothing was done yet.`,
  })}
  ${changed && notice('warn', 'Something has changed since this plan was made, so nothing was done. This is what the file would do now.', { urgent: true })}
  ${
    problems.length > 0
      ? problemsPart(plan, desk)
      : of.length === 0
        ? nothingPart(desk)
        : html`${form({
            action: `${desk}/confirm`,
            csrf,
            class: 'inline-form',
            body: html`${hidden('plan', id)}${button({ words: `Answer ${counted(of.length, 'call')}`, kind: 'primary' })} ${linkButton({ href: desk, words: 'Leave it' })}`,
          })}`
  }
  ${
    of.length > 0 &&
    panel({
      title: 'Line by line',
      body: html`${table({
        caption: 'What the file says of each held row',
        rows: of.slice(0, MOST_SHOWN),
        columns: [
          { head: 'Line', kind: 'number', cell: ({ line }) => line },
          { head: 'Buyer', names: true, cell: ({ name }) => name },
          { head: 'File', cell: (one) => one.import, wideOnly: true },
          { head: 'Step', cell: ({ step }) => step },
          { head: 'Requested', kind: 'amount', cell: (one) => amount(one.requested_limit) },
          { head: 'What it says', kind: 'id', cell: (one) => one.made ?? 'send again' },
        ],
      })}${of.length > MOST_SHOWN && html`<p class="hint">And ${counted(of.length - MOST_SHOWN, 'more')}.</p>`}`,
    })
  }`;
}

function problemsPart({ problems, fileName }: HeldFilePlan, desk: string): Html {
  return html`${notice('bad', `${counted(problems.length, 'line')} of the file cannot be meant, so nothing can be done with it. Mend the file, and send it again.`)}
    ${table({
      caption: `What is wrong with ${fileName}`,
      rows: problems.slice(0, MOST_SHOWN),
      columns: [
        { head: 'Line of the file', kind: 'number', cell: ({ at }) => at },
        { head: 'Problem', names: true, cell: ({ message }) => message },
      ],
    })}
    <p>${linkButton({ href: desk, words: 'Back to the held desk' })}</p>`;
}

function nothingPart(desk: string): Html {
  return html`<p>The file says nothing of any held row: in its column <code>id</code> there is neither an id nor <code>resend</code>.</p><p>${linkButton({ href: desk, words: 'Back to the held desk' })}</p>`;
}
