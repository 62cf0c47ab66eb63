/** The jobs there are. One that is not in this list does not exist. */
export { createCompany } from './create-company.ts';
export { createSupplier } from './create-supplier.ts';
export { exportResults } from './export-results.ts';
export { importPortfolio } from './import-portfolio.ts';
export { submitBuyerLimit } from './submit-buyer-limit.ts';
export { uploadDocuments } from './upload-documents.ts';
