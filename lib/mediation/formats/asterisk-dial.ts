import { isPhoneNumber, isSameNumber } from './called-number.ts'
import type { Field } from './fields.ts'

/** The called number of an Asterisk CDR. */
interface Dialled {
  readonly dst: string
  /** What the caller had reached before a trunk was called with another number; blank for the number that was dialled. */
  readonly reached: string
}

/**
 * The number that a call is rated by: the one that Dial called a trunk with, if `lastdata` names it and it is not the one that
 * was dialled. `dst` is the extension of the dialplan, such as a DID that is forwarded.
 */
export function dialledNumber(field: Field): Dialled {
  const dst = field('dst')
  const called =
    field('lastapp') === 'Dial' ? calledOnTrunk(field('lastdata'), field('dstchannel')) : undefined
  if (called === undefined || isSameNumber(dst, called, true)) return { dst, reached: '' }
  return { dst: called, reached: dst }
}

/** `PJSIP/442079460000@potomac&SIP/thames/442079460000,60,g`: of several targets, the channel was one. */
function calledOnTrunk(dialString: string, channel: string): string | undefined {
  const [resources = ''] = dialString.split(',')
  const targets = resources.split('&').map(targetOf)
  return targets.find((target) => target.number !== '' && isChannelOf(channel, target))?.number
}

interface Target {
  readonly technology: string
  readonly peer: string
  readonly number: string
}

/**
 * The technology, the peer and the number of a target of Dial: `PJSIP/NUMBER@PEER`, `PJSIP/PEER/sip:NUMBER@HOST`,
 * `SIP/PEER/NUMBER`, `SIP/NUMBER@PEER`, `IAX2/USER@PEER/NUMBER`, `DAHDI/g1/NUMBER`.
 */
function targetOf(resource: string): Target {
  const [technology = '', first = '', second] = resource.split('/')
  const [before, peer] = splitAt(first)
  const number = (second ?? before).replace(/^sips?:/, '').replace(/@.*$/, '')
  return { technology, peer, number: isPhoneNumber(number) ? number : '' }
}

/** `NUMBER@PEER` in its two parts; without `@`, there is no number. */
function splitAt(target: string): [number: string, peer: string] {
  const [first = '', peer] = target.split('@')
  return peer === undefined ? ['', first] : [first, peer]
}

/** The channels of a DAHDI group have the names of its lines. The call behind a Local channel has a CDR of its own. */
const isChannelOf = (channel: string, { technology, peer }: Target): boolean =>
  channel.startsWith(technology === 'DAHDI' ? 'DAHDI/' : `${technology}/${peer}-`)
