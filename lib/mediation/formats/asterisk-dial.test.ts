import { expect, test } from 'vitest'
import { dialledNumber } from './asterisk-dial.ts'

const X = '442079460000'
const [did, abroad] = ['12025550100', { dst: X, reached: '12025550100' }]

const dialled = (dst: string, lastdata: string, dstchannel: string, lastapp = 'Dial') => {
  const fields = new Map(Object.entries({ dst, lastdata, dstchannel, lastapp }))
  return dialledNumber((name) => fields.get(name) ?? '')
}

test.each([
  [`PJSIP/${X}@potomac,60`, 'PJSIP/potomac-0000c000'],
  [`PJSIP/potomac/sip:${X}@192.0.2.200`, 'PJSIP/potomac-0000c000'],
  [`SIP/potomac/${X},30,g`, 'SIP/potomac-0000c000'],
  [`SIP/${X}@192.0.2.200`, 'SIP/192.0.2.200-0000c000'],
  [`IAX2/us@potomac/${X}@out`, 'IAX2/potomac-1187'],
  [`DAHDI/g1/${X}`, 'DAHDI/i1/442079460000-4'],
  [`PJSIP/1002&PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
])('%s on %s called another number than the DID', (lastdata, dstchannel) => {
  expect(dialled(did, lastdata, dstchannel)).toEqual(abroad)
})

test.each([
  [did, 'PJSIP/1002,20', 'PJSIP/1002-00000001'],
  [did, `PJSIP/1002&PJSIP/${X}@potomac`, 'PJSIP/1002-00000001'],
  [did, 'PJSIP/1002@pbx', 'PJSIP/pbx-00000001'],
  [did, `Local/${X}@out/n`, 'Local/442079460000@out-00000001;1'],
  [did, '', ''],
  ['02079460000', `PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
  ['9442079460000', `PJSIP/${X}@potomac`, 'PJSIP/potomac-0000c000'],
  [X, `PJSIP/7781${X}@potomac`, 'PJSIP/potomac-0000c000'],
])('%s stays for %s on %s', (dst, lastdata, dstchannel) => {
  expect(dialled(dst, lastdata, dstchannel)).toEqual({ dst, reached: '' })
})

test('another application calls no number', () => {
  expect(dialled(did, `PJSIP/${X}@potomac`, 'PJSIP/potomac-1', 'Queue')).toEqual({ dst: did, reached: '' })
})
