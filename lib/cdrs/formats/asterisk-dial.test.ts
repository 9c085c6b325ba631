import { expect, test } from 'vitest'
import { cdrsIn, parserFor } from '#test/mediation/switch-documents.ts'

const read = parserFor({ format: 'asterisk-json', source: 'pbx', zone: 'UTC' })

const X = '442079460000'
const DID = '12025550100'

/** A CDR as Asterisk writes it. */
const cdrOf = (change: Readonly<Record<string, string>>) => {
  const uniqueid = '1773136800.9'
  const call = { start: '2026-03-10 10:00:00', billsec: 60, duration: 60, disposition: 'ANSWERED' }
  return cdrsIn(
    read(JSON.stringify({ ...call, uniqueid, linkedid: uniqueid, lastapp: 'Dial', ...change })),
  )[0]
}

test.each([
  [`PJSIP/${X}@potomac,60`, 'PJSIP/potomac-0000c000'],
  [`PJSIP/potomac/sip:${X}@192.0.2.200`, 'PJSIP/potomac-0000c000'],
  [`PJSIP/potomac/sips:${X}@192.0.2.200`, 'PJSIP/potomac-0000c000'],
  [`SIP/potomac/${X},30,g`, 'SIP/potomac-0000c000'],
  [`SIP/${X}@192.0.2.200`, 'SIP/192.0.2.200-0000c000'],
  [`IAX2/us@potomac/${X}@out`, 'IAX2/potomac-1187'],
  [`DAHDI/g1/${X}`, 'DAHDI/i1/442079460000-4'],
  [`PJSIP/1002&PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
])('%s on %s called another number than the DID', (lastdata, dstchannel) => {
  expect(cdrOf({ dst: DID, lastdata, dstchannel })).toMatchObject({ dst: X, party: { reached: DID } })
})

test.each([
  [DID, 'PJSIP/1002,20', 'PJSIP/1002-00000001'],
  [DID, `PJSIP/1002&PJSIP/${X}@potomac`, 'PJSIP/1002-00000001'],
  [DID, `DAHDI/g1/${X}&PJSIP/1002`, 'PJSIP/1002-00000001'],
  [DID, 'PJSIP/1002@pbx', 'PJSIP/pbx-00000001'],
  [DID, `Local/${X}@out/n`, 'Local/442079460000@out-00000001;1'],
  [DID, '', ''],
  ['02079460000', `PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
  ['9442079460000', `PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
  [X, `PJSIP/7781${X}@potomac`, 'PJSIP/potomac-0000c000'],
])('%s stays for %s on %s', (dst, lastdata, dstchannel) => {
  const cdr = cdrOf({ dst, lastdata, dstchannel })
  expect([cdr?.dst, cdr?.party.reached]).toEqual([dst, undefined])
})

test('another application than Dial calls no number and no peer', () => {
  const toCarrier = {
    dst: DID,
    lastapp: 'Queue',
    lastdata: `PJSIP/${X}@potomac`,
    dstchannel: 'PJSIP/potomac-1',
  }
  const toPhone = { dst: DID, lastapp: 'Queue', lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/1003-1' }
  expect(cdrOf(toCarrier)?.dst).toBe(DID)
  expect(cdrOf(toPhone)?.dialledPeer).toBeUndefined()
})

test.each([
  ['PJSIP/1003,20', 'PJSIP/1003-00000009', '1003'],
  ['SIP/1003', 'SIP/1003-00000009', '1003'],
  ['IAX2/1003', 'IAX2/1003-1187', '1003'],
  ['PJSIP/1002&PJSIP/1003,20,g', 'PJSIP/1003-00000009', '1003'],
  [`PJSIP/1003&PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000', undefined],
  ['DAHDI/4', 'DAHDI/4-1', undefined],
  ['Local/1003@internal/n', 'Local/1003@internal-00000001;1', undefined],
  ['PJSIP/1003', 'PJSIP/1004-00000009', undefined],
])('Dial(%s) that reached %s called the peer %s', (lastdata, dstchannel, peer) => {
  expect(cdrOf({ dst: '1003', lastdata, dstchannel })?.dialledPeer).toBe(peer)
})

const OF_OTHER_CALL = '1773136800.8'

test('a CDR has the linked id of its call', () => {
  expect(cdrOf({ linkedid: OF_OTHER_CALL })?.linkedid).toBe(OF_OTHER_CALL)
})

/** The sides of a CDR that may have the rest of a call that was transferred. */
test.each([
  ['a channel that Dial named', { lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/1003-1' }, undefined],
  ['one of several that Dial named', { lastdata: 'SIP/a&SIP/b', dstchannel: 'SIP/b-1' }, undefined],
  ['a channel that Dial did not name', { lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/potomac-1' }, 'out'],
  ['a phone that Dial did not name', { lastdata: `IAX2/p/${X}`, dstchannel: 'SIP/1003-1' }, 'out'],
  [
    'what is behind a Local channel',
    { lastdata: `Local/${X}@out`, dstchannel: 'PJSIP/potomac-1' },
    undefined,
  ],
  [
    'what may be behind a Local channel',
    { lastdata: `PJSIP/1003&Local/${X}@out`, dstchannel: 'PJSIP/potomac-1' },
    undefined,
  ],
  ['a line', { lastdata: 'PJSIP/1003', dstchannel: 'DAHDI/i1/442079460000-4' }, undefined],
  ['a phone of a group', { lastapp: 'Page', lastdata: 'SIP/a&SIP/b', dstchannel: 'SIP/c-1' }, undefined],
  ['an agent', { lastapp: 'Queue', lastdata: 'support', dstchannel: 'PJSIP/1003-1' }, undefined],
  ['a channel that was dialled', { lastapp: 'AppDial', lastdata: '(Outgoing Line)', linkedid: '' }, 'out in'],
  [
    'the channel of another call',
    { lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/1003-1', linkedid: OF_OTHER_CALL },
    'in',
  ],
  [
    'no other channel, without linkedid',
    { lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/1003-1', linkedid: '' },
    undefined,
  ],
])('a CDR of a channel and %s', (_what, change, sides) => {
  const transferred = sides && { out: sides.includes('out'), in: sides.includes('in') }
  expect(cdrOf({ dst: '1003', ...change })?.transferred).toEqual(transferred)
})
