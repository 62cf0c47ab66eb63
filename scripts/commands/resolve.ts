import type { Command } from 'commander';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { askedWords } from '../approval/asked-words.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { checkResolveOptions, type ResolveOptions, withResolveOptions } from '../options/resolve-options.ts';
import { resolveAll } from '../resolve/resolve-all.ts';
import { resolveFile } from '../resolve/resolve-file.ts';
import { NOTHING_CHANGED, resolvedWords } from '../resolve/resolved-words.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline resolve NAME`: a person says what became of held calls. */
export function register(program: Command, terminal: Terminal): void {
  withResolveOptions(program.command('resolve').argument('<name>', 'the portfolio'))
    .description('say what became of held calls, so that their rows go on')
    .action(async (name: string, options: ResolveOptions) => {
      checkResolveOptions(options);
      if (options.from !== undefined) process.exitCode = await resolveFile(name, options.from, options, terminal);
      else if (options.all) process.exitCode = await resolveAll(name, options, terminal);
      else await resolveLine(name, options, terminal);
    });
}

async function resolveLine(name: string, { line, row, step, made, dryRun }: ResolveOptions, terminal: Terminal) {
  const payload = { portfolio: name, line, row, step, made, dryRun };
  const { workers, ...resolution } = await onPortfolio(name, async (context) => ({
    ...(await resolveCalls(payload, context)),
    workers: await countLiving({ connection: context.ledger, keys: context.keys }),
  }));
  const of = (resolution.of ?? []).map((one) => resolvedWords(one, dryRun));
  const last = resolution.waits
    ? askedWords(name, resolution.waits)
    : dryRun
      ? NOTHING_CHANGED
      : `${counted(resolution.calls, 'call')} resolved; ${goingOn(resolution.rows, workers)}`;
  terminal.print([...of, last].join('\n'), { portfolio: name, ...resolution, workers });
}
