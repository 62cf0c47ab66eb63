import { describe, expect, test } from 'vitest';
import { adviceDates, adviceFor } from '../../../src/portfolio/lines/advice.ts';

describe('adviceDates', () => {
  test.each([
    ['2026-11-21T00:00:00Z', '2026-11-21', '2025-01-21'],
    // Already tomorrow in Kiribati.
    ['2026-11-21T10:00:00Z', '2026-11-22', '2025-01-22'],
    // 22 months before 31 December there is no day 31.
    ['2026-12-31T00:00:00Z', '2026-12-31', '2025-02-28'],
    ['2025-12-30T00:00:00Z', '2025-12-30', '2024-02-29'],
    ['2026-10-31T00:00:00Z', '2026-10-31', '2024-12-31'],
  ])('at %s', (now, today, oldest) => {
    expect(adviceDates(new Date(now))).toEqual({ today, oldest });
  });
});

describe('adviceFor', () => {
  const dates = { today: '2026-11-21', oldest: '2025-01-21' };
  test.each<[string, boolean, string | undefined, string | null]>([
    ['750000', false, undefined, null],
    ['750000.01', false, undefined, 'requested_limit'],
    ['750000.01', true, undefined, null],
    ['900000', true, '2025-01-21', null],
    ['900000', true, '2025-01-20', 'statements_dated'],
    ['900000', false, '2025-01-20', 'requested_limit'],
    ['1000', true, '2001-01-01', null],
  ])('limit %s, documents %s, dated %s', (requested_limit, hasDocuments, dated, column) => {
    const values = { requested_limit, ...(dated ? { statements_dated: dated } : {}) };
    expect(adviceFor(values, hasDocuments, dates)?.column ?? null).toBe(column);
  });
});
