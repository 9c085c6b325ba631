import type { Clock } from '#lib/intake/clock.ts'
import { causeByDisposition, dispositionOf } from '#lib/intake/disposition.ts'
import { hangupCauseOf } from '#lib/intake/hangup-cause.ts'
import type { CarrierHints, PartyHints, SwitchCall } from '#lib/intake/record.ts'
import { timesOf } from '#lib/intake/seconds.ts'
import { type Field, firstOf, said } from '#lib/intake/texts.ts'

/**
 * A call as Asterisk tells it, under the names of its CDR fields (res/cdrel_custom/registry.c, include/asterisk/cdr.h).
 * A call that is transferred or forked makes several records of one unique id, which `sequence` tells apart. A cause is
 * known only where the dialplan keeps one in the record: `Set(CDR(hangupcause)=${HANGUPCAUSE})`.
 */
export function callOfCdr(field: Field, clock: Clock): SwitchCall {
  const { isAnswered, ...times } = timesOf(
    {
      start: firstOf(field, 'start', 'calldate'),
      answer: field('answer'),
      end: field('end'),
      duration: field('duration'),
      billsec: field('billsec'),
    },
    clock,
  )
  const disposition = dispositionOf(field('disposition'))
  const from = channelIn(field('channel'))
  return {
    uniqueid: field('uniqueid'),
    part: field('sequence'),
    ...times,
    src: field('src'),
    dst: field('dst'),
    disposition,
    hangupcause: hangupCauseOf(field('hangupcause')) ?? causeByDisposition(disposition),
    channel: field('channel'),
    party: partyOf(field, from),
    provider: { out: carrierOn(field('dstchannel')), in: carrierOn(field('channel')) },
  }
}

interface Channel {
  readonly technology: string
  readonly name: string
}

/** `PJSIP/2010-0000a4c2`, `IAX2/hotel.branch-1187`: a technology, the name of the device, and a serial number. */
export function channelIn(text: string): Channel {
  const [slash, serial] = [text.indexOf('/'), text.lastIndexOf('-')]
  if (slash < 1 || serial <= slash) return { technology: '', name: '' }
  return { technology: text.slice(0, slash).toUpperCase(), name: text.slice(slash + 1, serial) }
}

const isAddress = (name: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(name)

function partyOf(field: Field, { technology, name }: Channel): PartyHints {
  return {
    accountCode: field('accountcode'),
    device: name,
    sipUser: technology.endsWith('SIP') ? name : '',
    did: field('dst'),
    ip: firstOf(field, 'peerip', 'src_ip') || (isAddress(name) ? name : ''),
  }
}

function carrierOn(channel: string): CarrierHints {
  const names = said(channelIn(channel).name)
  return { names, addresses: names.filter(isAddress), channels: said(channel) }
}
