/** What a part says when it works; `url` where it has an address, and `link` where it is opened by one. */
export type Ready = { ready: true; url?: string; link?: string };

/**
 * For a command that `up` may have started: it ends in good order when `up` is gone, also by a kill that `up` could not pass
 * on. Does nothing for a command that a person started.
 */
export function endWithParent(): void {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Nothing is kept alive by it.
  process.channel.unref();
}

/** Tells `up` that this part works now. */
export function sayReady(url?: string, link?: string): void {
  process.send?.({ ready: true, ...(url && { url }), ...(link && { link }) } satisfies Ready);
}

/** @param message whatever a child sent */
export function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
