/** Types for undici's pool in its own file: undici declares them only for the whole package. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
