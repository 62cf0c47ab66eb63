import { basename } from 'node:path';
import type { Command } from 'commander';
import { keptResults } from '../../jobs/export/leave-results.ts';
import { recoverResults } from '../../jobs/recover/recover-results.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { heldSessionsWords } from '../../src/ledger/calls/send-marks.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline acknowledge-rollback`: a person confirms that Redis, though restored from an older copy, lacks no request. */
export function register(program: Command, terminal: Terminal): void {
  program.command('acknowledge-rollback').action(async () => {
    const accepted = await withContext(async (context) => {
      if ((await context.marks.older()) === undefined) return { older: false, heldSessions: 0, lacks: [] };
      const kept = await keptResults(context);
      for (const path of kept) await mustKnow(path, context);
      return { ...(await context.marks.accept()), older: true, lacks: await lackedOf(kept, context) };
    });
    const held = heldSessionsWords(accepted.heldSessions);
    const words = accepted.older
      ? `Redis is taken as it is. What Redis does not know counts as never requested. Import files of that time again, and repeat what was decided then, such as \`cancel\`; then start the workers again.${lackedWords(accepted.lacks)}${held && ` ${held}`}`
      : 'Redis is not older than what was sent, so there is nothing to acknowledge.';
    terminal.print(words, accepted);
  });
}

/** The portfolios of these results files that Redis does not know, by name. A file of a very long name has a digest in its place. */
async function lackedOf(paths: readonly string[], { portfolios, archives }: Context): Promise<string[]> {
  const archived = (await archives.list()).map(({ name }) => name);
  const known = new Set([...(await portfolios.names()), ...archived]);
  return paths.map((path) => basename(path, '.results.csv')).filter((name) => !known.has(name));
}

function lackedWords(names: readonly string[]): string {
  if (names.length === 0) return '';
  const these = names.length === 1 ? 'this portfolio' : 'these portfolios';
  return ` Redis lacks ${these}, of which results are kept: ${names.map(visible).join(', ')}.`;
}

/** Compares a results file with Redis. @throws LimitlineError `USAGE` where the file has requests that Redis does not know */
async function mustKnow(path: string, context: Context): Promise<void> {
  const documents = { find: async (name: string) => ({ name, path: '', sizeBytes: 0, mediaType: '' }) };
  const { signal } = new AbortController();
  const { put } = await recoverResults({ path, write: false }, { ...context, documents, signal });
  if (put.company + put.limit + put.session + put.held === 0) return;
  const message = `${path} knows of requests that Redis does not: npx limitline recover "${path}" --apply puts them back, with what is kept of other portfolios. Work then goes on.`;
  throw new LimitlineError('USAGE', message);
}
