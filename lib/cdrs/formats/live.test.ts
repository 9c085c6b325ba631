import { expect, test } from 'vitest'
import { foundIn, liveEventsIn, parserFor } from '#test/mediation/switch-documents.ts'

const live = parserFor({ format: 'live', source: 'fs1', zone: 'UTC' })
const read = (event: object) => live(JSON.stringify(event))

const created = {
  'Event-Name': 'CHANNEL_CREATE',
  'Event-Date-Timestamp': '1773130931123456',
  'Call-Direction': 'inbound',
  'Unique-ID': 'db4a2a01-8f22-490d-a56c-e7705f14f9fe',
  'Channel-Name': 'sofia/internal/2010@sip.example.net',
  'Caller-Caller-ID-Number': '12025550130',
  'Caller-Destination-Number': '12025550171',
  'Caller-Network-Addr': '198.51.100.10',
  variable_sip_auth_username: '2010',
}

test('a channel that FreeSWITCH creates for a caller starts a call', () => {
  expect(liveEventsIn(read(created))).toEqual([
    {
      kind: 'started',
      uniqueid: 'db4a2a01-8f22-490d-a56c-e7705f14f9fe',
      at: 1_773_130_931,
      src: '12025550130',
      dst: '12025550171',
      channel: 'sofia/internal/2010@sip.example.net',
      party: { accountCode: '', device: '2010', sipUser: '2010', did: '12025550171', ip: '198.51.100.10' },
    },
  ])
})

test.each([
  ['CHANNEL_ANSWER', 'answered'],
  ['CHANNEL_HANGUP_COMPLETE', 'ended'],
])('%s tells that the call has %s', (name, kind) => {
  expect(liveEventsIn(read({ ...created, 'Event-Name': name }))).toMatchObject([{ kind }])
})

test('the fields of FreeSWITCH that other profiles fill stand in for each other', () => {
  const { variable_sip_auth_username: user, 'Channel-Name': channel, ...event } = created
  const other = {
    ...event,
    variable_user_name: user,
    'Caller-Channel-Name': channel,
    variable_accountcode: 'carol',
  }

  expect(liveEventsIn(read(other))).toMatchObject([
    { channel, party: { accountCode: 'carol', device: user, sipUser: user } },
  ])
})

const newchannel = {
  Event: 'Newchannel',
  Timestamp: '1773119520.123456',
  Channel: 'PJSIP/2020-0000b000',
  ChannelState: '4',
  CallerIDNum: '12025550140',
  AccountCode: 'nw_bakery',
  Exten: '12025550162',
  Uniqueid: '1773119520.40',
  Linkedid: '1773119520.40',
}

test('a channel that Asterisk opens for a caller starts a call', () => {
  expect(liveEventsIn(read(newchannel))).toEqual([
    {
      kind: 'started',
      uniqueid: '1773119520.40',
      at: 1_773_119_520,
      src: '12025550140',
      dst: '12025550162',
      channel: 'PJSIP/2020-0000b000',
      party: { accountCode: 'nw_bakery', device: '2020', sipUser: '2020', did: '12025550162', ip: '' },
    },
  ])
})

test('the device of a channel that is not SIP did not authenticate with SIP', () => {
  expect(liveEventsIn(read({ ...newchannel, Channel: 'IAX2/2025-1007' }))).toMatchObject([
    { party: { device: '2025', sipUser: '' } },
  ])
})

test.each([
  [{ Event: 'Newstate', ChannelState: '6' }, 'answered'],
  [{ Event: 'Hangup' }, 'ended'],
])('%j tells that the call has %s', (change, kind) => {
  const { Timestamp, ...event } = { ...newchannel, ...change }
  expect(liveEventsIn(read(event))).toMatchObject([{ kind, at: undefined }])
})

test.each<[string, object]>([
  ['a leg that FreeSWITCH dials', { ...created, 'Call-Direction': 'outbound' }],
  ['another event of FreeSWITCH', { ...created, 'Event-Name': 'CHANNEL_PARK' }],
  ['a leg that Asterisk dials', { ...newchannel, Uniqueid: '1773119520.41' }],
  ['a channel of Asterisk that rings', { ...newchannel, Event: 'Newstate', ChannelState: '5' }],
  ['another event of Asterisk', { ...newchannel, Event: 'VarSet', ChannelState: '6' }],
])('%s is skipped', (_case, event) => {
  expect(foundIn(read(event))).toEqual([{ kind: 'skipped' }])
})

test('an object that is not an event, or has no unique id, is refused', () => {
  expect(foundIn([...read({}), ...read({ ...created, 'Unique-ID': '' })])).toMatchObject([
    { reason: 'unreadable', detail: 'it is not an event of FreeSWITCH or of Asterisk' },
    { reason: 'unreadable', detail: 'it has no unique id' },
  ])
})
