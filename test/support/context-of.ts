import { onTestFinished } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { ownDataHome } from './command.ts';

/** The ledger of a desk (test/support/desk.ts), to be looked at and meddled with; closed when the test ends. */
export async function openContextOf({ cwd, env }: { cwd: string; env: Record<string, string> }) {
  const settings = readSettings({ env: { ...ownDataHome(cwd), ...env }, cwd });
  const context = await openContext({ settings, log: makeSilentLog() });
  onTestFinished(() => context.close());
  return context;
}
