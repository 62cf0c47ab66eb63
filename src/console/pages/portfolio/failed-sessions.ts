import type { FailedSessions } from '../../../ledger/calls/sessions.ts';
import type { RowId } from '../../../ledger/schema/schema.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { notice } from '../../parts/page-head.ts';
import { rowAddress } from '../addresses.ts';

/** The most rows that the notice names. */
const MOST_NAMED = 10;

/** Hosted sessions without a link: which rows, and what to do. */
export function failedSessions({ refused, held }: FailedSessions): Html {
  const named = (rows: readonly RowId[]) =>
    html`${rows.slice(0, MOST_NAMED).map((row, at) => html`${at > 0 && ', '}<a href="${rowAddress(row)}"><code>${row.key}</code></a>`)}${rows.length > MOST_NAMED && ' …'}`;
  return html`${
    refused.length > 0 &&
    notice(
      'warn',
      html`Read the service’s answer on the page of the row, and request another one there: ${named(refused)}.`,
      {
        title: t`${countWords(refused.length, 'hosted session was', 'hosted sessions were')} rejected by the service.`,
      },
    )
  }${
    held.length > 0 &&
    notice('warn', html`Ask the service’s people, or request a second one on the page of the row: ${named(held)}.`, {
      title: t`Nobody knows what became of ${countWords(held.length, 'hosted session')}.`,
    })
  }`;
}
