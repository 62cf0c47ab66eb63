import { SIGNED_IN } from '../../access/rules.ts';
import { html } from '../../html/html.ts';
import { t } from '../../html/texts.ts';
import { page } from '../page.ts';

/** The console's own keyboard shortcuts, which the browser's module assets/script/keys.js handles. */
const KEYS: readonly [keys: string, does: string][] = [
  ['/', t`To the search on this page, or to the search for buyers`],
  ['?', t`This list`],
  [t`Esc`, t`Closes a dialog`],
  ['g p', t`Portfolios`],
  ['g n', t`New portfolio`],
  ['g h', t`Rows that need an answer`],
  ['g q', t`Queues`],
];

/** `/keys`: the keyboard shortcuts. The key `?` shows the page in a dialog. */
export const keysPage = page<undefined>({}, ({ get }) => [
  get('/keys', {
    may: SIGNED_IN,
    show: () => ({
      title: t`Keyboard`,
      body: html`<h1>Keyboard</h1>
        <dl class="keys">${KEYS.map(([keys, does]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>`,
    }),
  }),
]);
