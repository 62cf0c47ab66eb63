import { describe, expect, test } from 'vitest';
import { groupOf, isTotalLabel } from '../../../src/portfolio/values/total-words.ts';

describe('isTotalLabel', () => {
  // Promise: totals-not-requested
  test.each([
    'Total',
    'TOTAL',
    'Totals:',
    'Grand Total',
    'Sub-Total',
    'Subtotal EUR',
    'Total (12 customers)',
    'Sum',
    '= Total',
    'Summe',
    'Summe:',
    'Gesamt',
    'Gesamtsumme',
    'Zwischensumme Deutschland',
    'Summe EUR',
    'Summe Debitoren',
    'Übertrag',
    'Totaux',
    'Total général',
    'TOTAL GENERAL',
    'Sous-total',
    'Sous-total France',
    'Nombre de clients',
    'Moyenne',
    'Suma',
    'Total general',
    'Subtotal España',
    'Importe total',
    'Número de clientes',
    'Suma total',
    '*',
    '**',
    'Σ',
    '*** Summe ***',
    'Totaal',
    'Anzahl Kunden',
    'Total 1.352',
    'U\u0308bertrag',
    'à reporter',
    '12 Summe',
    '1. Total',
    '- der Kunden: Summe',
    '(alle) Summe',
    'Ergebnis',
    'Gesamtlimit',
    'Gesamt-Kreditlimit',
    'Total requested',
  ])('accepts %s', (label) => {
    expect(isTotalLabel(label)).toBe(true);
  });

  test.each([
    'Total Energies',
    'TotalEnergies SE',
    'Total Produce plc',
    'Summa Oy',
    'Summit AG',
    'Gesamtverband Steine e.V.',
    'Sumitomo',
    'Alle Achtung GmbH',
    'Nombre Propio SL',
    'Anzahl & Söhne',
    'Acme',
    'Count Dracula Ltd',
    'Übertragungsnetz AG',
    'Averages Ltd',
    'Sousa',
    '',
    ' ',
    'Totalizator Sp. z o.o.',
    'Numero Uno Srl',
    'All Nippon Airways',
    '3M',
    'Sum Total Systems',
    'Über Wasser GmbH',
    'ÖBB',
    'Ägir & Total',
    '1. FC Köln',
    'A Summit',
    'AB Volvo Total',
    'Endress',
    'Ensemble Studios',
    'Report Verlag',
    'Grand Hotel',
    'Ergebnis GmbH',
    'Gesamtlimit Beratung',
    'Total Request Ltd',
  ])('rejects %j', (label) => {
    expect(isTotalLabel(label)).toBe(false);
  });
});

describe('groupOf', () => {
  test.each<[string, ReturnType<typeof groupOf>]>([
    ['Acme GmbH Ergebnis', { of: 'Acme GmbH', isSure: true, isBehind: true }],
    ['Acme Ltd - Total:', { of: 'Acme Ltd', isSure: false, isBehind: true }],
    ['Total Österreich', { of: 'Österreich', isSure: false, isBehind: false }],
    ['1001 Summe', { of: '1001', isSure: true, isBehind: true }],
    ['Acme Anzahl', { of: 'Acme', isSure: false, isBehind: true }],
    ['Totalenergies', null],
    ['Acme', null],
    ['Total', null],
    ['', null],
  ])('finds the group of the total %j', (label, group) => {
    expect(groupOf(label)).toEqual(group);
  });
});
