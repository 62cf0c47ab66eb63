/** What the address of the page asks for. */
export type AuditQuery = {
  by?: string;
  what?: string;
  about?: string;
  /** The last day that is shown, of UTC: `2026-11-22`. */
  day?: string;
  /** The number below which entries are shown. */
  before?: number;
};

/** No name is longer. */
const LONGEST = 200;

/** Reads what the address asks for; what is empty, or cannot be meant, is left out. `wrongDay` is what stands there and is none. */
export function readAuditQuery(query: Readonly<Record<string, unknown>>): { query: AuditQuery; wrongDay?: string } {
  const read: AuditQuery = {};
  for (const field of ['by', 'what', 'about'] as const) {
    const value = query[field];
    const text = typeof value === 'string' ? value.trim().slice(0, LONGEST) : '';
    if (text !== '') read[field] = text;
  }
  const { before } = query;
  if (typeof before === 'string' && /^[1-9]\d{0,14}$/.test(before)) read.before = Number(before);
  const day = typeof query.day === 'string' ? query.day.trim().slice(0, LONGEST) : '';
  if (day === '') return { query: read };
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && Number.isFinite(Date.parse(day));
  return isDay ? { query: { ...read, day } } : { query: read, wrongDay: day };
}

/** The address of a page. */
export function auditAddress(query: AuditQuery): string {
  const given = new URLSearchParams();
  for (const [field, value] of Object.entries(query)) given.set(field, String(value));
  return given.size === 0 ? '/audit' : `/audit?${given}`;
}
