import { createCompany } from './steps/create-company.ts';
import { createSupplier } from './steps/create-supplier.ts';
import { submitBuyerLimit } from './steps/submit-buyer-limit.ts';
import { uploadDocuments } from './steps/upload-documents.ts';

/** The jobs of the queues, in the order in which a row meets them. One that is not in this list is run by nobody. */
export const JOBS = [createSupplier, createCompany, uploadDocuments, submitBuyerLimit] as const;

export { exportResults } from './export/export-results.ts';
export { importPortfolio } from './import/import-portfolio.ts';
export { reconcile } from './nightly/reconcile.ts';
export { cancelRows } from './operators/cancel-rows.ts';
export { resolveCalls } from './operators/resolve-calls.ts';
export { retryRows } from './operators/retry-rows.ts';
export { recoverResults } from './recover/recover-results.ts';
