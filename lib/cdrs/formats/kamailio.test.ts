import { expect, test } from 'vitest'
import { demoDocument, dialogEventsIn, foundIn, parserFor, utc } from '#test/mediation/switch-documents.ts'

const kamailioJson = parserFor({ format: 'kamailio-json', source: 'proxy', zone: 'UTC' })
const kamailioCsv = parserFor({ format: 'kamailio-csv', source: 'proxy', zone: 'UTC' })

const invite = {
  time: 1_773_122_410,
  method: 'INVITE',
  from_tag: 'a',
  to_tag: 'b',
  callid: '83f6@203.0.113.30',
  sip_code: '200',
  sip_reason: 'OK',
  src_user: '2030',
  src_ip: '203.0.113.30',
  dst_ouser: 'cheap',
  dst_user: '12025550164',
}

const read = (change: object) => kamailioJson(JSON.stringify({ ...invite, ...change }))

test('an answered INVITE starts a call to the number in the request line', () => {
  expect(dialogEventsIn(read({}))).toEqual([
    {
      dialledDst: 'cheap',
      carrierDst: '12025550164',
      kind: 'answered',
      callId: '83f6@203.0.113.30',
      tags: ['a', 'b'],
      at: 1_773_122_410,
      sipStatus: 200,
      src: '2030',
      dst: '12025550164',
      party: { accountCode: '', device: '2030', sipUser: '2030', did: 'cheap', ip: '203.0.113.30' },
      provider: {
        out: { names: [], addresses: [], channels: [] },
        in: { names: [], addresses: ['203.0.113.30'], channels: [] },
      },
    },
  ])
})

test.each([
  [{ method: 'BYE' }, 'ended'],
  [{ method: 'BYE', sip_code: '481', sip_reason: 'Call/Transaction Does Not Exist' }, 'ended'],
  [{ sip_code: '486', sip_reason: 'Busy Here' }, 'failed'],
  [{ sip_code: '603', sip_reason: 'Decline' }, 'failed'],
  [{ sip_code: '300', sip_reason: 'Multiple Choices' }, 'failed'],
])('%j tells that the call has %s', (change, kind) => {
  expect(dialogEventsIn(read(change))).toMatchObject([{ kind }])
})

test.each([
  { method: 'ACK' },
  { method: 'CANCEL' },
  { method: 'MESSAGE' },
  { method: 'REGISTER' },
  { sip_code: '183', sip_reason: 'Session Progress' },
  { sip_code: '407', sip_reason: 'Proxy Authentication Required' },
  { method: 'BYE', sip_code: '401', sip_reason: 'Unauthorized' },
])('%j is skipped', (change) => {
  expect(foundIn(read(change))).toEqual([{ kind: 'skipped' }])
})

test.each([
  [{ time: 1_773_122_410.987 }, 1_773_122_410, 0.987],
  [{ time_exten: 987_000 }, 1_773_122_410, 0.987],
  [{ time_attr: '1773122410.987' }, 1_773_122_410, 0.987],
  [{ time: '2026-03-10 06:00:10' }, utc('2026-03-10T06:00:10'), 0],
  [{ time: '2026/03/10 06:00:10' }, utc('2026-03-10T06:00:10'), 0],
])('the time mode of acc_json %j is understood', (change, at, fraction) => {
  const [event] = dialogEventsIn(read(change))
  expect(event?.at).toBe(at)
  expect(event?.fraction ?? 0).toBeCloseTo(fraction, 6)
})

test.each([
  [{ method: undefined }, 'unreadable', 'it has no method'],
  [{ callid: '' }, 'unreadable', 'it has no Call-ID'],
  [{ sip_code: 'OK' }, 'unreadable', '"OK" is not a SIP status'],
  [{ sip_code: '2000' }, 'unreadable', '"2000" is not a SIP status'],
  [{ sip_code: '1200' }, 'unreadable', '"1200" is not a SIP status'],
  [{ time: 0 }, 'impossible_time', 'it has no time'],
])('%j is refused with its reason', (change, reason, detail) => {
  expect(foundIn(read(change))).toEqual([{ kind: 'problem', reason, detail }])
})

test('the columns of the operator name the account, the user and the carrier', () => {
  const columns = {
    auth_user: 'carol',
    accountcode: '20',
    provider: 'potomac',
    dst_ip: '192.0.2.200',
    dst_domain: 'sip.potomac.example',
  }

  expect(dialogEventsIn(read(columns))).toMatchObject([
    {
      party: { accountCode: '20', device: 'carol', sipUser: 'carol' },
      provider: { out: { names: ['potomac'], addresses: ['192.0.2.200', 'sip.potomac.example'] } },
    },
  ])
})

test('the request line before and after routing stand in for each other', () => {
  expect(
    [{ dst_user: '' }, { dst_ouser: '' }].flatMap((change) => dialogEventsIn(read(change))),
  ).toMatchObject([
    { dst: 'cheap', party: { did: 'cheap' } },
    { dst: '12025550164', party: { did: '12025550164' } },
  ])
})

test.each([
  ['12025550171;phone-context=+1;user=phone', '12025550171'],
  ['%31202555017%31', '12025550171'],
  ['%2B12025550171', '+12025550171'],
  ['12025550171%23', '12025550171#'],
  ['%2a72', '*72'],
  ['carol%20smith', 'carol%20smith'],
  ['%3acarol', '%3acarol'],
])('the number %s is the one that the next hop reads: %s', (number, dst) => {
  expect(dialogEventsIn(read({ dst_user: number, dst_ouser: number }))).toMatchObject([
    { dst, party: { did: dst } },
  ])
})

test('ids and numbers of subscribers that are JSON numbers keep every digit', () => {
  const [ids] = dialogEventsIn(
    kamailioJson(
      `{"method":"INVITE","sip_code":200,"time":1773122410,"callid":90071992547409931,"from_tag":1.10,"to_tag":1.20,
"src_user":90071992547409932,"dst_user":90071992547409933,"dst_ouser":90071992547409934,"auth_user":90071992547409935,"accountcode":90071992547409936}`,
    ),
  )

  expect(ids).toMatchObject({
    callId: '90071992547409931',
    tags: ['1.10', '1.20'],
    src: '90071992547409932',
    dst: '90071992547409933',
    party: { did: '90071992547409934', sipUser: '90071992547409935', accountCode: '90071992547409936' },
  })
})

test('the demo day has nine dialog events, one of them without its counterpart', () => {
  const events = dialogEventsIn(kamailioJson(demoDocument('kamailio.ndjson')))
  const tell = (what: string) => events.filter(({ kind }) => kind === what).length

  expect([tell('answered'), tell('ended'), tell('failed')]).toEqual([8, 8, 2])
})

test('rows of the table acc are dialog events', () => {
  expect(dialogEventsIn(kamailioCsv(demoDocument('kamailio-acc.csv')))).toMatchObject([
    { kind: 'answered', at: utc('2026-03-10T18:00:00'), src: '2030', dst: '12025550150' },
    { kind: 'ended', at: utc('2026-03-10T18:01:17') },
    { kind: 'answered', src: '2033' },
    { kind: 'ended' },
    { kind: 'failed', sipStatus: 404 },
  ])
})

test('the header of a table may have capitals and spaces', () => {
  const rows = 'Method, CallID ,sip_code,time\nINVITE,83f6@203.0.113.30,200,1773122410\n'
  expect(dialogEventsIn(kamailioCsv(rows))).toMatchObject([{ callId: '83f6@203.0.113.30' }])
})
