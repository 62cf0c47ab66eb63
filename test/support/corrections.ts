import { parse } from 'csv-parse/sync';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { exportedText } from './exported.ts';
import { openWorkplace } from './workplace.ts';

/** The header of {@link acme} and {@link zinc}. */
export const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
/** A file of these lines. */
export const asking = (...lines: string[]) => [HEADER, ...lines];
/** Lines of two buyers. */
export const acme = (amount: number, reference = '') => `Acme AG,DE,HRB 1,${reference},${amount}`;
export const zinc = (amount: number) => `Zinc AG,DE,HRB 2,,${amount}`;

/** A workplace whose files ask for limits of these buyers, at a service that refuses limits with `refusing` in them, or has other faults. */
export async function openCorrections(refusing: string | NonNullable<FaultChange['rules']> = '') {
  const refused = { on: 'limit', match: String(refusing), fault: 'status', status: 422 } as const;
  const rules = typeof refusing !== 'string' ? refusing : refusing === '' ? [] : [refused];
  const place = await openWorkplace({ faults: { rules } });
  return {
    ...place,
    importLines: (...lines: string[]) => place.import(asking(...lines)),
    results: async (): Promise<Record<string, string>[]> => parse(await exportedText(place.context), { columns: true }),
    errors: () => exportedText(place.context, { only: 'errors' }),
    /** What was requested of the service, in any order. */
    requested: () =>
      place.standIn
        .things('limit')
        .map(({ body }) => Number(Object(body).requested_limit))
        .sort((a, b) => a - b),
  };
}
