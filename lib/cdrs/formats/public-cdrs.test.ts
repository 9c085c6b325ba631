import { expect, test } from 'vitest'
import { foundIn, parserFor } from '#test/mediation/switch-documents.ts'
import type { CdrText, Found } from './cdr.ts'
import type { FormatName } from './formats.ts'

interface Sample {
  readonly format: FormatName
  readonly text: string
  readonly map?: Readonly<Record<string, string>>
  readonly more?: Partial<CdrText>
  readonly is: readonly string[]
}

/** Seconds, time in UTC and number of a CDR, or the first words of a problem. */
function shown(found: Found): string {
  if (found.kind === 'problem') return `${found.reason}: ${found.detail}`.slice(0, 66)
  if (found.kind !== 'cdr' && found.kind !== 'leg') return found.kind
  const { billsec, disposition, start, dst } = found.cdr
  const at = new Date(start * 1000).toISOString().slice(5, 19)
  return `${disposition === 'ANSWERED' ? billsec : `${disposition} ${billsec}`} ${at} ${dst}`
}

const DAY = '2026-11-20'

const NUL = '\0'.repeat(600)
const DAMAGED = 'unreadable: it has a block of NUL, as a crash or a full disk leaves it'.slice(0, 66)

const line = (dst: string): string => `{"start":"${DAY} 10:00:00","dst":"${dst}","billsec":61}\n`

const transaction = (method: string): string =>
  JSON.stringify({
    method,
    from_tag: 'a',
    to_tag: 'b',
    callid: 'c',
    sip_code: '200',
    time: `${DAY} 10:00:00`,
  })

/** Layouts that are published, each with rows of our own. The zone of the switch is Europe/Madrid. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  // Units of lengths
  'Sonus and Ribbon (publicdoc.rbbn.com, CDR Field Descriptions): Call Service Duration in ticks of 10 ms': {
    format: 'csv',
    map: { start: 'date+time', end: 'day+ended', billsec: 'length', dst: 'called' },
    more: { columns: ['rec', 'gw', 'date', 'time', 'day', 'ended', 'length', 'called'], dates: 'month-day' },
    text: 'STOP,NBS,11/20/2026,10:00:00.1,11/20/2026,10:01:10.2,6144,4420\n',
    is: ['unreadable: the lengths in the column "length" are far above what '],
  },
  'the same, declared': {
    format: 'csv',
    map: { start: 'date+time', end: 'day+ended', billsec: 'length:cs', dst: 'called' },
    more: { columns: ['rec', 'gw', 'date', 'time', 'day', 'ended', 'length', 'called'], dates: 'month-day' },
    text: 'STOP,NBS,11/20/2026,10:00:00.1,11/20/2026,10:01:10.2,6144,4420\n',
    is: ['62 11-20T09:00:00 4420'],
  },
  'isdnlog(5): connected for 61 s, and for 6144 hundredths of a second': {
    format: 'csv',
    map: { start: 'time of connect', dst: 'called', billsec: 'duration in 1/100 seconds' },
    text: `time of connect|called|duration in seconds|duration in 1/100 seconds\n${DAY} 10:00:00|4420|61|6144\n`,
    is: ['unreadable: the unit "100 seconds" of the column "duration in 1/10'],
  },
  'Keyyo (api.keyyo.com, CallDetailRecord): a quantity, of seconds or of messages': {
    format: 'json',
    map: { start: 'start_time', dst: 'callee_raw', billsec: 'quantity_billed' },
    text: '[{"start_time":1795165200,"callee_raw":"4420","quantity_billed":61,"unit":"second"}]',
    is: ['unreadable: the unit "quantity" of the column "quantity_billed" is'],
  },
  'RingCentral call log: durationMs beside duration': {
    format: 'json',
    map: { start: 'startTime', dst: 'to.phoneNumber', billsec: 'durationMs' },
    text: `{"records":[{"startTime":"${DAY}T10:00:00.000Z","duration":61,"durationMs":60500,"to":{"phoneNumber":"+4420"}}]}`,
    is: ['61 11-20T10:00:00 +4420'],
  },
  'Microsoft TelephonyCallRecord: Unix seconds, and duration_ms': {
    format: 'json',
    map: { start: 'started_at', answer: 'answered_at', end: 'ended_at', dst: 'to', billsec: 'duration_ms' },
    text: '{"started_at":1795165200,"answered_at":1795165210,"ended_at":1795165271,"duration_ms":61000,"to":"4420"}',
    is: ['61 11-20T09:00:00 4420'],
  },
  'CometChat (docs/rest-api/calls): totalDurationInMinutes': {
    format: 'json',
    map: { start: 'startedAt', dst: 'to', billsec: 'totalDurationInMinutes' },
    text: '{"startedAt":1795165200,"totalDurationInMinutes":1.0167,"to":"4420"}',
    is: ['61 11-20T09:00:00 4420'],
  },
  'an export of whole minutes beside begin and end': {
    format: 'csv',
    map: { start: 'Start', end: 'End', dst: 'To', billsec: 'Duration' },
    text: `Start,End,Duration,To\n${DAY} 10:00:00,${DAY} 10:02:00,2,4420\n${DAY} 10:10:00,${DAY} 10:15:30,6,4420\n${DAY} 10:20:00,${DAY} 10:22:31,3,4420\n`,
    is: Array.from({ length: 3 }, () => 'unreadable: the lengths in the column "Duration" are far below wha'),
  },
  'a call centre whose duration has the ringing in it, and no answer': {
    format: 'json',
    map: {
      start: 'started_at',
      answer: 'answered_at',
      end: 'ended_at',
      dst: 'raw_digits',
      billsec: 'duration',
    },
    text: '[{"started_at":1795165200,"answered_at":1795165210,"ended_at":1795165271,"duration":71,"raw_digits":"4420"},{"started_at":1795165300,"answered_at":null,"ended_at":1795165310,"duration":10,"raw_digits":"4420"}]',
    is: [
      'unreadable: the lengths in the column "duration" are from the star',
      'NO ANSWER 10 11-20T09:01:40 4420',
    ],
  },
  // Digits of a clock
  'ESI IVX (manualsdump.com 255822): MMDDYYYY, HHMMSS, HHMMSS': {
    format: 'csv',
    map: { start: 'date+time', billsec: 'length', dst: 'number' },
    more: {
      columns: ['type', 'date', 'time', 'length', 'ext', 'number'],
      dates: 'month-day',
      lengths: 'hhmmss',
    },
    text: '"O","10312026","221502","020512","190","12125551212"\n"O","11202026","100000","000059","190","4420"\n',
    is: ['7512 10-31T21:15:02 12125551212', '59 11-20T09:00:00 4420'],
  },
  'Avaya Communication Manager (manualshive.com 3028052, table 51): hours, minutes, tenths of minutes': {
    format: 'csv',
    map: { billsec: 'dur', dst: 'dialed' },
    text: `start,dur,dialed\n${DAY} 10:00:00,0012,4420\n${DAY} 10:10:00,0075,4420\n`,
    is: Array.from({ length: 2 }, () => 'unreadable: the lengths in the column "dur" may be digits of a clo'),
  },
  'the same, declared; 9999 is a call during which the clock was set': {
    format: 'csv',
    map: { billsec: 'dur', dst: 'dialed' },
    more: { lengths: 'hmmt' },
    text: `start,dur,dialed\n${DAY} 10:00:00,0012,4420\n${DAY} 10:10:00,1075,4420\n${DAY} 10:20:00,9999,4420\n`,
    is: [
      '72 11-20T09:00:00 4420',
      '4050 11-20T09:10:00 4420',
      'unreadable: billsec "9999 (hmmt)" is not a number of seconds, nor a l'.slice(0, 66),
    ],
  },
  'Toshiba Strata CTX (manualsonline.com): HH:MM:SS.S': {
    format: 'csv',
    map: { billsec: 'Call duration', dst: 'Dial' },
    text: `start,Call duration,Dial\n${DAY} 10:00:00,00:01:01.0,4420\n`,
    is: ['61 11-20T09:00:00 4420'],
  },
  'Avaya IP Office SMDR (support.avaya.com): HH:MM:SS connected, SSSS ringing': {
    format: 'csv',
    map: { start: 'Call Start', billsec: 'Call Duration', dst: 'Called Number' },
    text: 'Call Start,Call Duration,Ring Duration,Called Number\n2026/11/20 10:00:00,00:01:01,0007,4420\n',
    is: ['61 11-20T09:00:00 4420'],
  },
  // Zones
  'DIDWW (doc.didww.com, CDR export): Date/Time (UTC), Duration (secs)': {
    format: 'csv',
    map: { start: 'Date/Time (UTC)', dst: 'DID', billsec: 'Duration (secs)', sip_status: 'Disconnect Code' },
    text: `Date/Time (UTC),DID,Duration (secs),Disconnect Code\n${DAY} 10:00:00,4420,61,200\n${DAY} 10:00:00,4420,0,404\n`,
    is: ['61 11-20T10:00:00 4420', 'FAILED 0 11-20T10:00:00 4420'],
  },
  'a dialler (pastebin.com/GvV9Rn0U): CallUniversalTime beside CallLocalTime': {
    format: 'csv',
    map: { start: 'CallUniversalTime', dst: 'OutTel', billsec: 'ConvDuration' },
    text: `CallUniversalTime,CallLocalTime,ConvDuration,OutTel\n${DAY} 13:57:16.073,${DAY} 10:57:16.073,61,4420\n`,
    is: ['61 11-20T13:57:16 4420'],
  },
  'Enfonica (enfonica.com/docs, call records): RFC 3339': {
    format: 'csv',
    map: { start: 'StartTime', end: 'EndTime', dst: 'To', billsec: 'DurationSeconds' },
    text: `ID,StartTime,EndTime,To,DurationSeconds\nkd8,${DAY}T10:00:00.025Z,${DAY}T10:01:06Z,4420,61\n`,
    is: ['61 11-20T10:00:00 4420'],
  },
  'AudioCodes and h323 (Cisco): time, zone, weekday, day': {
    format: 'csv',
    map: { start: 'SetupTime', answer: 'ConnectTime', end: 'ReleaseTime', dst: 'DstURI', billsec: '' },
    text: 'SetupTime,ConnectTime,ReleaseTime,DstURI\n17:00:49.052  UTC Fri Nov 20 2026,17:00:53.137  UTC Fri Nov 20 2026,17:01:54.137  UTC Fri Nov 20 2026,4420@10.1.1.1\n',
    is: ['61 11-20T17:00:49 4420@10.1.1.1'],
  },
  'US exports: Start Time (ET)': {
    format: 'csv',
    map: { start: 'Start Time (ET)', dst: 'To', billsec: 'Duration (mins)' },
    text: `Start Time (ET),To,Duration (mins)\n${DAY} 10:00:00,4420,1.5\n`,
    is: ['90 11-20T15:00:00 4420'],
  },
  'Start Time CST is Chicago, Shanghai or Havana': {
    format: 'csv',
    map: { start: 'Start Time CST', dst: 'To', billsec: 'Secs' },
    text: `Start Time CST,To,Secs\n${DAY} 10:00:00,4420,61\n`,
    is: ['unreadable: the time zone "CST" of the column "Start Time CST" is '],
  },
  'Kazoo (2600hz, crossbar cdrs): rfc_1036 beside Gregorian seconds': {
    format: 'csv',
    map: { start: 'rfc_1036', dst: 'to', billsec: 'billing_seconds', duration: 'duration_seconds' },
    text: 'to,duration_seconds,billing_seconds,timestamp,rfc_1036\n4420,70,61,63962371200,"Fri, 20 Nov 2026 09:00:00 GMT"\n',
    is: ['61 11-20T09:00:00 4420'],
  },
  'a column of zones, joined to the time (Aircall, call export: number timezone)': {
    format: 'csv',
    map: { start: 'Date+Time+Time Zone', dst: 'To', billsec: 'Seconds' },
    text: `Date,Time,Time Zone,To,Seconds\n${DAY},10:00:00,Australia/Sydney,4420,61\n${DAY},10:00:00 PM,EST,4420,61\n${DAY},10:00:00,UTC,4420,61\n${DAY},10:00:00,Europe/Madrid,4420,61\n${DAY},10:00:00,CST,4420,61\n`,
    is: [
      '61 11-19T23:00:00 4420',
      '61 11-21T03:00:00 4420',
      '61 11-20T10:00:00 4420',
      '61 11-20T09:00:00 4420',
      'impossible_time: "2026-11-20 10:00:00 CST" is not a time: write it as ',
    ].map((one) => one.slice(0, 66)),
  },
  'the same, not joined, beside times that say their zone': {
    format: 'csv',
    map: { dst: 'To', billsec: 'Seconds' },
    text: `start,time_zone,To,Seconds\n${DAY} 10:00:00,Europe/Madrid,4420,61\n${DAY} 10:00:00,America/Chicago,4420,61\n${DAY} 10:00:00,CST,4420,61\n${DAY}T10:00:00Z,CST,4420,61\n1795165200,EST,4420,61\n${DAY} 10:00:00,,4420,61\n`,
    is: [
      '61 11-20T09:00:00 4420',
      'impossible_time: its column "time_zone" says "America/Chicago", and its',
      'impossible_time: its column "time_zone" says "CST", and its time has no z',
      '61 11-20T10:00:00 4420',
      '61 11-20T09:00:00 4420',
      '61 11-20T09:00:00 4420',
    ].map((one) => one.slice(0, 66)),
  },
  'BroadWorks: the zone of a user, beside times in that of the source': {
    format: 'csv',
    map: { start: 'startTime', dst: 'calledNumber', billsec: 'seconds' },
    text: 'startTime,userTimeZone,calledNumber,seconds\n20261120100000.123,1-050000,+4420,61\n',
    is: ['61 11-20T09:00:00 +4420'],
  },
  'a zone that the mapping declares': {
    format: 'csv',
    map: { start: 'Start:UTC', dst: 'To', billsec: 'Seconds' },
    text: `Start,TZ,To,Seconds\n${DAY} 10:00:00,EST,4420,61\n`,
    is: ['61 11-20T10:00:00 4420'],
  },
  // JSON of clouds, and rows that are no CDRs
  'Cisco CUCM: a row of column types below the names': {
    format: 'csv',
    map: {
      start: 'dateTimeOrigination',
      answer: 'dateTimeConnect',
      dst: 'finalCalledPartyNumber',
      billsec: 'duration',
      duration: '',
      hangupcause: 'destCause_value',
    },
    text: 'dateTimeOrigination,finalCalledPartyNumber,dateTimeConnect,duration,destCause_value\nINTEGER,VARCHAR(50),INTEGER,INTEGER,INTEGER\n1795165200,4420,1795165205,61,16\n1795165300,4420,0,0,17\n',
    is: [
      'impossible_time: "INTEGER" is not a time: write it as 2026-03-10 12',
      '61 11-20T09:00:00 4420',
      'BUSY 0 11-20T09:01:40 4420',
    ].map((one) => one.slice(0, 66)),
  },
  'Plivo (plivo.com/docs, call object): objects': {
    format: 'json',
    map: {
      start: 'initiation_time',
      answer: 'answer_time',
      end: 'end_time',
      dst: 'to_number',
      billsec: 'bill_duration',
    },
    text: `{"meta":{"limit":20},"objects":[{"answer_time":"${DAY} 10:00:05+00:00","bill_duration":61,"end_time":"${DAY} 10:01:06+00:00","initiation_time":"${DAY} 10:00:00+00:00","to_number":"4420"}]}`,
    is: ['61 11-20T10:00:00 4420'],
  },
  'Twilio and SignalWire: calls, RFC 2822, a busy call with a length': {
    format: 'json',
    map: { start: 'start_time', end: 'end_time', dst: 'to', billsec: 'duration', disposition: 'status' },
    text: '{"page":0,"calls":[{"status":"completed","start_time":"Fri, 20 Nov 2026 10:00:00 +0000","end_time":"Fri, 20 Nov 2026 10:01:01 +0000","duration":"61","to":"+4420"},{"status":"busy","start_time":"Fri, 20 Nov 2026 10:00:00 +0000","end_time":"Fri, 20 Nov 2026 10:00:07 +0000","duration":"7","to":"+4420"}]}',
    is: ['61 11-20T10:00:00 +4420', 'BUSY 7 11-20T10:00:00 +4420'],
  },
  'Vonage Voice API: _embedded.calls': {
    format: 'json',
    map: {
      start: 'start_time',
      end: 'end_time',
      dst: 'to.number',
      billsec: 'duration',
      disposition: 'status',
    },
    text: `{"count":100,"_embedded":{"calls":[{"status":"completed","duration":"60","start_time":"${DAY} 10:00:00","end_time":"${DAY} 10:01:00","to":{"type":"phone","number":"4477"}}]}}`,
    is: ['60 11-20T09:00:00 4477'],
  },
  'Bandwidth: PT1M6S': {
    format: 'json',
    map: { start: 'startTime', end: 'endTime', dst: 'to', billsec: 'duration' },
    text: `{"startTime":"${DAY}T10:00:00.000Z","endTime":"${DAY}T10:01:06.000Z","duration":"PT1M6S","to":"+4420"}`,
    is: ['66 11-20T10:00:00 +4420'],
  },
  'Sinch (sinch-call-schema.json): durationSeconds, a word of success': {
    format: 'json',
    map: {
      start: 'createTime',
      answer: 'answerTime',
      end: 'endTime',
      dst: 'to',
      billsec: 'durationSeconds',
      disposition: 'callResult',
    },
    text: `{"calls":[{"to":"+4420","callResult":"COMPLETED","createTime":"${DAY}T10:00:00Z","answerTime":"${DAY}T10:00:10Z","endTime":"${DAY}T10:01:11Z","durationSeconds":61}]}`,
    is: ['61 11-20T10:00:00 +4420'],
  },
  'Yeastar (help.yeastar.com, NewCdr): talkduraction': {
    format: 'json',
    map: {
      start: 'timestart',
      dst: 'callto',
      duration: 'callduraction',
      billsec: 'talkduraction',
      disposition: 'status',
    },
    text: `{"action":"NewCdr","timestart":"${DAY} 10:00:00","callto":"4420","callduraction":"71","talkduraction":"61","status":"ANSWERED"}`,
    is: ['61 11-20T09:00:00 4420'],
  },
  'Microsoft Graph (directRoutingLogRow) and cgrates (issue 1564): a year 1 as no answer, of a call that rang':
    {
      format: 'json',
      text: [
        '"answer":"0001-01-01T00:00:00Z","billsec":0',
        '"answer":"0001-01-01T00:00:00Z","end":"2026-11-20T10:00:12Z"',
        '"answer":"1970-01-01 01:00:00","billsec":12,"hangupcause":17',
      ]
        .map((rest) => `{"start":"${DAY}T10:00:00Z","dst":"4420",${rest}}\n`)
        .join(''),
      is: [
        'NO ANSWER 0 11-20T10:00:00 4420',
        'NO ANSWER 0 11-20T10:00:00 4420',
        'BUSY 12 11-20T10:00:00 4420',
      ],
    },
  'Sansay VSXi (CDR Specification): the answer of an unanswered call is that of ctime(0)': {
    format: 'csv',
    text: 'start,answer,end,dst,hangupcause\nFri Nov 20 10:00:00 2026,Fri Nov 20 10:00:05 2026,Fri Nov 20 10:01:06 2026,4420,016\nFri Nov 20 10:10:00 2026,Wed Dec 31 19:00:00 1969,Fri Nov 20 10:10:06 2026,4420,017\n',
    is: ['61 11-20T09:00:00 4420', 'BUSY 0 11-20T09:10:00 4420'],
  },
  'Acme Packet (Freeside, acmepacket.pm) and Cisco CUBE: the zone between time and day': {
    format: 'csv',
    text: 'start,answer,end,dst\n10:00:00.868 PST NOV 20 2026,10:00:05.868 PST NOV 20 2026,10:01:06.868 PST NOV 20 2026,4420\n*10:00:00.868 EST Fri Nov 20 2026,10:00:05.868 EST Fri Nov 20 2026,10:01:06.868 EST Fri Nov 20 2026,4420\n',
    is: ['61 11-20T18:00:00 4420', '61 11-20T15:00:00 4420'],
  },
  'an export of minutes whose seconds have many decimals (1.0167 is 61 s)': {
    format: 'csv',
    map: { billsec: 'length' },
    text: `start,dst,length\n${['1.0166666666666666', '0.7833', '12.15', '125.3833', '3']
      .map((length) => `${DAY} 10:00:00,4420,${length}\n`)
      .join('')}`,
    is: Array.from({ length: 5 }, () => 'unreadable: the lengths in the column "length" may be minutes (1.0'),
  },
  'Dialpad (stats export): talk_duration in minutes of six decimals, in one row': {
    format: 'csv',
    map: { billsec: 'talk_duration' },
    text: `start,dst,talk_duration\n${DAY} 10:00:00,4420,1.016667\n`,
    is: ['unreadable: the lengths in the column "talk_duration" may be minut'],
  },
  'Genesys Cloud (interactions): Duration in milliseconds': {
    format: 'csv',
    map: { billsec: 'Duration' },
    text: `start,dst,Duration\n${['61000', '125340', '9871', '0'].map((length) => `${DAY} 10:00:00,4420,${length}\n`).join('')}`,
    is: Array.from({ length: 4 }, () => 'unreadable: the lengths in the column "Duration" may be millisecon'),
  },
  'three long calls of a conference, declared': {
    format: 'csv',
    more: { lengths: 's' },
    text: `start,dst,billsec\n${['1700', '3600', '1020'].map((length) => `${DAY} 10:00:00,4420,${length}\n`).join('')}`,
    is: [1700, 3600, 1020].map((seconds) => `${seconds} 11-20T09:00:00 4420`),
  },
  'Aircall (call export): duration (total) beside duration (in call)': {
    format: 'csv',
    map: { billsec: 'duration (total)' },
    text: `start,dst,duration (total),duration (in call)\n${DAY} 10:00:00,4420,71,61\n`,
    is: ['unreadable: the lengths in the column "duration (total)" are above'],
  },
  'NetSapiens (ns-api, CDR field mappings): total and talking seconds': {
    format: 'json',
    map: { billsec: 'call-total-duration-seconds' },
    text: `{"start":"${DAY} 10:00:00","dst":"4420","call-total-duration-seconds":71,"call-talking-duration-seconds":61}`,
    is: ['unreadable: the lengths in the column "call-total-duration-seconds'],
  },
  'Yeastar: the duration beside that of the talk, declared': {
    format: 'csv',
    map: { billsec: 'Call Duration(s):s' },
    text: `start,dst,Call Duration(s),Talk Duration(s)\n${DAY} 10:00:00,4420,71,61\n`,
    is: ['71 11-20T09:00:00 4420'],
  },
  'seconds beside those that are billed in steps of 30': {
    format: 'csv',
    map: { billsec: 'seconds' },
    text: `start,dst,seconds,billed seconds\n${DAY} 10:00:00,4420,61,90\n${DAY} 10:10:00,4420,65,60\n`,
    is: ['61 11-20T09:00:00 4420', '65 11-20T09:10:00 4420'],
  },
  'seconds of the whole call whose heading has the unit': {
    format: 'csv',
    map: { billsec: 'Duration (s)' },
    text: `start,answer,end,dst,Duration (s)\n${DAY} 10:00:00,${DAY} 10:00:10,${DAY} 10:01:11,4420,71\n`,
    is: ['unreadable: the lengths in the column "Duration (s)" are from the '],
  },
  'Aircall (call object): the seconds of the ringing beside times that are not mapped': {
    format: 'json',
    map: { start: 'started_at', dst: 'raw_digits', billsec: 'duration' },
    text: '[{"started_at":1795165200,"answered_at":1795165210,"ended_at":1795165271,"duration":71,"raw_digits":"4420"},{"started_at":1795165300,"answered_at":null,"ended_at":1795165331,"duration":31,"raw_digits":"4420"},{"started_at":1795165400,"answered_at":1795165400,"ended_at":1795165461,"duration":61,"raw_digits":"4420"}]',
    is: [
      'unreadable: the lengths in the column "duration" are from the star',
      'unreadable: its column "answered_at" says "", which is no answered',
      '61 11-20T09:03:20 4420',
    ],
  },
  'the same, to be billed': {
    format: 'json',
    map: { start: 'started_at', dst: 'raw_digits', billsec: 'duration' },
    more: { where: ['answered_at!=x'] },
    text: '[{"started_at":1795165300,"answered_at":null,"ended_at":1795165331,"duration":31,"raw_digits":"4420"}]',
    is: ['31 11-20T09:01:40 4420'],
  },
  'Ringover (call list): incall_duration and total_duration; Genesys Cloud: milliseconds until conversationEnd':
    {
      format: 'json',
      map: { start: 'start_time', dst: 'to', billsec: 'total_duration' },
      text: [
        '"incall_duration":61,"total_duration":71',
        '"incall_duration":null,"total_duration":31,"last_state":"MISSED"',
        `"conversationEnd":"${DAY}T10:01:11Z","total_duration":61000`,
      ]
        .map((rest) => `{"start_time":"${DAY}T10:00:00Z","to":"4420",${rest}}\n`)
        .join(''),
      is: [
        'unreadable: the lengths in the column "total_duration" are above t',
        'unreadable: its column "last_state" says "missed", which is no ans',
        'unreadable: the lengths in the column "total_duration" are far abo',
      ],
    },
  'the connected time of IP Office is a length': {
    format: 'csv',
    text: `start,dst,billsec,Connected Time\n${DAY} 10:00:00,4420,61,\n`,
    is: ['61 11-20T09:00:00 4420'],
  },
  'lengths in minutes beside an end that is not mapped': {
    format: 'csv',
    map: { start: 'date_started', dst: 'external_number', billsec: 'talk_duration' },
    text: `date_started,date_connected,date_ended,external_number,talk_duration\n${DAY} 10:00:00,${DAY} 10:00:10,${DAY} 10:03:11,4420,3.02\n`,
    is: ['unreadable: the lengths in the column "talk_duration" are far below'.slice(0, 66)],
  },
  'the seconds until the answer are no time of it': {
    format: 'csv',
    text: `start,dst,billsec,Answer Time\n${DAY} 10:00:00,4420,61,0\n`,
    is: ['61 11-20T09:00:00 4420'],
  },
  'minutes and seconds in two columns': {
    format: 'csv',
    map: { billsec: 'Seconds' },
    text: `start,dst,Minutes,Seconds\n${DAY} 10:00:00,4420,2,13\n${DAY} 10:10:00,4420,0,45\n`,
    is: Array.from({ length: 2 }, () =>
      'unreadable: the lengths in the column "Seconds" may be what is left'.slice(0, 66),
    ),
  },
  'the same, joined': {
    format: 'csv',
    map: { billsec: 'Minutes+Seconds' },
    text: `start,dst,Minutes,Seconds\n${DAY} 10:00:00,4420,2,13\n${DAY} 10:10:00,4420,0,45\n`,
    is: ['133 11-20T09:00:00 4420', '45 11-20T09:10:00 4420'],
  },
  'seconds beside whole minutes that are billed': {
    format: 'csv',
    map: { billsec: 'Seconds' },
    text: `start,dst,Minutes,Seconds\n${DAY} 10:00:00,4420,1,13\n${DAY} 10:10:00,4420,2,75\n`,
    is: ['13 11-20T09:00:00 4420', '75 11-20T09:10:00 4420'],
  },
  'seconds of thousands with a point, under a heading of seconds': {
    format: 'csv',
    map: { billsec: 'Seconds' },
    text: `start;dst;Seconds\n${DAY} 10:00:00;4420;1.061\n${DAY} 10:10:00;4420;61\n`,
    is: Array.from({ length: 2 }, () =>
      'unreadable: the lengths in the column "Seconds" may be of thousands'.slice(0, 66),
    ),
  },
  'Gamma (call class) and mobile operators: messages and data by other words': {
    format: 'csv',
    text: `start,dst,billsec,Call Class\n${DAY} 10:00:00,4420,1,Outgoing SMS\n${DAY} 10:00:00,4420,1024,gprs\n${DAY} 10:00:00,4420,61,national\n`,
    is: [
      'unreadable: its column "Call Class" says "outgoing sms", which is n',
      'unreadable: its column "Call Class" says "gprs", which is no call: ',
      '61 11-20T09:00:00 4420',
    ].map((one) => one.slice(0, 66)),
  },
  'lengths in milliseconds as decimals, and whole ones with zeros (Sipwise NGCP)': {
    format: 'csv',
    map: { billsec: 'length' },
    text: `start,dst,length\n${['61.000', '75.250', '160.517', '161.933', '162.450']
      .map((length) => `${DAY} 10:00:00,4420,${length}\n`)
      .join('')}`,
    is: [61, 76, 161, 162, 163].map((seconds) => `${seconds} 11-20T09:00:00 4420`),
  },
  'hours and minutes beside begin and end (0:05 for five minutes)': {
    format: 'csv',
    map: { billsec: 'length' },
    text: `start,end,length,dst\n${DAY} 10:00:00,${DAY} 10:05:00,0:05,4420\n${DAY} 10:10:00,${DAY} 11:20:10,1:10,4420\n${DAY} 12:00:00,${DAY} 12:03:10,0:03,4420\n`,
    is: Array.from({ length: 3 }, () => 'unreadable: the lengths in the column "length" are far below what '),
  },
  'the same, declared as hours and minutes': {
    format: 'csv',
    map: { billsec: 'length' },
    more: { lengths: 'hh:mm' },
    text: `start,end,length,dst\n${DAY} 10:00:00,${DAY} 10:05:00,0:05,4420\n`,
    is: ['300 11-20T09:00:00 4420'],
  },
  'clock texts from the start of the call, of which ten seconds rang': {
    format: 'csv',
    map: { billsec: 'length' },
    text: `start,answer,end,length,dst\n${DAY} 10:00:00,${DAY} 10:00:10,${DAY} 10:01:11,00:01:11,4420\n`,
    is: ['unreadable: the lengths in the column "length" are from the start '],
  },
  // Damage
  'GoveeBTTempLogger (issue 88): NUL before the line that is written after a crash': {
    format: 'json',
    text: `${line('4420')}${NUL}${line('4421')}${line('4422')}`,
    is: ['61 11-20T09:00:00 4420', DAMAGED, '61 11-20T09:00:00 4422'],
  },
  'backblaze-backup-checker (issue 1): NUL inside of a row': {
    format: 'csv',
    text: `start,billsec,dst\n${DAY} 10:00:00,61,44${NUL}20\n${DAY} 10:00:00,61,4421\n`,
    is: [DAMAGED, '61 11-20T09:00:00 4421'],
  },
  'pgmodeler (issue 766): nothing but NUL': { format: 'json', text: NUL, is: [DAMAGED] },
  'OpenSIPS and Kamailio, acc_json: NUL between two lines': {
    format: 'kamailio-json',
    text: `${transaction('INVITE')}\n${NUL}\n${transaction('BYE')}\n`,
    is: ['dialog_event', DAMAGED, 'dialog_event'],
  },
  'FreeSWITCH, mod_xml_cdr: NUL behind the document of a call': {
    format: 'freeswitch-xml',
    text: `<cdr><variables><uuid>a</uuid></variables></cdr>${NUL}`,
    is: [DAMAGED],
  },
  // Rows that are no calls
  'Cider (CDRs of mobile networks): texts and calls in one file': {
    format: 'csv',
    map: { start: 'timestamp', src: 'caller_id', dst: 'recipient_id', billsec: 'duration' },
    text: `txn_type,caller_id,recipient_id,timestamp,duration\ncall,1,4420,${DAY} 10:00:00,61\ntext,1,4420,${DAY} 10:01:00,15\n`,
    is: ['61 11-20T09:00:00 4420', 'unreadable: its column "txn_type" says "text", which is no call: l'],
  },
  'phone_data.csv (shanelynn): messages among calls, which --where leaves out': {
    format: 'csv',
    more: { where: ['item=call'] },
    text: `item,start,dst,billsec\ncall,${DAY} 10:00:00,4420,61\nsms,${DAY} 10:01:00,4421,1\n`,
    is: ['61 11-20T09:00:00 4420', 'skipped'],
  },
  'Vonage (Reports API): a credit with the seconds of its call': {
    format: 'json',
    text: `{"start":"${DAY} 10:00:00","dst":"4420","billsec":61,"meta":{"type":"Credit"}}\n`,
    is: ['unreadable: its column "meta.type" says "credit", which is no call'],
  },
  // Headings twice
  'RFC 8259 (section 4): a name twice, with one value, with two, and at two depths': {
    format: 'json',
    map: { billsec: 'call.seconds' },
    text: ['"seconds":61,"seconds":61', '"seconds":61,"seconds":75', '"seconds":61,"leg":{"seconds":75}']
      .map((call) => `{"start":"${DAY} 10:00:00","dst":"4420","call":{${call}}}\n`)
      .join(''),
    is: [
      '61 11-20T09:00:00 4420',
      'unreadable: it has "seconds" twice, with other values: have the sw',
      '61 11-20T09:00:00 4420',
    ],
  },
  'cqmetrics (issue 12): two columns of one name': {
    format: 'csv',
    map: { billsec: 'Duration' },
    text: `start,dst,Duration,Duration\n${DAY} 10:00:00,4420,61,70\n`,
    is: ['unreadable: the column "Duration" occurs 2 times, as #3 and #4: na'],
  },
  'etmoses (issue 1545): one of them with a blank': {
    format: 'csv',
    map: { dst: 'Number' },
    text: `start,Number ,billsec,Number\n${DAY} 10:00:00,4420,61,34911\n`,
    is: ['unreadable: the column "Number" occurs 2 times, as #2 and #4: name'],
  },
  'Tangerine (issue 537): the columns are there once more': {
    format: 'csv',
    text: `start,dst,billsec,start,dst,billsec\n${DAY} 10:00:00,4420,61,${DAY} 11:00:00,4421,62\n`,
    is: ['unreadable: the column "start" occurs 2 times, as #1 and #4: name '],
  },
  'Kazoo (pull request 4732): the header again among the rows': {
    format: 'csv',
    text: `start,dst,billsec\n${DAY} 10:00:00,4420,61\nstart,dst,billsec\n${DAY} 10:00:00,4421,61\n`,
    is: ['61 11-20T09:00:00 4420', '61 11-20T09:00:00 4421'],
  },
  'BCH Digital (Voice CDR Format): two legs; -1 is a call without an answer': {
    format: 'csv',
    map: { start: 'bDate+bTime', src: 'aCLI', dst: 'bDDI', billsec: 'bSeconds' },
    text: `aDate,aTime,aDDI,aCLI,aSeconds,bDate,bTime,bDDI,bSeconds\n${DAY},10:00:00,4400,34911,70,${DAY},10:00:05,4420,61\n${DAY},10:00:00,4400,34911,70,${DAY},10:00:05,4420,-1\n`,
    is: ['61 11-20T09:00:05 4420', 'unreadable: billsec "-1" is not a number of seconds, nor a length '],
  },
  // Ambiguous and impossible times
  'ArtisanPack-UI bookings (issue 65): 01:00 to 02:00 in Chicago occurs twice': {
    format: 'csv',
    more: { zone: 'America/Chicago' },
    text: 'start,answer,end,dst\n2026-11-01 00:50:00,2026-11-01 00:50:00,2026-11-01 01:10:00,4420\n2026-11-01 01:50:00,2026-11-01 01:50:00,2026-11-01 01:10:00,4420\n',
    is: ['ambiguous_time: its times occur twice, as the clocks go back: it l', '1200 11-01T06:50:00 4420'],
  },
  'gridlab-d (issue 881): the change is over between the two times': {
    format: 'csv',
    text: 'start,answer,end,dst\n2026-10-25 01:59:00,2026-10-25 01:59:00,2026-10-25 03:01:00,4420\n',
    is: ['7320 10-24T23:59:00 4420'],
  },
  'ivozprovider (issue 983): a length and an end that is before the start': {
    format: 'csv',
    text: `start,end,billsec,dst\n${DAY} 10:00:00,${DAY} 09:59:00,306,4420\n`,
    is: ['impossible_time: it ends before it begins'],
  },
  'Cisco CUCM: disconnected before it was connected': {
    format: 'csv',
    map: {
      start: 'dateTimeOrigination',
      answer: 'dateTimeConnect',
      end: 'dateTimeDisconnect',
      dst: 'called',
    },
    text: 'dateTimeOrigination,called,dateTimeConnect,dateTimeDisconnect\n1795165200,4420,1795165205,1795165100\n',
    is: ['impossible_time: it ends before it begins'],
  },
  'Quintum Tenor (CDR output): 14 digits, and 16 with hundredths': {
    format: 'csv',
    map: { start: 'init', answer: 'conn', end: 'disc', dst: 'called', billsec: 'len' },
    more: { columns: ['id', 'called', 'len', 'init', 'conn', 'disc', 'cause'] },
    text: '1,4420,61,20261120100000,20261120100005,2026112010010630,16\n',
    is: ['61 11-20T09:00:00 4420'],
  },
  'BroadWorks: an indicator of the answer': {
    format: 'csv',
    map: { start: 'startTime', answer: 'answerTime', end: 'releaseTime', dst: 'calledNumber' },
    text: 'calledNumber,startTime,answerTime,releaseTime\n+4420,20261120100000.123,20261120100005.456,20261120100106.500\n',
    is: ['62 11-20T09:00:00 +4420'],
  },
}

test.each(Object.entries(SAMPLES))('%s', (_source, { format, text, map = {}, more = {}, is }) => {
  const read = parserFor({ format, source: 'public', zone: 'Europe/Madrid' })
  expect(foundIn(read(text, { mapping: map, ...more })).map(shown)).toEqual(is)
})
