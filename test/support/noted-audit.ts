import type { Audit, AuditNote } from '../../src/audit/audit.ts';

/** What was told to the audit: an entry, or the entry before something was done and what came of it. */
export type Noted = AuditNote & { came?: Readonly<Record<string, unknown>>; fault?: string };

/** An audit that keeps what it is told in memory, in its order. `away` makes it fail, as where Redis is away. */
export function makeNotedAudit(): Audit & { noted: Noted[]; away: boolean } {
  const noted: Noted[] = [];
  const self = {
    noted,
    away: false,
    async note(note: AuditNote): Promise<void> {
      if (self.away) throw new Error('Command timed out');
      noted.push({ ...note });
    },
    refusal: async () => undefined,
    async around<T>(note: AuditNote, act: () => Promise<T>, facts?: (answer: T) => Readonly<Record<string, unknown>>) {
      await self.note(note);
      const entry = noted.at(-1) as Noted;
      try {
        const answer = await act();
        entry.came = facts?.(answer) ?? {};
        return answer;
      } catch (error) {
        entry.fault = String(error);
        throw error;
      }
    },
  };
  return self;
}
