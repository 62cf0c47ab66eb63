import { limbsOf, plainUnits } from './amount-limbs.ts';

/** So many rows are added before numbers could become larger than they are exact: a limb is below 10^10. */
const MOST_UNCARRIED = 100_000;

/** Adds up what rows say that they add to their portfolio's sums, as derive.lua does: by the side on which they are. */
export function makeRowSums() {
  const sides: Record<'a' | 'b', Side> = { a: makeSide(), b: makeSide() };
  return {
    /** @param tally a row's field of that name; one that nobody can read adds nothing */
    add(tally: string): void {
      const side = tally[0];
      if (side === 'a' || side === 'b') addTally(sides[side], tally.slice(2));
    },
    /** Whether the portfolio's two hashes of sums say the same. */
    areThose(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
      return sides.a.is(a) && sides.b.is(b);
    },
  };
}

type Side = ReturnType<typeof makeSide>;

function makeSide() {
  const carried = new Map<string, bigint>();
  let sums = new Map<string, number>();
  let adds = 0;
  const carry = () => {
    for (const [field, sum] of sums) carried.set(field, (carried.get(field) ?? 0n) + BigInt(sum));
    sums = new Map();
    adds = 0;
  };
  return {
    put(field: string, value: number): void {
      sums.set(field, (sums.get(field) ?? 0) + value);
    },
    ofRow(): void {
      adds += 1;
      if (adds > MOST_UNCARRIED) carry();
    },
    is(fields: Readonly<Record<string, string>>): boolean {
      carry();
      const counted = [...carried].filter(([, sum]) => sum !== 0n);
      const kept = Object.entries(fields).filter(([, text]) => text !== '0');
      return kept.length === counted.length && counted.every(([field, sum]) => fields[field] === String(sum));
    },
  };
}

/** States, causes and what is granted: some hundred names, of which a million rows ask again and again. */
const plainFields = new Map<string, string>();

function plainField(name: string): string {
  const field = plainFields.get(name) ?? `sum:${name}:0`;
  if (plainFields.size < 1_000) plainFields.set(name, field);
  return field;
}

function addTally(side: Side, tally: string): void {
  const [bucket = '', requested = '', granted = '', available = '', share = '', cause = '', ...rest] = tally.split('|');
  const status = rest.join('|');
  const sum = (name: string, text: string) => {
    const units = plainUnits(text);
    if (units !== undefined) return side.put(plainField(name), units);
    for (const [k, value] of limbsOf(text) ?? []) side.put(`sum:${name}:${k}`, value);
  };
  side.ofRow();
  side.put('rows', 1);
  sum(bucket, requested);
  if (bucket === 'replaced') side.put('replaced', 1);
  if (requested === '?' || granted === '?' || available === '?') side.put('unreadable', 1);
  if (share === '1') side.put('below', 1);
  if (share === '2' || share === '3') side.put(`${share === '3' ? 'nothing' : 'below'}:${status}`, 1);
  if (bucket === 'done') {
    sum('granted', granted);
    sum('available', available);
    if (status !== '') side.put(`status:${status}`, 1);
  } else if (bucket === 'skipped') {
    sum('before', granted);
    side.put(`earlier:${status}`, 1);
  }
  if (cause !== '') {
    side.put(`cause:${cause}`, 1);
    sum(`cause/${cause}`, requested);
  }
}
