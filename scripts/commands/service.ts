import type { Command } from 'commander';
import { readSettings, type Settings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { makeStandIn } from '../../src/stand-in/stand-in.ts';
import { portNumber, positiveNumber } from '../options/durations.ts';
import { speakThroughLog, waitForSignal } from '../process/long-running.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline service`: the stand-in alone, for trials and for tests of other programs. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('service')
    .option('--port <port>', 'port on the loopback address; 0 takes a free one', portNumber, 0)
    .option('--rate <calls>', 'calls a second above which it answers 429', positiveNumber)
    .option('--latency <ms>', 'milliseconds before each answer', positiveNumber)
    .action(async (options: { port: number; rate?: number; latency?: number }) => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL });
      speakThroughLog(terminal, log);
      const { signal } = waitForSignal();
      const standIn = makeStandIn({
        host: '127.0.0.1',
        port: options.port,
        credentials: { clientId: settings.SERVICE_CLIENT_ID, clientSecret: settings.SERVICE_CLIENT_SECRET },
        faults: {
          ...(options.rate === undefined
            ? {}
            : { rateLimit: { perS: options.rate, headers: 'retry-after-seconds' as const } }),
          latencyMs: options.latency ?? 0,
        },
        log,
      });
      await standIn.start();
      const url = standIn.url();
      const taken = takesOwn(settings) ? {} : STAND_IN_CREDENTIALS;
      terminal.print(`The stand-in listens on ${url}; use it with:\n\n${settingsFor(url, settings)}`, {
        url,
        ...taken,
      });
      await signal;
      await standIn.close();
    });
}

/** Whether the stand-in takes credentials of the user's own, which are never printed. */
function takesOwn({ SERVICE_CLIENT_ID, SERVICE_CLIENT_SECRET }: Settings): boolean {
  const { clientId, clientSecret } = STAND_IN_CREDENTIALS;
  return SERVICE_CLIENT_ID !== clientId || SERVICE_CLIENT_SECRET !== clientSecret;
}

/** Settings for other commands to use the stand-in. */
function settingsFor(url: string, settings: Settings): string {
  const { clientId, clientSecret } = STAND_IN_CREDENTIALS;
  const credentials = takesOwn(settings)
    ? 'and the credentials that it was started with'
    : `SERVICE_CLIENT_ID=${clientId} SERVICE_CLIENT_SECRET=${clientSecret}`;
  return `SERVICE_URL=${url} ${credentials}`;
}
