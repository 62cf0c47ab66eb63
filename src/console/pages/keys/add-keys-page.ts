import type { ConsoleApp } from '../../console-app.ts';
import { html } from '../../html/html.ts';

/** What the keyboard does beyond what it does in every page; the browser's module (assets/script/keys.js) listens for them. */
const KEYS: readonly [keys: string, does: string][] = [
  ['/', 'To the search of the page'],
  ['?', 'This list'],
  ['Esc', 'Closes a dialog'],
  ['g p', 'Portfolios'],
  ['g n', 'New portfolio'],
  ['g h', 'Held desk'],
  ['g q', 'Queues'],
];

/** `/keys`: what the keyboard does. Also shown in a dialog by `?`. */
export function addKeysPage(app: ConsoleApp): void {
  app.get('/keys', async (_request, reply) =>
    reply.page({
      title: 'Keyboard',
      body: html`<h1>Keyboard</h1>
        <dl class="keys">${KEYS.map(([keys, does]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl>`,
    }),
  );
}
