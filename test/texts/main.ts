import { messagesOfSources } from './messages.ts';

console.log(JSON.stringify(messagesOfSources(), null, 2));
