import type { KnownColumn } from '../columns.ts';

type Names = Partial<Record<KnownColumn, readonly string[]>>;

/** SAP's lists and apps, beside the names in `systems.ts`: short labels of data elements WAERS and LAND1, and of the credit apps. */
const SAP_LISTS: Names = {
  name: ['business partner name'],
  country_code: ['LdS'],
  buyer_reference: ['business partner'],
  currency: ['Währg'],
};

/** Dynamics 365 Finance's entity CustCustomerV3Entity as files have it, in one word (learn.microsoft.com, "Customers V3"). */
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

/** Xero, contacts as they are exported and imported (central.xero.com, "Import or export contacts"): PO is the postal address. */
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

/** Exact Online, relaties, by their Dutch names (rvvsoftware.nl, "Veldnamen relaties"; support.exactonline.com, "Relaties"). */
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

/** Odoo, res.partner (odoo.com, "Export and import data"), and QuickBooks, the list of customers (quickbooks.intuit.com). */
const ODOO_AND_QUICKBOOKS: Names = {
  website: ['website link'],
  street: ['bill address 1'],
};

/** Sage 100 in French, comptes tiers ("Manuel de référence", Structure, Plan tiers). */
const SAGE_FRENCH: Names = {
  name: ['Intitulé', 'Intitulé du compte', 'Intitulé tiers'],
  requested_limit: ['Encours autorisé', 'Encours maximum autorisé', 'Encours max'],
  buyer_reference: ['Numéro compte', 'Numéro de compte tiers', 'Compte tiers', 'Code tiers'],
};

/** What accounting systems call our columns, beside those in `systems.ts`; each is held by an export in test/portfolio/exports. */
export const ACCOUNTING: readonly Names[] = [SAP_LISTS, DYNAMICS_FILES, XERO, EXACT, ODOO_AND_QUICKBOOKS, SAGE_FRENCH];
