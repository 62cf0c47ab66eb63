import { SIGNED_IN } from '../../access/rules.ts';
import { html } from '../../html/html.ts';
import { page } from '../page.ts';

/** The console's own keyboard shortcuts, which the browser's module assets/script/keys.js handles. */
const KEYS: readonly [keys: string, does: string][] = [
  ['/', 'To the search on this page, or to the search for buyers'],
  ['?', 'This list'],
  ['Esc', 'Closes a dialog'],
  ['g p', 'Portfolios'],
  ['g n', 'New portfolio'],
  ['g h', 'Rows that need an answer'],
  ['g q', 'Queues'],
];

/** `/keys`: the keyboard shortcuts. The key `?` shows the page in a dialog. */
export const keysPage = page<undefined>({}, ({ get }) => [
  get('/keys', {
    may: SIGNED_IN,
    show: () => ({
      title: 'Keyboard',
      body: html`<h1>Keyboard</h1>
        <dl class="keys">${KEYS.map(([keys, does]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>`,
    }),
  }),
]);
