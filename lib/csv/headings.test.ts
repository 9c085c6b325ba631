import { expect, test } from 'vitest'
import { lengthFormIn, lengthText, rateUnitIn, zoneInHeading } from './headings.ts'

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

test.each([
  ['Rate per second', '60'],
  ['RatePerSecond', '60'],
  ['Rate (sec)', '60'],
  ['Rate/s', '60'],
  ['Rate (per 6 sec)', '10'],
  ['Rate per 100 min', '0.01'],
  ['Rate per 1,000 minutes', '0.001'],
  ['Rate per thousand minutes', '0.001'],
  ['Rate (ppm)', '0.01'],
  ['Rate (milli EUR)', '0.001'],
  ['Pence per minute', '0.01'],
  ['Price per hour', '1/60'],
  ['Cents per second', '0.6'],
  ['Rate (p/min)', '0.01'],
  ['Rate per 30s', '2'],
  ['bPPMRate', '0.01'],
  ['bPPCRate', undefined],
  ['Rate per call', undefined],
  ['Rate incl. VAT', undefined],
  ['Preis (inkl. MwSt)', undefined],
  ['Rate (gross)', undefined],
  ['Rate per pulse', undefined],
  ['Rate per SMS', undefined],
  ['Rate (mUSD)', '0.001'],
  ['Rate, USD mils', '0.001'],
  ['Rate (millicents)', '0.00001'],
  ['Rate (micros)', '0.000001'],
  ['Rate (GBX)', '0.01'],
  ['Pris (øre/min)', '0.01'],
  ['Rate x1000', undefined],
  ['Rate/1000', undefined],
  ['Rate in 1/10000 USD', undefined],
  ['Rate/Block', undefined],
  ['Per-call charge', undefined],
  ['Flat Rate', undefined],
])('%j asks for the factor, which is %j', (heading, factor) => {
  expect(rateUnitIn(heading)).toMatchObject({ factor })
})

test.each([
  'Rate',
  'Rate per minute',
  'Rate (USD/min)',
  'Rate EUR/Minute',
  'RatePerMinute',
  'Rate per 60 sec',
  'Price/Rate',
  'Rate per destination',
  'Rate excl. VAT',
  'Price ex VAT per min',
  'Preis zzgl. MwSt',
  'Rate (peak)',
  'Rate 01/12/2026',
  'Con Fee',
  'New Rate, USD',
  'Cost/Min',
  'Rate ($USD per minute)',
  'rate_minute',
  'Rate 60/60',
  'Rate (1/1)',
  'Rate (EUR/m EUR)',
])('%j is a rate of a minute', (heading) => {
  expect(rateUnitIn(heading)).toBeUndefined()
})
