import { Argument, type Command, Option } from 'commander';
import { nearestOf, setMeaning, withNearest } from '../../jobs/operators/mistyped-status.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { APPROVED, MEANINGS, type StatusMeaning } from '../../src/status-meaning.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

const UNKNOWN = 'unknown';

/** `limitline statuses`: which statuses the service answered, what people say that they mean, and how to say it. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('statuses')
    .addArgument(new Argument('[status]', 'a status, exactly as the service writes it'))
    .addOption(
      new Option('--means <meaning>', 'what this status means for the account').choices([...MEANINGS, UNKNOWN]),
    )
    .action(async (status: string | undefined, { means }: { means?: StatusMeaning | typeof UNKNOWN }) => {
      if ((status === undefined) !== (means === undefined)) throw incomplete(status);
      await withContext(async (context) => {
        if (status === undefined || means === undefined) return printStatuses(context, terminal);
        await setMeaning(status, means === UNKNOWN ? undefined : means, commandLineActor(), context);
        const known = await context.statusMeanings.known(await context.portfolios.names());
        const rows = known.find((one) => one.status === status)?.rows ?? 0;
        const words = means === UNKNOWN ? 'has no meaning any more' : `means ${means}`;
        const seen = known.filter((one) => one.rows > 0).map((one) => one.status);
        const nearest = nearestOf(status, [...new Set([...seen, APPROVED])]);
        const isDoubtful = rows === 0 && means !== UNKNOWN;
        const warnings = isDoubtful ? [doubtWords(status, nearest, seen)] : [];
        terminal.print(
          [`"${visible(status)}" ${words}: ${counted(rows, 'row')}.`, ...warnings.map((one) => `Warning: ${one}`)].join(
            '\n',
          ),
          {
            account: context.account,
            status,
            rows,
            meaning: means === UNKNOWN ? null : means,
            warnings,
            ...(isDoubtful && { nearest: nearest ?? null }),
          },
        );
      });
    });
}

const SEEN_NAMED = 5;

function doubtWords(status: string, nearest: string | undefined, seen: readonly string[]): string {
  const quoted = seen.slice(0, SEEN_NAMED).map((one) => `"${visible(one)}"`);
  const more = seen.length > quoted.length ? ' and more' : '';
  const others = quoted.length > 0 ? ` Statuses of rows: ${quoted.join(', ')}${more}.` : '';
  const meant = nearest === undefined ? others : ` Did you mean "${visible(nearest)}"?`;
  return `this status never came to any row.${meant} To take it back: npx limitline statuses ${JSON.stringify(status)} --means ${UNKNOWN}`;
}

function incomplete(status: string | undefined): LimitlineError {
  const example = `npx limitline statuses ${status === undefined ? 'STATUS' : JSON.stringify(status)} --means ${MEANINGS.join('|')}|${UNKNOWN}`;
  return new LimitlineError('USAGE', `Name a status and what it means: ${example}`);
}

async function printStatuses({ account, portfolios, statusMeanings }: Context, terminal: Terminal): Promise<void> {
  const statuses = withNearest(await statusMeanings.known(await portfolios.names()));
  const facts = statuses.map(({ status, rows, meaning = null, from = null, nearest }) => ({
    ...{ status, rows, meaning, from },
    ...(nearest !== undefined && { nearest }),
  }));
  terminal.print(statusTable(statuses), { account, statuses: facts });
}

const FROM = { service: '(the service says so)', setting: '(STATUS_MEANINGS)', account: '' } as const;

function statusTable(statuses: ReturnType<typeof withNearest>): string {
  if (statuses.length === 0) return 'No row has a status yet. Rows of archived portfolios are not counted here.';
  const lines = statuses.map(({ status, rows, meaning, from, nearest }) => {
    const asked = nearest === undefined ? '' : `. Did you mean "${visible(nearest)}"?`;
    const means = meaning === undefined ? `not known${asked}` : `${meaning} ${from === undefined ? '' : FROM[from]}`;
    return `${grouped(rows).padStart(10)}   ${visible(status).padEnd(30)}   ${means}`.trimEnd();
  });
  const isUnknown = statuses.some(({ meaning }) => meaning === undefined);
  const hint = `\n\nTo say what a status means: npx limitline statuses STATUS --means ${MEANINGS.join('|')}`;
  return `${'rows'.padStart(10)}   ${'status'.padEnd(30)}   meaning\n${lines.join('\n')}${isUnknown ? hint : ''}`;
}
