import type { Clock } from '#lib/intake/clock.ts'
import { causeByDisposition, dispositionOf } from '#lib/intake/disposition.ts'
import { hangupCauseOf } from '#lib/intake/hangup-cause.ts'
import type { CarrierHints, PartyHints, SwitchCall } from '#lib/intake/record.ts'
import { timesOf } from '#lib/intake/seconds.ts'
import { type Field, firstOf } from '#lib/intake/texts.ts'

/**
 * A call as Asterisk tells it, under the names of its CDR fields (res/cdrel_custom/registry.c, include/asterisk/cdr.h).
 * A call that is transferred or forked makes several records of one unique id, which `sequence` tells apart. A cause is
 * known only where the dialplan keeps one in the record: `Set(CDR(hangupcause)=${HANGUPCAUSE})`.
 */
export function callOfCdr(field: Field, clock: Clock): SwitchCall {
  const { start, duration, billsec } = timesOf(
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
  const [dst, channel] = [field('dst'), field('channel')]
  const device = deviceIn(channel)
  return {
    uniqueid: field('uniqueid'),
    part: field('sequence'),
    start,
    duration,
    billsec,
    src: field('src'),
    dst,
    disposition,
    hangupcause: hangupCauseOf(field('hangupcause')) ?? causeByDisposition(disposition),
    channel,
    party: partyOf(field, { channel, device, dst }),
    provider: { out: carrierOn(field('dstchannel')), in: carrier(channel, device) },
  }
}

/**
 * The name of the device in `PJSIP/2010-0000a4c2` or `IAX2/hotel.branch-1187`, between the technology and a serial number;
 * blank where there is none.
 */
export function deviceIn(channel: string): string {
  const slash = channel.indexOf('/')
  const serial = channel.lastIndexOf('-')
  return slash < 1 || serial <= slash ? '' : channel.slice(slash + 1, serial)
}

/** Whether the name of the device is that of a SIP user: `SIP/`, `PJSIP/`. */
export const isSip = (channel: string): boolean => /^(?:PJ)?SIP\//i.test(channel)

const isAddress = (name: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)

interface From {
  readonly channel: string
  readonly device: string
  readonly dst: string
}

function partyOf(field: Field, { channel, device, dst }: From): PartyHints {
  return {
    accountCode: field('accountcode'),
    device,
    sipUser: isSip(channel) ? device : '',
    did: dst,
    ip: firstOf(field, 'peerip', 'src_ip') || (isAddress(device) ? device : ''),
  }
}

const carrierOn = (channel: string): CarrierHints => carrier(channel, deviceIn(channel))

const carrier = (channel: string, name: string): CarrierHints => ({
  names: name === '' ? NOTHING : [name],
  addresses: isAddress(name) ? [name] : NOTHING,
  channels: channel === '' ? NOTHING : [channel],
})

const NOTHING: readonly string[] = []
