import type { KnownColumn } from '../columns.ts';
import { ACCOUNTING } from './accounting.ts';

type Names = Partial<Record<KnownColumn, readonly string[]>>;

/**
 * SAP, customer master: tables KNA1 (general data), KNKK and UKMBP_CMS_SGM (credit), KNVK (contacts), ADR6 and ADR12 (e-mail,
 * web), by their technical names and as lists show them. Field lists: leanx.eu and datapanda.eu, each under the table's name.
 */
const SAP: Names = {
  name: ['name1', 'name 1', 'name_org1', 'Name 1 Debitor'],
  country_code: ['land1', 'country key', 'country region key', 'Länderkürzel'],
  city: ['ort01', 'city1'],
  street: ['stras', 'street and house number', 'house number and street', 'Straße Hausnr', 'Straße/Hausnummer'],
  state: ['regio'],
  website: ['uri_addr', 'uri_screen', 'knurl'],
  requested_limit: ['klimk', 'klimg', 'credit_limit', 'Kreditlimit Debitor', "customer's credit limit"],
  contact_first_name: ['namev'],
  contact_email: ['smtp_addr'],
  buyer_reference: [
    'kunnr',
    'Debitor-ID',
    'Kunden-ID',
    'sold to party',
    'business partner number',
    'Geschäftspartnernummer',
  ],
  currency: ['waers', 'waerk', 'currency key'],
};

/**
 * DATEV, Debitoren/Kreditoren (format category 16, 243 fields): `Konto` and fields of `Name (Adressattyp …)`; help.datev.de,
 * "Debitoren/Kreditoren", and the field lists of billwerk and ConAktiv, who write such files.
 */
const DATEV: Names = {
  name: ['Name (Adressattyp Unternehmen)', 'Name (Adressatentyp Unternehmen)'],
  country_code: ['Länderkennzeichen ISO', 'ISO-Land'],
  website: ['Internet'],
  requested_limit: ['Kreditlimit (Debitor)', 'Kreditlimit Debitor in EUR'],
};

/**
 * Dynamics 365: Business Central's table 18, Customer, in English and German (learn.microsoft.com, "Table Customer"), and
 * Finance's data entity CustCustomerV3Entity (the same site, "Customers V3"). LCY and MW are the company's own currency.
 */
const DYNAMICS: Names = {
  name: ['organization name', 'customer organization name', 'display name'],
  country_code: [
    'country/region code',
    'country/region',
    'Länder-/Regionscode',
    'Land/Region',
    'address country region id',
  ],
  city: ['address city'],
  street: ['address street', 'primary address street'],
  state: ['address state', 'state or province'],
  website: ['home page', 'primary url', 'Homepage'],
  company_registration_number: ['registration number', 'Handelsregister Nr.', 'chamber of commerce number'],
  requested_limit: ['credit limit (lcy)', 'Kreditlimit (MW)', 'credit limit amount'],
  contact_email: ['primary contact email', 'e-mail address'],
  buyer_reference: ['customer account', 'customer account number', 'Debitorenkonto', 'custtable accountnum'],
  currency: ['sales currency code', 'customer currency'],
};

/**
 * NetSuite, customer record, as saved searches and CSV exports name its fields (docs.oracle.com, "Customers Only Import", and
 * the SOAP schema browser's Customer); Sage 50 US, customer list (help.sage50.na.sage.com, "Customer List Fields"); Sage 50 UK
 * and Sage Accounting, customer records (gb-kb.sage.com, "Customer record data fields you can import", "Customers and
 * suppliers file format").
 */
const NETSUITE_AND_SAGE: Names = {
  name: ['companyname', 'addressee'],
  country_code: ['billing country code', 'bill to country', 'main address country', 'ISO-Ländercode'],
  city: ['bill to city', 'main address town'],
  street: [
    'billing address 1',
    'bill to address line one',
    'main address line 1',
    'billaddress1',
    'address 1',
    'street 1',
  ],
  state: ['billing state/province', 'state/province', 'bill to state', 'main address county'],
  website: ['web address', 'webaddress', 'customer web site', 'web site address'],
  requested_limit: ['creditlimit'],
  contact_first_name: ['bill to contact first name'],
  contact_last_name: ['bill to contact last name'],
  contact_email: ['main contact email', 'customer e-mail', 'email 1'],
  buyer_reference: ['entity id', 'entityid', 'a/c', 'a/c ref', 'account reference', 'customer record id'],
  currency: ['primary currency', 'currency iso code'],
};

/** What exports of accounting systems call our columns, each system with its source. */
export const SYSTEMS: readonly Names[] = [SAP, DATEV, DYNAMICS, NETSUITE_AND_SAGE, ...ACCOUNTING];
