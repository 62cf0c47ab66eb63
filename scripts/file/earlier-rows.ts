import type { Imported } from '../../jobs/import/import-portfolio.ts';
import { allBeforeWords } from '../../src/counted.ts';

/** That all was requested before, and what became of the rows of earlier imports, one sentence a fact; none where nothing did. */
export function earlierRowWords({ rows, requestedBefore, replaced, lacking, givenUp, isPart }: Imported): string[] {
  const all = allBeforeWords(rows, requestedBefore);
  const words = all === undefined ? [] : [`${all}.`];
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  if (replaced > 0) {
    words.push(
      `${rowsOf(replaced)} ${were(replaced)} replaced by the ${replaced === 1 ? 'line' : 'lines'} of this file that correct${replaced === 1 ? 's it' : ' them'}.`,
    );
  }
  if (givenUp > 0)
    words.push(`${rowsOf(givenUp)} that ${givenUp === 1 ? 'is' : 'are'} not in this file ${were(givenUp)} cancelled.`);
  if (lacking > 0) {
    const are = lacking === 1 ? 'is not in this file, and stays' : 'are not in this file, and stay';
    const remedy = lacking === 1 ? 'cancels it' : 'cancels them';
    words.push(
      `${rowsOf(lacking)} ${are} as ${lacking === 1 ? 'it is' : 'they are'}${isPart ? '' : `; --replace ${remedy}`}.`,
    );
  }
  return words;
}

function rowsOf(count: number): string {
  return count === 1 ? '1 row of an earlier import' : `${count.toLocaleString('en')} rows of earlier imports`;
}
