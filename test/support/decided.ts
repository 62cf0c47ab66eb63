/** A rule of the stand-in: of the limit of a buyer the service decides so, and grants this share of it. */
export function decided(buyer: number, status: string, share = 0) {
  return { on: 'limit', match: `HRB ${buyer}"`, fault: 'decision', status, share } as const;
}
