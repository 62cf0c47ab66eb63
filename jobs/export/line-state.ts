import { answeredOtherwise, type RowResult } from '../../src/ledger/row.ts';
import type { ExportedLine } from './export-lines.ts';

/** The state of the line's row, or what the line is instead; '' where the import did not come to it. */
export function stateOf({ found, fault }: ExportedLine): string {
  return found?.result.state ?? fault?.kind ?? '';
}

/** What is wrong with the line, then what is with its row; '' where nothing is. */
export function problemOf({ found, fault }: ExportedLine): string {
  if (!found && !fault) return 'Not imported: the import was interrupted. Import the file again.';
  return [fault?.message, found && problemText(found.result)].filter((problem) => problem).join('; ');
}

/** The sentence, then what the service said, as it came, or what was sent to it without an answer. `recover` reads it back. */
function problemText({ problem, again, record }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return answeredOtherwise(record);
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}
