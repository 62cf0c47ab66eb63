/** The message of a part that works; `url`: its address; `link`: the link that opens it. */
export type Ready = { ready: true; url?: string; link?: string };

/** Whether `up` started this command. A process manager may have started `up` itself in the same way. */
export const isPartOfUp = (command: string): boolean => command !== 'up' && Boolean(process.channel);

/** Makes a command that `up` started end properly when `up` is gone, even if `up` was killed. Does nothing without `up`. */
export function endWithParent(): void {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel must not keep the process alive.
  process.channel.unref();
}

/** Tells `up` that this part works. */
export function sayReady(url?: string, link?: string): void {
  process.send?.({ ready: true, ...(url && { url }), ...(link && { link }) } satisfies Ready);
}

/** @param message any message of a child */
export function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
