import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { LimitlineError } from '../../src/errors.ts';

/** It has little to finish, so it ends within milliseconds, or something is wrong with it. */
const END_LIMIT_MS = 5_000;

/** The address at which a child listens: in the first answer that it prints, JSON over several lines. */
export async function readUrl(child: ChildProcess, what: string): Promise<string> {
  let printed = '';
  for await (const piece of child.stdout ?? []) {
    printed += String(piece);
    const url = /"url": *"([^"]+)"/.exec(printed)?.[1];
    if (url !== undefined) return url;
  }
  throw new LimitlineError('SERVICE', `${what} ended before it said where it listens; its reason stands above.`);
}

/** Ends a child, and waits until it has ended. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  await exited;
  clearTimeout(late);
}
