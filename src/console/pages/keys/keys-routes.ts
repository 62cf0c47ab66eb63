import { can, type Right, SIGNED_IN } from '../../access/access.ts';
import { html, t } from '../../html/html.ts';
import { page } from '../page.ts';

/** The shortcuts that the browser's module assets/script/keys.js handles, each with the right to see the page that it opens. */
const KEYS: readonly [keys: string, does: string, page?: Right][] = [
  ['/', t`To the search on this page, or to the search for buyers`],
  ['?', t`This list`],
  [t`Esc`, t`Closes a dialog`],
  ['g p', t`Portfolios`, 'GET /'],
  ['g n', t`New portfolio`, 'GET /new'],
  ['g h', t`Rows that need an answer`, 'GET /held'],
  ['g q', t`Queues`, 'GET /work'],
];

/** `/keys`: the keyboard shortcuts. The key `?` shows the page in a dialog. */
export const keysPage = page<undefined>({}, ({ get }) => [
  get('/keys', {
    may: SIGNED_IN,
    show: ({ rights }) => ({
      title: t`Keyboard`,
      body: html`<h1>Keyboard</h1>
        <dl class="keys">${KEYS.filter(([, , page]) => page === undefined || can(rights, page)).map(([keys, does]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>`,
    }),
  }),
]);
