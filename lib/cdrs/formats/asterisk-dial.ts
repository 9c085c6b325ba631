import { isPhoneNumber, isSameNumber } from './called-number.ts'
import type { Cdr } from './cdr.ts'
import type { Field } from './fields.ts'

interface Dialled {
  readonly dst: string
  /** The extension reached before a trunk was called with another number; blank for the dialled number. */
  readonly reached: string
  /** The number with which Dial called a trunk. */
  readonly carrierDst?: string | undefined
}

/**
 * The number that rates a call: the one that Dial called a trunk with, if `lastdata` names it and it is not
 * the dialled one. `dst` is the extension of the dialplan, such as a forwarded DID.
 */
export function dialledNumber(field: Field): Dialled {
  const dst = field('dst')
  const targets = field('lastapp') === 'Dial' ? targetsOf(field('lastdata')) : []
  const ofChannel = targets.filter((one) => isChannelOf(field('dstchannel'), one))
  const called = ofChannel.find((one) => one.number !== '')
  const carrierDst = called?.number ?? ofChannel.find(({ text }) => text !== '')?.text
  if (!called || isSameNumber(dst, called.number, true)) return { dst, reached: '', carrierDst }
  return { dst: called.number, reached: dst, carrierDst }
}

/** The peer that Dial called itself, without a number on it: a phone, if the peer is a device. */
export function dialledPeer(field: Field): string | undefined {
  const channel = field('dstchannel')
  if (field('lastapp') !== 'Dial' || !isNamedByPeer(channel)) return undefined
  const target = targetsOf(field('lastdata')).find((one) => isChannelOf(channel, one))
  return target?.number === '' ? target.peer : undefined
}

/** `PJSIP/442079460000@potomac&SIP/thames/442079460000,60,g`: targets, then timeout and options. */
const targetsOf = (dialString: string): Target[] => dialString.replace(/,.*/s, '').split('&').map(targetOf)

/**
 * The sides of a CDR whose channel another call has dialled. A transfer joins channels of two calls, and
 * makes a CDR of them (main/cdr.c): Dial named other channels than `dstchannel`; AppDial is the application
 * of a channel that was dialled; and the linked id of such a channel is that of the channel that dialled it.
 */
export function transferredSides(field: Field): Pick<Cdr, 'transferred'> {
  const [uniqueid, linkedid] = [field('uniqueid'), field('linkedid')]
  const isDialled = field('lastapp') === 'AppDial'
  const out = isDialled || (field('lastapp') === 'Dial' && isOfOtherDial(field))
  const isIn = isDialled || (linkedid !== '' && linkedid !== uniqueid)
  return out || isIn ? { transferred: { out, in: isIn } } : {}
}

/** The technologies whose channels have the names of their peers. */
const NAMED_BY_PEER = new Set(['PJSIP', 'SIP', 'IAX2'])

export const isNamedByPeer = (channel: string): boolean => NAMED_BY_PEER.has(channel.replace(/\/.*/s, ''))

/** A Local channel that is optimised away leaves the channel that follows it, which Dial does not name. */
function isOfOtherDial(field: Field): boolean {
  const channel = field('dstchannel')
  const targets = targetsOf(field('lastdata'))
  const areNamed = [channel, ...targets.map(({ technology }) => technology)].every(isNamedByPeer)
  return areNamed && !targets.some((target) => isChannelOf(channel, target))
}

interface Target {
  readonly technology: string
  readonly peer: string
  readonly number: string
  /** The number as it is written, such as `1234#442079460000`. */
  readonly text: string
}

/**
 * Technology, peer and number of a target of Dial: `PJSIP/NUMBER@PEER`, `PJSIP/PEER/sip:NUMBER@HOST`,
 * `SIP/PEER/NUMBER`, `SIP/NUMBER@PEER`, `IAX2/USER@PEER/NUMBER`, `DAHDI/g1/NUMBER`.
 */
function targetOf(resource: string): Target {
  const [technology = '', target = '', second] = resource.split('/')
  const [peer = '', before = ''] = target.split('@').reverse()
  const text = (second ?? before).replace(/^sips?:/, '').replace(/@.*/, '')
  return { technology, peer, text, number: isPhoneNumber(text) ? text : '' }
}

/** The channels of a DAHDI group have the names of its lines. The call of a Local channel has its own CDR. */
const isChannelOf = (channel: string, { technology, peer }: Target): boolean =>
  channel.startsWith(technology === 'DAHDI' ? 'DAHDI/' : `${technology}/${peer}-`)
