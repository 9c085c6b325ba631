import { readFileSync } from 'node:fs'
import type { Cdr, DialogEvent, Found, LiveEvent, ParsedCdr } from '#lib/cdrs/formats/cdr.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { parse } from '#lib/cdrs/formats/parse.ts'

/** A document of the demo operator's switches. */
export const demoDocument = (name: string): string => readFileSync(`data/switches/${name}`, 'utf8')

/** A CDR of Bob's phone, as cdr_custom of Asterisk writes it. */
export const asteriskCdr = {
  clid: '"Bob" <37000001>',
  src: '37000001',
  dst: '442079460000',
  channel: 'PJSIP/bobs-phone-00000001',
  dstchannel: 'PJSIP/thames-00000002',
  start: '2026-03-10 10:00:00',
  answer: '2026-03-10 10:00:10',
  end: '2026-03-10 10:01:10',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  accountcode: '',
  uniqueid: '1773136800.1',
}

/** The CDR of an answered A-leg of FreeSWITCH, which its JSON and its XML give alike. */
export const freeswitchLeg = {
  duration: 191,
  billsec: 184,
  src: '12025550130',
  dst: '12025550171',
  disposition: 'ANSWERED',
  hangupcause: 16,
  channel: 'sofia/internal/2010@sip.example.net',
}

/** An event of FreeSWITCH about a call of Bob's phone. The time is in Unix seconds. */
export const liveEvent = (name: string, at: number, change: object = {}) => ({
  'Event-Name': `CHANNEL_${name}`,
  'Event-Date-Timestamp': String(at * 1_000_000),
  'Call-Direction': 'inbound',
  'Unique-ID': 'u1',
  'Channel-Name': 'sofia/internal/bobs-phone',
  'Caller-Caller-ID-Number': '37000001',
  'Caller-Destination-Number': '442079460000',
  variable_sip_auth_username: 'bobs-phone',
  ...change,
})

/** Parses documents of one switch. */
export const parserFor =
  (origin: Omit<CdrDocument, 'text'>) =>
  (text: string, change: Partial<CdrDocument> = {}): ParsedCdr[] => [...parse({ ...origin, text, ...change })]

export const foundIn = (parsed: readonly ParsedCdr[]): Found[] => parsed.map(({ found }) => found)

export const textsIn = (parsed: readonly ParsedCdr[]): string[] => parsed.map(({ text }) => text())

export const cdrsIn = (parsed: readonly ParsedCdr[]): Cdr[] =>
  foundIn(parsed).flatMap((found) => (found.kind === 'cdr' ? [found.cdr] : []))

export const dialogEventsIn = (parsed: readonly ParsedCdr[]): DialogEvent[] =>
  foundIn(parsed).flatMap((found) => (found.kind === 'dialog_event' ? [found.event] : []))

export const liveEventsIn = (parsed: readonly ParsedCdr[]): LiveEvent[] =>
  foundIn(parsed).flatMap((found) => (found.kind === 'live_event' ? [found.event] : []))

export const utc = (text: string): number => Date.parse(`${text}Z`) / 1000
