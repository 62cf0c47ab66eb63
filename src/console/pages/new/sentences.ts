import { grouped } from '../../../counted.ts';
import type { Problem } from '../../../portfolio/problem.ts';
import { type Html, html } from '../../html/html.ts';
import { forPage } from './for-page.ts';

type Said = Pick<Problem, 'column' | 'message'>;

const MOST_SENTENCES = 50;

/** What is said of a whole file. One for each column may be wrong, and a file may have more columns than anybody reads of. */
export function sentences(problems: readonly Said[]): Html {
  const others = problems.length - MOST_SENTENCES;
  return html`<ul>${problems.slice(0, MOST_SENTENCES).map(sentenceOf)}${others > 0 && html`<li>And ${grouped(others)} more.</li>`}</ul>`;
}

/** With the column that it is about: the sentence may say "this column". */
function sentenceOf({ column, message }: Said): Html {
  return html`<li>${column !== null && html`<strong><bdi>${column}</bdi>:</strong> `}${forPage(message)}</li>`;
}
