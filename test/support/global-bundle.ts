export { bundleScripts as default } from './bundle.ts';
