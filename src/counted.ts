/** `1 row`, `1,200 rows`: a count in words for people, with the plural that it needs. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A count for people, grouped by thousands: `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}
