/**
 * A limit by second over all connections; what is unused is kept for one second. It is local to the process, since asking Redis would cost
 * as much as the load that it prevents.
 *
 * @param given.nowMs a monotonic clock
 * @returns whether one more event may come now
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
