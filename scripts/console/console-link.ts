import { hostname } from 'node:os';
import { commandLineActor } from '../../src/actor.ts';
import { addressOf } from '../../src/console/server/make-server.ts';
import { signInNeeded } from '../../src/console/server/reach.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A one-time link that opens a console without users, for the person who runs it; undefined where people sign in. Secret. */
export async function consoleLink(
  { people, settings }: Pick<Context, 'people' | 'settings'>,
  url: string,
): Promise<string | undefined> {
  const token = signInNeeded(settings) ? undefined : await people.openings.link(commandLineActor());
  return token === undefined ? undefined : `${url}/?token=${token}`;
}

/** The link as text, on a line of its own that fits 80 columns. */
export function linkWords(link: string | undefined): string {
  return link === undefined
    ? ''
    : `\nIt has no users yet. Open it by this link, which works once, and within 12 hours:\n  ${link}`;
}

/**
 * `limitline console --link`: makes another link to a running console, for another browser or another day. The only
 * console that runs on this machine says its address by itself, since the settings of this shell may differ from its own.
 *
 * @throws LimitlineError `USAGE` where people sign in, the console's port is unknown, or several run and none is at the address of the settings
 */
export function printLink(terminal: Terminal): Promise<void> {
  return withContext(async (context) => {
    const { CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_URL: home, CONSOLE_TLS_CERT_FILE: cert } = context.settings;
    const here = (await context.fleet.read()).filter(({ host }) => host === hostname());
    const running = [...new Set(here.flatMap((one) => one.url ?? []))];
    const given = home === undefined ? addressOf({ host, port, isHttps: cert !== undefined }) : new URL(home).origin;
    const isGiven = home !== undefined || running.includes(given);
    if (!isGiven && running.length > 1) {
      throw new LimitlineError('USAGE', `Several consoles run here, at ${running.join(', ')}: say CONSOLE_PORT.`);
    }
    const url = isGiven ? given : (running[0] ?? given);
    if (!isGiven && running.length === 0 && port === 0) {
      throw new LimitlineError(
        'USAGE',
        'CONSOLE_PORT is 0, so the console alone knows its port: start it again for a link.',
      );
    }
    const link = await consoleLink(context, url);
    if (link === undefined)
      throw new LimitlineError('USAGE', `People sign in to this console, at ${url}: no link opens it.`);
    terminal.print(
      `This link opens the console once, within 12 hours; the one before opens nothing any more:\n  ${link}`,
      { link },
    );
  });
}
