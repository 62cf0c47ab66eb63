-- Included by the scripts that change a row, and called when all else of it is written: what a portfolio's rows add up to.
-- A row remembers in `tally` what it adds; that is taken off, and what it adds as it is now is put on. So whatever moved the
-- row, and however often a script runs, the sums are those of the rows; one of an older ledger enters at its first change.
-- `tally` is "<side>|<bucket>|<requested>", or with "|<granted>|<available>|<share>|<cause>|<status>" behind it. A bucket is a
-- state, or "replaced", a share is shareOf (amounts.lua). Amounts are decimal text, "" for none, "?" for one that cannot be read:
-- it is counted, and in no sum.
-- A portfolio's sums are two hashes, of side "a" and "b": reconcile moves the rows from one to the other, and what then is left
-- over is what was wrong. The field `sum:<name>:<k>` holds units of 10^(10k - 2), so that most amounts are one integer, and
-- exact at any size; it is no limb of fixed digits, and is carried when it is read (sums.ts). No field is kept at zero.
-- Scripts that seldom come to this have none of its functions made when they do not: they stand within this one.
local function tallyRow(portfolio, row, key, requested)
-- @include tally-row
  return retallyRow(portfolio, row, key, requested)
end
