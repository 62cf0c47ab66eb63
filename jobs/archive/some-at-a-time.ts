/** On their way to Redis at one time: it is never idle, and never has to do more than a few milliseconds at a time. */
const AT_A_TIME = 3;

/**
 * Does something with each, some of them at a time; they are begun in their order, and end in any. The first that fails keeps the others from
 * being begun, and its fault is the one that is told.
 */
export async function someAtATime<T>(each: AsyncIterable<T>, act: (one: T) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const faults: unknown[] = [];
  for await (const one of each) {
    const acting: Promise<void> = act(one)
      .catch((error: unknown) => void faults.push(error))
      .finally(() => underWay.delete(acting));
    underWay.add(acting);
    if (underWay.size >= AT_A_TIME) await Promise.race(underWay);
    if (faults.length > 0) break;
  }
  await Promise.all(underWay);
  if (faults.length > 0) throw faults[0];
}
