import { describe, expect, test } from 'vitest'
import { documentIn } from '#lib/ingest/http/intake-door.ts'
import {
  cdrsIn,
  demoDocument,
  foundIn,
  parserFor,
  textsIn,
  utc,
} from '#lib/testing/mediation/switch-documents.ts'

/** The CDR that the A-legs of both formats give. */
const answeredLeg = {
  duration: 191,
  billsec: 184,
  src: '12025550130',
  dst: '12025550171',
  disposition: 'ANSWERED',
  hangupcause: 16,
  channel: 'sofia/internal/2010@sip.example.net',
}

describe('freeswitch-json', () => {
  const freeswitchJson = parserFor({ format: 'freeswitch-json', source: 'fs1', zone: 'UTC' })
  const day = demoDocument('freeswitch.ndjson')
  const [legA = '', legB = ''] = day.split('\n')

  test('an A-leg is a CDR', () => {
    expect(cdrsIn(freeswitchJson(legA))).toEqual([
      {
        uniqueid: 'db4a2a01-8f22-490d-a56c-e7705f14f9fe',
        part: '',
        start: utc('2026-03-10T08:02:11'),
        ...answeredLeg,
        party: {
          accountCode: '',
          device: '2010',
          sipUser: '2010',
          did: '12025550171',
          ip: '198.51.100.10',
        },
        provider: {
          out: { names: ['potomac'], addresses: [], channels: ['sofia/external/12025550171'] },
          in: {
            names: [],
            addresses: ['198.51.100.10'],
            channels: ['sofia/internal/2010@sip.example.net'],
          },
        },
      },
    ])
  })

  test('its B-leg is skipped', () => {
    expect(foundIn(freeswitchJson(legB))).toEqual([{ kind: 'skipped' }])
  })

  test('each A-leg of a day of calls is one CDR', () => {
    const cdrs = cdrsIn(freeswitchJson(day))

    expect(cdrs.map(({ disposition, hangupcause, billsec }) => [disposition, hangupcause, billsec])).toEqual([
      ['ANSWERED', 16, 184],
      ['NO ANSWER', 19, 0],
      ['ANSWERED', 16, 61],
      ['BUSY', 17, 0],
      ['ANSWERED', 16, 900],
      ['ANSWERED', 16, 42],
      ['FAILED', 1, 0],
      ['ANSWERED', 16, 333],
      ['NO ANSWER', 16, 0],
      ['ANSWERED', 16, 127],
      ['ANSWERED', 16, 75],
    ])
    expect(cdrs[4]?.dst).toBe('+12025550190')
    expect(cdrs[9]?.party.accountCode).toBe('dave_workshop')
  })

  test('values without encoding (encode-values is false) make the same CDR', () => {
    const object = JSON.parse(legA)
    for (const [name, value] of Object.entries<string>(object.variables)) {
      object.variables[name] = decodeURIComponent(value)
    }
    object.variables.accountcode = '50%25 off'

    const [plain] = cdrsIn(freeswitchJson(JSON.stringify(object)))
    const [encoded] = cdrsIn(freeswitchJson(legA))
    expect(plain).toEqual({ ...encoded, party: { ...encoded?.party, accountCode: '50%25 off' } })
  })

  test('local times count in the zone of the source if there is no Unix time', () => {
    const object = JSON.parse(legA)
    for (const name of ['start_epoch', 'answer_epoch', 'end_epoch', 'duration', 'billsec']) {
      delete object.variables[name]
    }

    const read = freeswitchJson(JSON.stringify(object), { zone: 'Europe/Vilnius' })
    expect(cdrsIn(read)).toMatchObject([{ start: utc('2026-03-10T06:02:11'), duration: 191, billsec: 184 }])
  })

  test('the number that was dialled first counts, not the target of a transfer', () => {
    const object = JSON.parse(legA)
    const [first] = object.callflow
    object.callflow.unshift({
      ...first,
      caller_profile: { ...first.caller_profile, destination_number: '2012' },
    })

    expect(cdrsIn(freeswitchJson(JSON.stringify(object)))).toMatchObject([{ dst: '12025550171' }])
  })

  test.each([
    ['nothing', ''],
    ['not JSON', 'uuid=7'],
    ['not an object', '"call"'],
    ['half a document', legA.slice(0, 500)],
    ['another document', '{"disposition":"ANSWERED"}'],
  ])('%s is one unreadable part with the whole text', (_case, document) => {
    const parsed = freeswitchJson(document)
    expect(foundIn(parsed)).toMatchObject([{ kind: 'problem', reason: 'unreadable' }])
    expect(textsIn(parsed)).toEqual([document])
  })

  test('a line that is cut off is refused alone', () => {
    const kinds = foundIn(freeswitchJson(`${legA}\n${legA.slice(0, 99)}\n${legA}\n`))
    expect(kinds.map(({ kind }) => kind)).toEqual(['cdr', 'problem', 'cdr'])
  })

  test.each([
    ['application/json', legA],
    ['application/json; charset=utf-8', legA],
    ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
    ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
  ])('a body of %s has the same document', (type, body) => {
    expect(documentIn(body, type)).toBe(legA)
  })
})

describe('freeswitch-xml', () => {
  const freeswitchXml = parserFor({ format: 'freeswitch-xml', source: 'fs1', zone: 'UTC' })
  const legA = demoDocument('freeswitch-xml/a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d.cdr.xml')
  const legB = demoDocument('freeswitch-xml/ad6b0e9d-c63c-4b26-abdc-1873dcae3554.cdr.xml')
  const unanswered = demoDocument('freeswitch-xml/a_05e9620d-3682-4c55-a261-5f10d178dbc2.cdr.xml')

  test('an A-leg is a CDR', () => {
    expect([legA, unanswered].flatMap((leg) => cdrsIn(freeswitchXml(leg)))).toMatchObject([
      {
        uniqueid: 'd208ea41-f04b-47b4-ac0c-77dcb4b4b02d',
        start: utc('2026-03-10T18:02:11'),
        ...answeredLeg,
        party: { device: '2010', ip: '198.51.100.10' },
        provider: { out: { names: ['potomac'] } },
      },
      {
        dst: '442079460077',
        billsec: 0,
        disposition: 'NO ANSWER',
        hangupcause: 19,
        party: { device: 'carol.mobile' },
      },
    ])
  })

  test('its B-leg is skipped', () => {
    expect(foundIn(freeswitchXml(legB))).toEqual([{ kind: 'skipped' }])
  })

  test('the first value of a repeated variable counts', () => {
    const twice = '<variables><accountcode>one</accountcode><accountcode>two</accountcode>'
    const read = freeswitchXml(legA.replace('<variables>', twice))
    expect(cdrsIn(read)).toMatchObject([{ party: { accountCode: 'one' } }])
  })

  test('a text with a broken escape stays as it is', () => {
    const broken = legA.replace('<variables>', '<variables><accountcode>50%</accountcode>')
    expect(cdrsIn(freeswitchXml(broken))).toMatchObject([{ party: { accountCode: '50%' } }])
  })

  test.each([
    ['nothing', ''],
    ['not XML', 'cdr'],
    ['cut off', legA.slice(0, 900)],
    ['another document', '<page><calls/></page>'],
    ['an entity of its own', `<!DOCTYPE cdr [<!ENTITY a "aaaa">]><cdr><variables>&a;</variables></cdr>`],
  ])('%s is one unreadable part with the whole text', (_case, document) => {
    const parsed = freeswitchXml(document)
    expect(foundIn(parsed)).toMatchObject([{ kind: 'problem', reason: 'unreadable' }])
    expect(textsIn(parsed)).toEqual([document])
  })

  test.each([
    ['text/xml', legA],
    ['application/x-www-form-plaintext', `cdr=${legA}`],
    ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
    ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
  ])('a body of %s has the same document', (type, body) => {
    expect(foundIn(freeswitchXml(documentIn(body, type)))).toEqual(foundIn(freeswitchXml(legA)))
  })

  test.each([
    ['text', 'cdr', 'it is not XML: 1:1: it does not begin with an element.'],
    ['a document type', '<!DOCTYPE cdr>\n<cdr/>', 'it is not XML: 1:14: it has a document type.'],
    ['many levels', '<a>'.repeat(65), 'it is not XML: 1:195: it is nested deeper than 64 levels.'],
  ])('%s is refused with line and column', (_case, document, detail) => {
    expect(foundIn(freeswitchXml(document))).toEqual([{ kind: 'problem', reason: 'unreadable', detail }])
  })
})

describe('freeswitch-csv', () => {
  const freeswitchCsv = parserFor({ format: 'freeswitch-csv', source: 'fs1', zone: 'UTC' })
  const document = demoDocument('freeswitch.csv')

  test('rows below the text of their template are CDRs', () => {
    expect(cdrsIn(freeswitchCsv(document))).toMatchObject([
      {
        uniqueid: 'c90a07db-77c9-4ccc-abf6-35b3e241db28',
        start: utc('2026-03-10T07:00:05'),
        duration: 64,
        billsec: 58,
        src: '12025550130',
        dst: '12025550180',
        disposition: 'ANSWERED',
        hangupcause: 16,
        party: { accountCode: 'carol' },
      },
      { disposition: 'NO ANSWER', hangupcause: 19, billsec: 0 },
      { dst: '447700900286', billsec: 611, party: { accountCode: 'dave_workshop' } },
    ])
  })

  test('the columns of the source, or plain names, replace a header', () => {
    const [header = '', ...rows] = document.split('\n')
    const names = header.replaceAll(/[${}"]/g, '')

    const expected = cdrsIn(freeswitchCsv(document))
    expect(cdrsIn(freeswitchCsv(rows.join('\n'), { columns: names.split(',') }))).toEqual(expected)
    expect(cdrsIn(freeswitchCsv([names, ...rows].join('\n')))).toEqual(expected)
  })

  test('each CDR can be parsed again from its own text', () => {
    const parsed = freeswitchCsv(document)
    const again = parsed.flatMap(({ text }) => freeswitchCsv(text()))
    expect([foundIn(again), textsIn(again)]).toEqual([foundIn(parsed), textsIn(parsed)])
  })

  test('a row with an originator is a B-leg', () => {
    const rows = 'uuid,start_epoch,originator\na,1773100000,\nb,1773100000,a\n'
    expect(cdrsIn(freeswitchCsv(rows))).toMatchObject([{ uniqueid: 'a' }])
    expect(foundIn(freeswitchCsv(rows))).toMatchObject([{ kind: 'cdr' }, { kind: 'skipped' }])
  })

  test('rows without header and columns are refused', () => {
    expect(freeswitchCsv('"Carol","1202"')).toMatchObject([
      {
        found: { reason: 'unreadable', detail: 'its columns are unknown: declare the columns of the source' },
      },
    ])
  })
})
