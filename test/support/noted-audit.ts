import type { Audit, AuditNote } from '../../src/audit/audit.ts';

/** A note to the audit: an entry, or the entry before an action with the result of the action. */
export type Noted = AuditNote & { came?: Readonly<Record<string, unknown>>; fault?: string };

/** An audit that keeps its notes in memory, in their order. `away` makes it fail, as if Redis were away. */
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
