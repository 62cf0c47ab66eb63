/** undici's pool by its own file, which undici describes in one file for all. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
