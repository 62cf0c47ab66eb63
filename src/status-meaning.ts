/** The only status that the service is known to give a granted limit (docs/service.md, "Status of a limit"). */
export const APPROVED = 'approved';

/** The meanings that people may give a status. */
export const MEANINGS = ['approved', 'review', 'declined'] as const;
export type StatusMeaning = (typeof MEANINGS)[number];

/** The meanings of statuses, each by the status as the service writes it. {@link APPROVED} needs no entry. */
export type Meanings = ReadonlyMap<string, StatusMeaning>;

/** The meaning that people gave a status, found by the form in which the ledger counts it; undefined if nobody gave it one. */
export function statusMeaningOf(status: string | undefined, meanings: Meanings): StatusMeaning | undefined {
  return status === APPROVED ? 'approved' : meanings.get(countedStatus(status ?? ''));
}

/** Most bytes of a status by which the ledger tells it from others: it cuts the rest. */
const MOST_BYTES = 100;

/** A status as the ledger counts it: cut to 100 bytes, never within a character, as derive.lua does. */
export function countedStatus(status: string): string {
  const bytes = Buffer.from(status);
  if (bytes.length <= MOST_BYTES) return status;
  const cut = bytes.toString('latin1').slice(0, MOST_BYTES);
  return Buffer.from(cut.replace(/[\xc0-\xff][\x80-\xbf]*$/, ''), 'latin1').toString();
}

/** Why a status cannot be given a meaning; undefined if it can. */
export function faultOfStatus(status: string): string | undefined {
  if (status === APPROVED) return `is "${APPROVED}", whose meaning the service shows`;
  if (status.trim() === '') return 'is empty';
  return Buffer.byteLength(status) > MOST_BYTES ? `is longer than ${MOST_BYTES} bytes` : undefined;
}

/** Splits `status=meaning, status=meaning` into its entries. A status may contain spaces and `=`, but no comma. */
export function splitMeanings(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Reads entries `status=meaning`. Answers the meanings, and what is wrong with each entry that gives none. */
export function readMeanings(entries: readonly string[]): { meanings: Meanings; faults: string[] } {
  const meanings = new Map<string, StatusMeaning>();
  const faults: string[] = [];
  for (const entry of entries) {
    const at = entry.lastIndexOf('=');
    const status = entry.slice(0, Math.max(at, 0)).trim();
    const meaning = MEANINGS.find((one) => one === entry.slice(at + 1).trim());
    const fault =
      meaning === undefined || at === -1
        ? `is not status=meaning: write status=meaning,status=meaning,… where each meaning is ${MEANINGS.slice(0, -1).join(', ')} or ${MEANINGS.at(-1)}`
        : (faultOfStatus(status) ??
          (TWO_ENTRIES.test(status) ? 'gives two meanings: write a comma between entries' : undefined) ??
          (meanings.has(status) ? 'gives a status a second meaning' : undefined));
    if (fault === undefined && meaning !== undefined) meanings.set(status, meaning);
    else faults.push(`${JSON.stringify(entry)} in it ${fault}`);
  }
  return { meanings, faults };
}

/** A status in which an entry ends: another sign than a comma stands between two entries. */
const TWO_ENTRIES = new RegExp(`=\\s*(?:${MEANINGS.join('|')})[\\s;|/]`);
