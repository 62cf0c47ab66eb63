/**
 * An allowance of so many a second, over all connections: what was not used is there for a second, and no longer. It is one process's
 * own, since to ask Redis would cost as much as what it is to be spared.
 *
 * @param given.nowMs a clock that only goes on
 * @returns whether one more may come now
 */
export function makeRate({
  perSecond,
  nowMs = () => performance.now(),
}: {
  perSecond: number;
  nowMs?: () => number;
}): () => boolean {
  let left = perSecond;
  let atMs = nowMs();
  return () => {
    const now = nowMs();
    left = Math.min(perSecond, left + ((now - atMs) * perSecond) / 1_000);
    atMs = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
