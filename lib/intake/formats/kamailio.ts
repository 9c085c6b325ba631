import type { Clock } from '#lib/intake/clock.ts'
import { DocumentRefused, type Half, type PartyHints } from '#lib/intake/record.ts'
import { type Field, firstOf, said } from '#lib/intake/texts.ts'

/** Replies that ask for a password: the request comes again with one. */
const CHALLENGES = new Set([401, 407])

/**
 * A transaction that Kamailio's acc module reports: one end of a call, or nothing that is billed (an ACK, a CANCEL whose
 * INVITE is reported as 487, a message). The fields are the fixed ones of acc (src/modules/acc/README) and, as
 * kamailio.cfg has them in its `db_extra`, src_user, src_ip, dst_user and dst_ouser; besides, where the operator adds
 * them, auth_user (`$au`), accountcode, provider and dst_ip. The number that is billed is that of the request line
 * (dst_user): To is only what the caller wrote there.
 */
export function halfOf(field: Field, clock: Clock): Half | undefined {
  const method = field('method')
  if (method === '') throw new DocumentRefused('not of its format', 'it has no method')
  const sipStatus = statusIn(field('sip_code'))
  const tells = whatItTells(method.toUpperCase(), sipStatus)
  if (tells === undefined) return undefined
  const [callId, at] = [field('callid'), clock(field('time'))]
  if (callId === '') throw new DocumentRefused('not of its format', 'it has no Call-ID')
  if (at === undefined) throw new DocumentRefused('impossible time', 'it has no time')
  return {
    tells,
    callId,
    tags: [field('from_tag'), field('to_tag')],
    at,
    sipStatus,
    src: field('src_user'),
    dst: firstOf(field, 'dst_user', 'dst_ouser'),
    party: partyOf(field),
    provider: {
      out: {
        names: said(field('provider')),
        addresses: said(field('dst_ip'), field('dst_domain')),
        channels: [],
      },
      in: { names: [], addresses: said(field('src_ip')), channels: [] },
    },
  }
}

function whatItTells(method: string, status: number): Half['tells'] | undefined {
  if (CHALLENGES.has(status)) return undefined
  if (method === 'BYE') return 'ended'
  if (method !== 'INVITE') return undefined
  return status < 300 ? 'answered' : 'failed'
}

function statusIn(text: string): number {
  if (/^[1-6]\d\d$/.test(text)) return Number(text)
  throw new DocumentRefused('not of its format', `${JSON.stringify(text)} is not a SIP status`)
}

/** `src_user` is the one who was let in because kamailio.cfg compares both: `auth_check("$fd", "subscriber", "1")`. */
function partyOf(field: Field): PartyHints {
  const user = firstOf(field, 'auth_user', 'src_user')
  return {
    accountCode: field('accountcode'),
    device: user,
    sipUser: user,
    did: firstOf(field, 'dst_ouser', 'dst_user'),
    ip: field('src_ip'),
  }
}
