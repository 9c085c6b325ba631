import { expect, test } from 'vitest'
import { lengthFormIn, lengthText, zoneInHeading } from './headings.ts'

test.each([
  ['duration_ms', 'ms'],
  ['Duration (min)', 'min'],
  ['Billed Minutes', 'min'],
  ['durationMs', 'ms'],
  ['durationms', 'ms'],
  ['billmsec', 'ms'],
  ['uduration', 'us'],
  ['duration_us', 'us'],
  ['ms_duration', 'ms'],
  ['Call Duration [Millis]', 'ms'],
  ['Length, h', 'h'],
  ['DurationInSeconds', 's'],
  ['billsec', 's'],
  ['duration', undefined],
  ['Talk Time', undefined],
  ['Duration (rounded)', undefined],
  ['US Duration', undefined],
  ['Dauer (Sek.)', 's'],
  ['Minutes of Use', 'min'],
  ['MOU', 'min'],
  ['Duration (hh:mm)', 'hh:mm'],
  ['Duration (HHMMSS)', 'hhmmss'],
  ['Duration (h:mm:ss)', 'hh:mm:ss'],
  ['Длительность (сек)', 's'],
  ['Duration (mins)', 'min'],
  ['Usage (min)', 'min'],
])('%j tells the length form %j', (heading, form) => {
  expect(lengthFormIn(heading)).toBe(form)
})

test.each([
  'Duration (ticks)',
  'Pulses',
  'Duration (6 sec)',
  'Billed Units',
  'Duration (1/10 s)',
  'min_duration',
  'Duration (m)',
  'Duration min sec',
  'duration_d',
  // unix.com/man-page/debian/5/isdnlog: a column of 1/100 seconds; publicdoc.rbbn.com (Sonus): ticks of 10 ms
  'Duration of connection in hundredths of a second',
  'Duration in tenths of seconds',
  'duration_sec_x10',
  'Duration (mmm.ss)',
  'duration_nanos',
  // api.keyyo.com: the quantity of a call, of the unit in another column
  'quantity_billed',
  'Usage',
])('the unit of %j is unknown', (heading) => {
  expect(lengthFormIn(heading)).toMatchObject({ unknown: expect.anything() })
})

test.each([
  ['61000', 'ms', '61'],
  ['9500', 'ms', '9.5'],
  ['1.5', 'min', '90'],
  ['1,5', 'min', '90'],
  ['1.02', 'min', '61'],
  ['1.0167', 'min', '61'],
  ['0.016666666667', 'min', '1'],
  ['12', 'min', '720'],
  ['0', 'min', '0'],
  ['1:30', 'min', '1:30'],
  ['1:30', 'h', '1:30:00'],
  ['00:01:30', 'ms', '00:01:30'],
  ['90s', 'min', '90s'],
  ['1,500', 'ms', '1,500'],
  ['2', 'h', '7200'],
  ['000123', 'hhmmss', '00:01:23'],
  ['123', 'hhmmss', '00:01:23'],
  ['0123', 'hhmm', '01:23:00'],
  ['0123', 'mmss', '01:23'],
  ['1:23', 'hh:mm', '1:23:00'],
] as const)('%j of %s is %j', (text, form, seconds) => {
  expect(lengthText(text, form)).toBe(seconds)
})

test.each([
  ['Date/Time Start (UTC)', 'UTC'],
  ['Start Time (GMT)', 'UTC'],
  ['start_utc', 'UTC'],
  ['StartTimeUTC', 'UTC'],
  ['Zeit [MEZ]', 'Europe/Berlin'],
  ['Start [Europe/Madrid]', 'Europe/Madrid'],
  ['Start Europe/Madrid', 'Europe/Madrid'],
  ['Start (+02:00)', '+02:00'],
  ['Start (UTC+2)', '+02:00'],
  ['Start GMT-05:30', '-05:30'],
  ['Effective Date (GMT 00:00)', 'UTC'],
  ['Time (24h, UTC)', 'UTC'],
  ['Start Time EST', 'America/New_York'],
  ['Call Start (US/Eastern)', 'US/Eastern'],
  ['Start Time (ET)', 'America/New_York'],
  ['Start (CET/CEST)', 'Europe/Brussels'],
  ['Heure (Paris)', 'Europe/Paris'],
  ['Start Time (New York)', 'America/New_York'],
  ['Время (МСК)', '+03:00'],
  ['datetimeutc', 'UTC'],
  ['Start (Z)', 'UTC'],
  // pastebin.com/GvV9Rn0U (a dialler): CallUniversalTime beside CallLocalTime
  ['CallUniversalTime', 'UTC'],
  ['CallLocalTime', undefined],
  ['est_start', undefined],
  ['Start (local)', undefined],
  ['Start (YYYY-MM-DD HH:MM:SS)', undefined],
  ['Date (DD/MM/YYYY)', undefined],
  ['Time (SBC)', undefined],
  ['Date/Time', undefined],
  ['start', undefined],
  ['Setup (ms)', undefined],
])('the times of %j are in %j', (heading, zone) => {
  expect(zoneInHeading(heading)).toBe(zone)
})

test.each([
  'Start (CST)',
  'Start [Mars/Base]',
  'Time (XYZ)',
  'Start Europe/Atlantis',
  'Start (IST)',
  'Start Time CST',
  'Start Time (Pacific Time)',
  'Start (W. Europe Standard Time)',
])('the zone of %j is unknown', (heading) => {
  expect(zoneInHeading(heading)).toMatchObject({ unknown: expect.anything() })
})
