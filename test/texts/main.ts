import { writeCatalogue } from './messages.ts';

writeCatalogue();
