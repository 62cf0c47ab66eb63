/** The jobs there are. One that is not in this list does not exist. */

export { exportResults } from './export/export-results.ts';
export { importPortfolio } from './import/import-portfolio.ts';
export { reconcile } from './nightly/reconcile.ts';
export { cancelRows } from './operators/cancel-rows.ts';
export { resolveCalls } from './operators/resolve-calls.ts';
export { retryRows } from './operators/retry-rows.ts';
export { recoverResults } from './recover/recover-results.ts';
export { createCompany } from './steps/create-company.ts';
export { createSupplier } from './steps/create-supplier.ts';
export { submitBuyerLimit } from './steps/submit-buyer-limit.ts';
export { uploadDocuments } from './steps/upload-documents.ts';
