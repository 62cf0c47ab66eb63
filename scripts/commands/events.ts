import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { makeMistypedIn, startTakingEvents, takeAllEvents, tryEvent } from '../../jobs/events/take-events.ts';
import { eventFacts, eventLines, eventRowFacts } from '../../jobs/export/event-lines.ts';
import { listEvents } from '../../jobs/story/list-events.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { ListedEvent } from '../../src/ledger/events/event-rows.ts';
import { becameWords, hasWhys } from '../../src/ledger/events/kept-event.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { eventsList, type ToldEvent } from '../events/events-list.ts';
import { openListener, whereEvents } from '../events/open-listener.ts';
import { mappingOf, tryEvents } from '../events/try-events.ts';
import { announceAccount, mustExist, withContext } from '../opening/on-portfolio.ts';
import { openUntil, sayStopped } from '../opening/open-until.ts';
import { limitNumber, since } from '../options/durations.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { abortedBy, logUsageFaults, speakByLog, waitForSignal } from '../process/long-running.ts';
import { keepHeapSmall, letOthersGoFirst } from '../process/resources.ts';
import { checkOutput, checkOverwritable, nameWritten, writeOutput } from '../report/output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';

const LISTED = 20;

/** Permissions of an export: events may contain anything that the service knows of a buyer, so only its owner may read it. */
const OWN_FILE = 0o600;

const SINCE = 'only since a day (2026-11-22), since a moment (2026-11-22T10:00Z), or in the last hours (12h)';

type ListOptions = { since?: number; portfolio?: string; last: number };
type ExportOptions = { since?: number; out?: string; rows: boolean };

/** `limitline events` lists the service's events; `export` writes all of them; `listen` receives them; `try` and `take` read them for decisions. */
export function register(program: Command, terminal: Terminal): void {
  const events = program
    .command('events')
    .option('--since <time>', SINCE, since)
    .option('--portfolio <name>', 'only events that name a row of this portfolio')
    .option('--last <n>', 'list this many of the latest events', limitNumber, LISTED)
    .action((options: ListOptions) => withContext((context) => list(options, context, terminal)));
  events
    .command('export')
    .description('all events as NDJSON, one a line, as they came, the oldest first')
    .option('--out <file>', 'write to this file instead of standard output (-)')
    .option('--since <time>', SINCE, since)
    .option('--no-rows', 'leave out the rows that events name: finding them takes long with very many portfolios')
    .action(async (_own: unknown, command: Command) => {
      // The command `events` has an option --since, too. Commander stores a --since that is written after `export` with that command, so the
      // options of both are read.
      const options = command.optsWithGlobals() as ExportOptions;
      checkOutput(options.out, { isBinary: false });
      const since = options.since === undefined ? {} : { since: new Date(options.since).toISOString() };
      const facts = (counts: { events: number }) => ({ ...counts, ...since });
      const { events: count } = await withContext((context) => exportEvents(options, context), { facts });
      if (options.out !== undefined) terminal.say(`${counted(count, 'event')} written to ${options.out}.`);
      nameWritten(options.out, terminal);
    });
  events
    .command('try')
    .argument('<file>', 'one event in JSON, or one a line, as it came or as events export writes it')
    .description('say what EVENTS_MAPPING finds in events, and what would become of them; nothing is changed')
    .action((path: string) => withContext((context) => tryEvents(path, context, terminal)));
  events
    .command('take')
    .option('--since <time>', SINCE, since)
    .description('read all stored events again, and take the decisions that EVENTS_MAPPING finds in them')
    .action(async (_own: unknown, command: Command) => {
      const { since: sinceMs } = command.optsWithGlobals() as ListOptions;
      await withContext((context) => take(sinceMs, context, terminal), {
        facts: ({ events, became }) => ({ events, ...became }),
      });
    });
  addListen(events, terminal);
  // Without this, help of a subcommand shows the options of the list as if they applied.
  for (const sub of events.commands) {
    sub.configureHelp({ ...sub.configureHelp(), visibleGlobalOptions: () => [...program.options] });
  }
  // Commander accepts options of the list with a subcommand. They are refused, because they would be ignored.
  events.hook('preSubcommand', (_events, sub) => refuseOptionsOfList(events, sub));
}

/** @throws LimitlineError `USAGE` for an option that only `events` itself has */
function refuseOptionsOfList(events: Command, sub: Command): void {
  const has = new Set(sub.options.map((option) => option.attributeName()));
  const given = events.options.find(
    (option) => !has.has(option.attributeName()) && events.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (!given) return;
  const words = `${given.long} is for limitline events alone: limitline events ${sub.name()} does not know it. Leave it out.`;
  throw new LimitlineError('USAGE', words);
}

async function list({ since: sinceMs, portfolio, last }: ListOptions, context: Context, terminal: Terminal) {
  if (portfolio !== undefined) await mustExist(portfolio, context);
  const found = await listEvents({ sinceMs, portfolio, count: last }, context);
  const { totals, more, archived } = found;
  const events = await withWhys(found.events, context);
  terminal.print(eventsList({ ...found, events }, { portfolio }), {
    account: context.account,
    kept: totals.events,
    bytes: totals.bytes,
    not_taken: totals.full,
    more,
    archived,
    events: events.map(({ whys, ...event }) => ({
      ...eventFacts(event),
      ...eventRowFacts(event),
      ...(whys && { whys }),
    })),
  });
}

/** The events with the reasons for which they were not taken, by the mapping and the statuses as they are now. */
async function withWhys(events: readonly ListedEvent[], context: Context): Promise<ToldEvent[]> {
  if (context.settings.EVENTS_MAPPING === undefined) return [...events];
  const how = { mapping: mappingOf(context.settings), mistyped: makeMistypedIn(context) };
  const told = events.map(async (event) => {
    const raw = event.became && hasWhys(event.became) ? await context.events.raw(event.id) : undefined;
    const found = raw ? await tryEvent({ firstMs: raw.firstMs, body: raw.body.toString() }, how, context) : [];
    const whys = found.flatMap(({ why }) => why ?? []);
    return whys.length > 0 ? { ...event, whys } : event;
  });
  return Promise.all(told);
}

async function take(sinceMs: number | undefined, context: Context, terminal: Terminal) {
  const mapping = mappingOf(context.settings);
  const taken = await takeAllEvents({ mapping, sinceMs }, context);
  const whys = taken.whys.slice(0, LISTED).map(({ event, why }) => `event ${event}: ${visible(why)}`);
  if (taken.whys.length > LISTED) whys.push(`and ${taken.whys.length - LISTED} more`);
  const words = `${counted(taken.events, 'event')} read: ${becameWords(taken.became) || 'no decisions'}.`;
  terminal.print([...whys, words].join('\n'), { account: context.account, ...taken });
  if (hasWhys(taken.became)) process.exitCode = PROBLEMS_STATUS;
  return taken;
}

async function exportEvents(
  { out, since: sinceMs, rows: withRows }: ExportOptions,
  context: Context,
): Promise<{ events: number }> {
  await checkOverwritable(out, context);
  const counts = { events: 0 };
  const write = (to: Writable) => pipeline(Readable.from(eventLines({ sinceMs, counts, withRows }, context)), to);
  await writeOutput(out, write, { mode: OWN_FILE });
  return counts;
}

/**
 * `limitline events listen`: keeps what the service posts, until SIGTERM, SIGINT or SIGHUP, and with EVENTS_MAPPING reads it for decisions.
 * Changes no request. Standard error has only the log.
 */
function addListen(events: Command, terminal: Terminal): void {
  logUsageFaults(events.command('listen'))
    .description('keep what the service posts at EVENTS_PORT, until SIGTERM or SIGINT')
    .action(async () => {
      const { settings, log } = speakByLog(terminal);
      // The settings for events are checked first: a faulty one must end the command before anything is opened.
      const where = whereEvents(settings);
      endWithParent();
      letOthersGoFirst();
      keepHeapSmall();
      const { signal } = waitForSignal();
      const context = await openUntil(abortedBy(signal), { settings, log });
      if (!context) return sayStopped(log, terminal);
      try {
        await announceAccount(context, terminal.say, true);
        const isMapped = settings.EVENTS_MAPPING !== undefined;
        const taking = isMapped ? startTakingEvents(context, { mapping: mappingOf(settings) }) : undefined;
        const listener = await openListener(context, where, taking?.keep ?? context.events.keep);
        terminal.print(`Events are listened for at ${listener.url}, where EVENTS_SECRET stands for the dots.`, {
          url: listener.url,
        });
        log.info({ url: listener.url, redis: context.redis.where }, 'events are listened for');
        sayReady(listener.url);
        await signal;
        await listener.close();
        await taking?.stop();
      } finally {
        await context.close();
      }
      log.info('stopped');
    });
}
