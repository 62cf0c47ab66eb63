import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A sentence of a page with `<!-- promise: id -->`, or such a row of a generated table. */
export type Promised = { page: string; id: string; sentence: string };

/** A test that carries `// Promise: id`, or several ids with commas. */
export type Holding = { file: string; title: string; ids: string[] };

const MARK = /\s*<!-- promise: ([a-z0-9-]+) -->/g;

export const PAGES: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  ...globSync('docs/*.md', { cwd: ROOT })
    .filter((page) => page !== 'docs/promises.md')
    .sort(),
];

/** The marked sentences of a page, in their order. */
export function promisesOf(page: string, text: string): Promised[] {
  const found: Promised[] = [];
  // Sentences may span lines, but not cells, list items or paragraphs.
  for (const block of text.split(/\n\n|\n(?=\s*(?:[-*]|\d+\.|\||>) )|(?<!\\) \| /)) {
    let from = 0;
    for (const mark of block.matchAll(MARK)) {
      const before = block.slice(from, mark.index).replace(MARK, '').replace(/\s+/g, ' ').trim();
      from = mark.index + mark[0].length;
      const sentence = before === '' ? (found.at(-1)?.sentence ?? '') : lastSentence(before);
      found.push({ page, id: mark[1] ?? '', sentence: sentence.replace(/^(?:[-*>|]|\d+\.) +/, '') });
    }
  }
  return found;
}

/** The last sentence, with earlier ones while it begins with a word that refers to them. */
function lastSentence(text: string): string {
  const sentences = text.split(/(?<=[.!?][*_`"”)]*) (?=[A-Z`*_"“[(0-9])/);
  const leans = (sentence = '') =>
    /^(?:It|Its|That|This|These|Those|They|Their|Both|Each|So|Such|Then|Otherwise|If (?:it|that|this)|Where (?:it|that)|The others?|Another)\b/.test(
      sentence,
    );
  let from = sentences.length - 1;
  while (from > 0 && leans(sentences[from])) from -= 1;
  return sentences.slice(from).join(' ');
}

/** The tests of a file with their promise ids. */
export function holdingsOf(file: string, text: string): Holding[] {
  return [...text.matchAll(/^ *\/\/ Promises?: (.+)\n([\s\S]*?)(?=^ *\/\/ Promises?: |(?![\s\S]))/gm)].map(
    ([, ids = '', code = '']) => ({ file, title: titleIn(code), ids: ids.split(', ') }),
  );
}

/** The title of the test, or of the table case, at the beginning of a piece of code. */
function titleIn(code: string): string {
  const isTable = /^\s*(?:test|it|describe)(?:\.\w+)*\.(?:each|for|runIf|skipIf)\b/.test(code);
  const title = isTable ? /[)`]\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/ : /(['"`])((?:\\.|(?!\1)[\s\S])*)\1/;
  return (title.exec(code)?.[2] ?? '').replace(/\\(['"`])/g, '$1');
}

/** The promises of each page and the tests that cover them, as in docs/promises.md. */
export function promisesTable(): string[] {
  const held = Map.groupBy(
    allHoldings().flatMap((test) => test.ids.map((id) => ({ id, test }))),
    ({ id }) => id,
  );
  return PAGES.flatMap((page) => {
    const promised = allPromises().filter((one) => one.page === page);
    if (promised.length === 0) return [];
    const rows = promised.map(({ id, sentence }) => {
      const tests = (held.get(id) ?? []).map(({ test }) => `\`${test.file}\`: ${test.title.replaceAll('|', '\\|')}`);
      return `| ${withoutLinks(sentence)} | ${tests.join('<br>')} |`;
    });
    return [`## ${page}`, '', '| Promise | Tests |', '| --- | --- |', ...rows, ''];
  });
}

const withoutLinks = (sentence: string): string => sentence.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');

export function allPromises(): Promised[] {
  return PAGES.flatMap((page) => promisesOf(page, readFileSync(join(ROOT, page), 'utf8')));
}

export function allHoldings(): Holding[] {
  return globSync('test/**/*.ts', { cwd: ROOT })
    .sort()
    .flatMap((file) => holdingsOf(file, readFileSync(join(ROOT, file), 'utf8')));
}
