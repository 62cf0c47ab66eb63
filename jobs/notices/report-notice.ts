import { counted } from '../../src/counted.ts';
import { CHECKS } from '../../src/ledger/nightly/checks.ts';
import { countFindings } from '../../src/ledger/nightly/compare-reports.ts';
import { type NightReport, SECTIONS } from '../../src/ledger/nightly/night-report.ts';
import { changeWords, reportWords, SECTION_WORDS } from '../../src/ledger/nightly/report-words.ts';
import { moneyText } from '../../src/money-text.ts';
import type { Notice } from '../../src/notices/notice.ts';

/**
 * What is told of a nightly report: how much was found in each of its parts, by check, with rows and sums. Words of findings are
 * left out, since the service's own may stand in them, and so are rows: nothing in it is of a person. Pure.
 */
export function reportNotice(report: NightReport): Notice {
  const changed = changeWords(report);
  return {
    kind: 'report',
    title: `Nightly check: ${reportWords(report)}`,
    facts: [
      { term: 'Account', what: report.account },
      ...SECTIONS.flatMap((section) =>
        section === 'gone' || countFindings(report, section) === 0
          ? []
          : [{ term: SECTION_WORDS[section].title, what: checksOf(report, section) }],
      ),
      ...(changed === '' ? [] : [{ term: 'Since the report before', what: changed }]),
      ...(report.fault === undefined ? [] : [{ term: 'No files were left', what: 'see the report' }]),
    ],
    path: `/nightly/reports/${encodeURIComponent(report.id)}`,
    atMs: report.madeMs,
  };
}

/** `Refused by the service: 12 rows, 45,000.00; Held …: 1 row` */
function checksOf({ groups }: NightReport, section: (typeof SECTIONS)[number]): string {
  return groups
    .filter((group) => group.section === section)
    .map(({ check, rows, sum }) => {
      return `${CHECKS[check].title}: ${counted(rows, 'row')}${sum === undefined ? '' : `, ${moneyText(sum)}`}`;
    })
    .join('; ');
}
