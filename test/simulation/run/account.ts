import { makeKeys } from '../../../src/ledger/schema/keys.ts';

export const SERVICE_URL = 'https://service.example';

/** The account of all worlds, and its keys. */
export const ACCOUNT = SERVICE_URL;
export const KEYS = makeKeys('limitline', ACCOUNT);
