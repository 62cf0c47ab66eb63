/** Without case, accents and signs: `Straße`, `STRASSE` and `strasse` are alike. '' where nothing is left. */
export function likeness(name: string): string {
  // A header may have hundreds of thousands of columns without a name.
  if (name === '') return '';
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

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
