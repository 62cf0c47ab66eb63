import type { KnownColumn } from '../known-columns.ts';

type Names = Partial<Record<KnownColumn, readonly string[]>>;

/**
 * SAP customer master, by technical names and as shown in lists: tables KNA1 (general), KNKK and UKMBP_CMS_SGM
 * (credit), KNVK (contacts), ADR6 and ADR12 (e-mail, web). Sources: leanx.eu and datapanda.eu, under the table names.
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
 * DATEV Debitoren/Kreditoren (format category 16, 243 fields): `Konto` and fields of `Name (Adressattyp …)`. Sources:
 * help.datev.de, "Debitoren/Kreditoren"; field lists of billwerk and ConAktiv, which write such files.
 */
const DATEV: Names = {
  name: ['Name (Adressattyp Unternehmen)', 'Name (Adressatentyp Unternehmen)'],
  country_code: ['Länderkennzeichen ISO', 'ISO-Land'],
  website: ['Internet'],
  requested_limit: ['Kreditlimit (Debitor)', 'Kreditlimit Debitor in EUR'],
};

/**
 * Dynamics 365: Business Central's table 18, Customer, in English and German (learn.microsoft.com, "Table Customer"),
 * and Finance's data entity CustCustomerV3Entity (same site, "Customers V3"). LCY and MW: the company's own currency.
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
 * NetSuite, customer record, as saved searches and CSV exports name its fields (docs.oracle.com, "Customers Only Import", and the SOAP
 * schema browser's Customer); Sage 50 US, customer list (help.sage50.na.sage.com, "Customer List Fields"); Sage 50 UK and Sage Accounting,
 * customer records (gb-kb.sage.com, "Customer record data fields you can import", "Customers and suppliers file format").
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

/** Short labels in SAP's lists and credit apps, of data elements WAERS and LAND1 among others. */
const SAP_LISTS: Names = {
  name: ['business partner name'],
  country_code: ['LdS'],
  buyer_reference: ['business partner'],
  currency: ['Währg'],
};

/** Dynamics 365 Finance's CustCustomerV3Entity, by the names in its files (learn.microsoft.com, "Customers V3"). */
const DYNAMICS_FILES: Names = {
  name: ['ORGANIZATIONNAME'],
  country_code: ['ADDRESSCOUNTRYREGIONID'],
  city: ['ADDRESSCITY'],
  street: ['ADDRESSSTREET'],
  state: ['ADDRESSSTATE'],
  website: ['PRIMARYURL'],
  contact_email: ['PRIMARYCONTACTEMAIL'],
  buyer_reference: ['CUSTOMERACCOUNT'],
  currency: ['SALESCURRENCYCODE'],
};

/** Xero's exported contacts (central.xero.com, "Import or export contacts"). PO is the postal address. */
const XERO: Names = {
  name: ['ContactName'],
  country_code: ['POCountry'],
  city: ['POCity'],
  street: ['POAddressLine1'],
  state: ['PORegion'],
  company_registration_number: ['CompanyNumber'],
  contact_first_name: ['FirstName'],
  contact_last_name: ['LastName'],
  contact_email: ['EmailAddress'],
};

/** Exact Online's relations, in Dutch (rvvsoftware.nl, "Veldnamen relaties"; support.exactonline.com, "Relaties"). */
const EXACT: Names = {
  name: ['Naam', 'Bedrijfsnaam'],
  country_code: ['Landcode', 'BezoekLand'],
  city: ['Plaats', 'BezoekPlaats'],
  street: ['Adresregel 1', 'BezoekAdres1'],
  company_registration_number: ['KvK-nummer', 'KvK'],
  requested_limit: ['Kredietlimiet', 'Kredietlijn', 'Kredietlijn: Verkoop'],
  buyer_reference: ['Relatiecode', 'Debiteurcode', 'Relatienummer', 'Debiteurnummer'],
  currency: ['Valuta'],
};

/** Odoo's res.partner (odoo.com, "Export and import data") and QuickBooks's customer list (quickbooks.intuit.com). */
const ODOO_AND_QUICKBOOKS: Names = { website: ['website link'], street: ['bill address 1'] };

/** Sage 100 in French, third-party accounts ("Manuel de référence", Structure, Plan tiers). */
const SAGE_FRENCH: Names = {
  name: ['Intitulé', 'Intitulé du compte', 'Intitulé tiers'],
  requested_limit: ['Encours autorisé', 'Encours maximum autorisé', 'Encours max'],
  buyer_reference: ['Numéro compte', 'Numéro de compte tiers', 'Compte tiers', 'Code tiers'],
};

/** Column names in exports of accounting systems. For each list, test/portfolio/exports has an export of at least one of its systems. */
export const SYSTEMS: readonly Names[] = [
  SAP,
  DATEV,
  DYNAMICS,
  NETSUITE_AND_SAGE,
  SAP_LISTS,
  DYNAMICS_FILES,
  XERO,
  EXACT,
  ODOO_AND_QUICKBOOKS,
  SAGE_FRENCH,
];
