import { moneyText } from '../../money-text.ts';
import { type Html, html } from '../html/html.ts';

/** An amount (decimal text) with figures of one width: `1,250,000.50`, never rounded; `none` (a dash) where there is none. */
export function amount(text: string | undefined, none = '–'): Html {
  return html`<span class="amount">${text === undefined || text === '' ? none : moneyText(text)}</span>`;
}
