import { grouped } from '../../../counted.ts';
import type { Problem } from '../../../portfolio/problem.ts';
import { type Html, html } from '../../html/html.ts';

type Said = Pick<Problem, 'column' | 'message'>;

const MOST_SENTENCES = 50;

/**
 * What is said of a whole file. One for each column may be wrong, and a file may have more columns than anybody reads of.
 *
 * @param wordsOf what a sentence means on the page: whoever can choose there is told where
 */
export function sentences(problems: readonly Said[], wordsOf: (message: string) => string = String): Html {
  const others = problems.length - MOST_SENTENCES;
  return html`<ul>${problems.slice(0, MOST_SENTENCES).map((one) => sentenceOf(one, wordsOf))}${others > 0 && html`<li>And ${grouped(others)} more.</li>`}</ul>`;
}

/** With the column that it is about: the sentence may say "this column". */
function sentenceOf({ column, message }: Said, wordsOf: (message: string) => string): Html {
  return html`<li>${column !== null && html`<strong><bdi>${column}</bdi>:</strong> `}${wordsOf(message)}</li>`;
}
