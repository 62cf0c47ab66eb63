import { basename } from 'node:path';
import type { Command } from 'commander';
import { checkMappingName, isCorrected, makeNamedMappings } from '../../jobs/drafts/kept-mappings.ts';
import { keptReadingOf } from '../../jobs/inbox/inbox-reading.ts';
import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { lastingOf, type ReadOptions, readingWords } from '../../src/portfolio/read-options.ts';
import { understoodWords } from '../file/understanding.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { type ReadingOptions, readOptionsOf, withReadingOptions } from '../options/import-options.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline mapping`: keeps read options under a name. `LIMITLINE_INBOX_MAPPING` selects one for the drop folder. */
export function register(program: Command, terminal: Terminal): void {
  const mapping = program.command('mapping');
  mapping
    .command('list', { isDefault: true })
    .description('the mappings that are kept')
    .action(() => withContext(({ settings }) => list(settings.LIMITLINE_DATA, terminal)));
  withReadingOptions(
    mapping
      .command('keep')
      .argument('<name>', 'the name of the mapping')
      .argument('<file>', 'a file that is read in this way'),
  )
    .description('keep how this file is read: as the options say, or as it was corrected in the console')
    .action(async (name: string, file: string, options: ReadingOptions) => {
      checkMappingName(name);
      const given = await readOptionsOf(options);
      await withContext(({ settings }) => keep({ name, file, given, dataDir: settings.LIMITLINE_DATA }, terminal), {
        facts: (mapping) => mapping,
      });
    });
  mapping
    .command('forget')
    .argument('<name>', 'the name of the mapping')
    .description('forget a mapping')
    .action(async (name: string) => {
      await withContext(({ settings }) => makeNamedMappings({ dataDir: settings.LIMITLINE_DATA }).forget(name));
      terminal.print(`Mapping ${name} is forgotten.`, { forgotten: name });
    });
}

async function list(dataDir: string, terminal: Terminal): Promise<void> {
  const mappings = await makeNamedMappings({ dataDir }).list();
  const words = mappings.map(({ name, file, keptMs, by, reading }) => {
    const day = new Date(keptMs).toISOString().slice(0, 10);
    return `${name}: kept ${day} by ${by.join(', ') || 'nobody knows whom'} with ${file}; ${readingWords(reading)}`;
  });
  terminal.print(words.join('\n') || 'No mapping is kept: npx limitline mapping keep NAME FILE keeps one.', {
    mappings,
  });
}

async function keep(
  { name, file, given, dataDir }: { name: string; file: string; given: ReadOptions; dataDir: string },
  terminal: Terminal,
) {
  const own = commandLineActor();
  const kept = isCorrected(given) ? { reading: given, by: [] } : await keptReadingOf(file, { dataDir });
  if (kept === undefined) {
    const message = `There is nothing to keep: ${file} is read without options, and nobody corrected the reading of such files in the console. Give the options, such as --map or --decimal.`;
    throw new LimitlineError('USAGE', message);
  }
  const [reading, by] = [lastingOf(kept.reading), [...new Set([own, ...kept.by])]];
  const opened = await openPortfolio({ ...reading, path: file });
  await opened.close();
  const [fault] = opened.problems;
  if (fault)
    throw new LimitlineError('USAGE', `The mapping was not kept, since ${file} cannot be read by it. ${fault.message}`);
  await makeNamedMappings({ dataDir }).keep({ name, file: basename(file), keptMs: Date.now(), by, reading });
  const words = `Mapping ${name} is kept. ${understoodWords(opened)}\nWith LIMITLINE_INBOX_MAPPING=${name}, all files of the drop folder are read in this way.`;
  terminal.print(words, { name, file, by, reading });
  return { by, reading };
}
