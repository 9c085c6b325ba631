import { BLANK_CALL, type CallRow } from '#lib/calls/call.ts'
import type { Cdr, Problem } from '#lib/cdrs/formats/cdr.ts'
import { type CdrVersion, contentDigest, type ResolvedVersion } from '#lib/cdrs/mediation.ts'

// Versions of calls, for decisions that need no table.

const CARRIER = { names: [], addresses: [], channels: [] }

/** A CDR of a call of Bob, of a minute. */
export const BOBS_CDR: Cdr = {
  uniqueid: 'u1',
  part: '',
  start: Date.UTC(2026, 2, 10, 9) / 1000,
  src: '37060000001',
  dst: '12025550171',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  hangupcause: 16,
  channel: '',
  party: { accountCode: 'bob', device: '', sipUser: '', did: '', ip: '' },
  provider: { out: CARRIER, in: CARRIER },
}

/** The version of a call that a CDR like Bob's makes. Its customer has the id 10. */
export function version(change: Partial<Cdr> = {}, resolved: Partial<CallRow> | Problem = {}): CdrVersion {
  const open = openVersion(change)
  return { ...open, resolved: 'reason' in resolved ? resolved : { ...open.resolved, ...resolved } }
}

export function openVersion(change: Partial<Cdr> = {}, columns: Partial<CallRow> = {}): ResolvedVersion {
  const cdr = { ...BOBS_CDR, ...change }
  const { uniqueid, start: calldate, src, dst, duration, billsec, disposition, hangupcause } = cdr
  const ofCdr = { uniqueid, calldate, src, dst, duration, billsec, disposition, hangupcause }
  const row: CallRow = { ...BLANK_CALL, source: 'gw', user_id: 0, ...ofCdr, ...columns }
  return {
    source: 'gw',
    cdr,
    idNames: 'call',
    content: contentDigest(cdr),
    row,
    resolved: { ...row, user_id: 10 },
  }
}
