import { currencyOf } from './currencies.ts';

/**
 * How many decimals amounts of a currency have (ISO 4217, list one), by its code, sign or name; of those that a sign may
 * stand for, the most. Amounts of an unknown one have two, as most do.
 */
export function decimalsOf(currency: string | null | undefined): number {
  const codes = currency ? currencyOf(currency) : null;
  if (!codes) return USUAL_DECIMALS;
  return Math.max(...[...codes].map((code) => DECIMALS.get(code) ?? USUAL_DECIMALS));
}

const USUAL_DECIMALS = 2;

/** Those that do not have two. */
const DECIMALS = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([decimals, codes]) => codes.split(' ').map((code): [string, number] => [code, Number(decimals)])),
);
