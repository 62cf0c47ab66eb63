import { likeness } from '../../likeness.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import type { Column } from './column.ts';

/**
 * The problem that a column `State` says whether an account is open, and not in which region the buyer is: its cells would be sent as the
 * buyer's region.
 *
 * @param records the first lines of the file
 */
export function doubtsOfStates(line: number, columns: readonly Column[], records: readonly RawRecord[]): Problem[] {
  const taken = columns.find(({ known, by }) => known === 'state' && by !== 'map');
  if (!taken) return [];
  const filled = records.map(({ cells }) => (cells[taken.index] ?? '').trim()).filter((cell) => cell !== '');
  const [first] = filled;
  if (first === undefined || !filled.every((cell) => STATES_OF_ACCOUNTS.has(likeness(cell)))) return [];
  const message = `The cells of this column, such as ${first}, say whether an account is open, and name no region of the buyer. If that is so, say --map "${taken.written}=". If it is the region, say --map "${taken.written}=state".`;
  return [makeProblem(line, taken.written, null, message)];
}

const STATES_OF_ACCOUNTS: ReadonlySet<string> = new Set(
  [
    ...['active', 'inactive', 'open', 'closed', 'blocked', 'locked', 'on hold', 'new', 'enabled', 'disabled', 'valid'],
    ...['aktiv', 'inaktiv', 'offen', 'geschlossen', 'gesperrt', 'neu', 'actif', 'inactif', 'bloqué', 'fermé', 'ouvert'],
    ...['activo', 'inactivo', 'bloqueado', 'abierto', 'cerrado', 'attivo', 'inattivo', 'bloccato', 'chiuso'],
  ].map(likeness),
);
