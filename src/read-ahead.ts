/**
 * Yields the batches of `source` in their order, and reads the next one while the consumer is at work with one. A fault of the source is
 * thrown in its place. Only for consumers that write nothing that the source reads.
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const batches = source[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    for (let found = await next; !found.done; found = await next) {
      next = batches.next();
      // It is awaited above; a consumer that ends before does not ask for it.
      next.catch(() => {});
      yield found.value;
    }
  } finally {
    await batches.return?.();
  }
}
