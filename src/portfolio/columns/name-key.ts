import { likeness } from '../../likeness.ts';

/**
 * The likeness in which `Kunden-Nr.`, `Kundennr` and `Kundennummer` are one, and `Customer No.`, `Customer #` and `customer
 * number`: all ways to write "number", with or without a space before it.
 */
export function nameKey(name: string): string {
  return likeness(name.replace(/#|№|[nN][°º]\.?/gu, ' nr '))
    .replace(/\b(?:no|num|nbr|number|numero|nummer)\b/g, 'nr')
    .replace(/nummer\b/g, 'nr')
    .replace(/(?<=\S) nr\b/g, 'nr');
}
