import { describe, expect, test } from 'vitest';
import { isTotalLabel } from '../../src/portfolio/total-words.ts';

describe('isTotalLabel', () => {
  test.each([
    ...[
      'Total',
      'TOTAL',
      'Totals:',
      'Grand Total',
      'Sub-Total',
      'Subtotal EUR',
      'Total (12 customers)',
      'Sum',
      '= Total',
    ],
    ...[
      'Summe',
      'Summe:',
      'Gesamt',
      'Gesamtsumme',
      'Zwischensumme Deutschland',
      'Summe EUR',
      'Summe Debitoren',
      'Übertrag',
    ],
    ...['Totaux', 'Total général', 'TOTAL GENERAL', 'Sous-total', 'Sous-total France', 'Nombre de clients', 'Moyenne'],
    ...['Suma', 'Total general', 'Subtotal España', 'Importe total', 'Número de clientes', 'Suma total'],
    ...['*', '**', 'Σ', '*** Summe ***', 'Totaal', 'Anzahl Kunden', 'Total 1.352', 'U\u0308bertrag', 'à reporter'],
    ...['12 Summe', '1. Total', '- der Kunden: Summe', '(alle) Summe'],
  ])('%s is one', (label) => {
    expect(isTotalLabel(label)).toBe(true);
  });

  test.each([
    ...[
      'Total Energies',
      'TotalEnergies SE',
      'Total Produce plc',
      'Summa Oy',
      'Summit AG',
      'Gesamtverband Steine e.V.',
    ],
    ...[
      'Sumitomo',
      'Alle Achtung GmbH',
      'Nombre Propio SL',
      'Anzahl & Söhne',
      'Acme',
      'Count Dracula Ltd',
      'Übertragungsnetz AG',
    ],
    ...[
      'Averages Ltd',
      'Sousa',
      '',
      ' ',
      'Totalizator Sp. z o.o.',
      'Numero Uno Srl',
      'All Nippon Airways',
      '3M',
      'Sum Total Systems',
    ],
    ...['Über Wasser GmbH', 'ÖBB', 'Ägir & Total', '1. FC Köln', 'A Summit', 'AB Volvo Total'],
    ...['Endress', 'Ensemble Studios', 'Report Verlag', 'Grand Hotel'],
  ])('%j is none', (label) => {
    expect(isTotalLabel(label)).toBe(false);
  });
});
