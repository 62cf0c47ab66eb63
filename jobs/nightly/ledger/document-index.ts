/** How many hex digits of a digest are compared: 52 bits. Of a million documents, two are equal with a chance of 1 in 10^4. */
const DIGITS = 13;

/** Remembers documents and which of them are named, in nine bytes each, because there may be millions. */
export function makeDocumentIndex() {
  let digests = new Float64Array(1_024);
  let named = new Uint8Array(0);
  let count = 0;

  const placeOf = (sha256: string): number => {
    const sought = Number.parseInt(sha256.slice(0, DIGITS), 16);
    let [from, to] = [0, count - 1];
    while (from <= to) {
      const middle = (from + to) >>> 1;
      const found = digests[middle] ?? 0;
      if (found === sought) return middle;
      if (found < sought) from = middle + 1;
      else to = middle - 1;
    }
    return -1;
  };

  return {
    add(sha256: string): void {
      if (count === digests.length) {
        const larger = new Float64Array(count * 2);
        larger.set(digests);
        digests = larger;
      }
      digests[count] = Number.parseInt(sha256.slice(0, DIGITS), 16);
      count += 1;
    },
    /** To be called after all were added, and before any is looked up. */
    close(): void {
      digests = digests.subarray(0, count).sort();
      named = new Uint8Array(count);
    },
    /** Marks a document as named; answers whether it exists. */
    name(sha256: string): boolean {
      const place = placeOf(sha256);
      if (place >= 0) named[place] = 1;
      return place >= 0;
    },
    isUnnamed: (sha256: string): boolean => named[placeOf(sha256)] === 0,
    unnamedCount: (): number => named.reduce((sum, is) => sum + (is === 0 ? 1 : 0), 0),
  };
}
