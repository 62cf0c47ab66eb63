import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { shellWord } from '../../parts/command-line.ts';
import { DELIMITER_WORDS } from './words.ts';

/** The command that does the same with the file on one's own disk. What a command has no flag for is a file of its own: `mapping.json`. */
export function sameCommand({ name, portfolio, reading, documents, isArchive }: PortfolioDraft): string {
  const { encoding, delimiter, sheet, headerLine, mapping, decimal, dates, hiddenRows } = reading;
  const hasConstants = Object.keys(mapping?.constants ?? {}).length > 0;
  const maps = Object.entries(mapping?.columns ?? {}).flatMap(([written, known]) => [
    '--map',
    `${written}=${known ?? ''}`,
  ]);
  const [document] = documents;
  const words = [
    'npx',
    'limitline',
    'run',
    // A name that begins like an option would be one.
    name.startsWith('-') ? `./${name}` : name,
    ...['--portfolio', portfolio],
    ...(isArchive && document ? ['--documents', document.name] : documents.length > 0 ? ['--documents', 'FOLDER'] : []),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(delimiter === undefined ? [] : ['--delimiter', DELIMITER_WORDS[delimiter] ?? delimiter]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(headerLine === undefined ? [] : ['--header-line', String(headerLine)]),
    ...(hasConstants ? ['--map', 'mapping.json'] : []),
    ...maps,
    ...(decimal === undefined ? [] : ['--decimal', decimal === '.' ? 'point' : 'comma']),
    ...(dates === undefined ? [] : ['--dates', dates]),
    ...(hiddenRows === undefined ? [] : ['--hidden-rows']),
  ];
  return words.map(shellWord).join(' ');
}
