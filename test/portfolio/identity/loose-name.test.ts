import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barerName, looseName } from '../../../src/portfolio/identity/loose-name.ts';

// Promise: two-buyers-one-number
test.each([
  ['Müller Stahl GmbH', 'MUELLER STAHL G.m.b.H.'],
  ['Müller Stahl GmbH', 'Muller-Stahl'],
  ['Müller Stahl GmbH', 'Müller Stahl Gesellschaft mbH'],
  ['Müller Stahl GmbH', 'Müller Stahl Ges.m.b.H.'],
  ['Müller Stahl GmbH', 'Müller Stahl GesmbH'],
  ['Groß & Söhne GmbH & Co. KG', 'Gross & Soehne GmbH und Co KG'],
  ['Kleine Werkstatt UG (haftungsbeschränkt)', 'Kleine Werkstatt UG'],
  ['Anna Berg e.K.', 'Anna Berg eK'],
  ['Acme Ltd.', 'ACME Limited'],
  ['Acme, L.L.C.', 'Acme LLC'],
  ['Acme Inc.', 'Acme Corp'],
  ['Café Élysée S.A.R.L.', 'Cafe Elysee SARL'],
  ['Ejemplo, S.L.', 'Ejemplo SL'],
  ['Esempio S.p.A.', 'Esempio SpA'],
  ['Voorbeeld B.V.', 'Voorbeeld BV'],
  ['Przykład Sp. z o.o.', 'Przyklad sp.z o.o.'],
  ['Příklad s.r.o.', 'Priklad, s. r. o.'],
  ['Példa Kft.', 'Pelda KFT'],
  ['Eksempel A/S', 'Eksempel AS'],
  ['Esimerkki Oy', 'Esimerkki'],
])('%s and %s are one name', (one, other) => {
  expect(looseName(one)).toBe(looseName(other));
});

test.each([
  ['Müller Stahl GmbH', 'Schmidt Blumen GmbH'],
  ['AS Roma', 'Roma'],
  ['GmbH', 'AG'],
  ['Nord AG', 'Süd AG'],
  ['Werk 1 GmbH', 'Werk 2 GmbH'],
  ['東京商事', '大阪商事'],
])('%s and %s are two names', (one, other) => {
  expect(looseName(one)).not.toBe(looseName(other));
});

test.each([
  ['Drossel & Fink GmbH', 'Drossel und Fink GmbH'],
  ['López & Hijos SL', 'López y Hijos S.L.'],
  ['Kranich Air GmbH', 'Fa. Kranich Air GmbH'],
  ['Raven Group Ltd', 'The Raven Group Ltd'],
  ['Habicht Holz GmbH', 'Habicht Holz GmbH i.L.'],
  ['Habicht Holz GmbH', 'Habicht Holz GmbH in Liquidation'],
  ['Falke Textil GmbH', 'Falke Textil GmbH Filiale Köln Süd'],
  ['Lerche Musik e.K.', 'Lerche Musik, Inh. Hans Lerche e.K.'],
  ['Zebra Druck sp. z o.o.', 'Zebra Druck spółka z ograniczoną odpowiedzialnością'],
])('%s is the loose name of %s without the words that people leave out', (one, other) => {
  expect(barerName(one) ?? looseName(one)).toBe(looseName(one));
  expect(barerName(other)).toBe(looseName(one));
});

test.each(['Müller Stahl GmbH', 'Und AG', 'The', 'Filiale', 'Sandwich & Co. KG', 'Thea Firmament'])(
  '%s has no words that people leave out',
  (name) => {
    expect(barerName(name)).toBeUndefined();
  },
);

test('Western letters are read in the same way with and without other letters beside them', () => {
  const western = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
  // A dash from elsewhere in Unicode only separates words, but has the name read by rules instead of by a table.
  fc.assert(
    fc.property(western, (name) => {
      expect(looseName(`${name} \u2014`)).toBe(looseName(name));
    }),
  );
});
