import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

// Three methods as a user would write them over MariaDB, without gates, refusals and time zones.

const [socketPath, port, key, packages] = process.argv.slice(2)
const mysql = createRequire(packages)('mysql2/promise')
const pool = mysql.createPool({ socketPath, user: 'root', database: 'peer', dateStrings: true })

const SIGNED = {
  quickstats_get: [],
  rate_get: ['username'],
  user_calls_get: ['period_start', 'period_end', 's_user'],
}

const isSigned = (name, sent) =>
  sent.hash ===
  createHash('sha1')
    .update((SIGNED[name] ?? []).map((one) => sent[one]).join('') + key)
    .digest('hex')

const query = async (sql, values = []) => (await pool.execute(sql, values))[0]

const TOTALS = `SELECT SUM(disposition = 'ANSWERED') calls, SUM(billsec) duration, SUM(user_price) revenue,
  SUM(provider_price) self_cost FROM calls WHERE day BETWEEN ? AND ?`
const IN_PROGRESS = 'SELECT COUNT(*) total, COUNT(answer_time) answered_calls FROM active_calls'
const CALLS = `SELECT FROM_UNIXTIME(calldate) calldate2, 'GMT +00:00' timezone, src, dst, disposition, billsec, billsec nice_billsec,
  user_rate, user_price, provider_id, provider_rate, provider_price, reseller_price, hangupcause, uniqueid
  FROM calls WHERE user_id = ? AND calldate BETWEEN ? AND ? ORDER BY calldate, uniqueid`

const answers = {
  quickstats_get: async () => {
    const day = new Date().toISOString().slice(0, 10)
    const [[month], [today], [active]] = await Promise.all([
      query(TOTALS, [`${day.slice(0, 8)}01`, day]),
      query(TOTALS, [day, day]),
      query(IN_PROGRESS),
    ])
    return `<quickstats>${tag('this_month', elements(month))}${tag('today', elements(today))}${tag('active_calls', elements(active))}</quickstats>`
  },
  rate_get: async ({ username, prefix }) => {
    const leading = Array.from(prefix, (_, index) => prefix.slice(0, index + 1))
    const [rate] = await query(
      `SELECT rates.* FROM rates JOIN accounts USING (tariff_id) WHERE username = ? AND prefix IN (${leading.map(() => '?')})
        ORDER BY LENGTH(prefix) DESC LIMIT 1`,
      [username, ...leading],
    )
    return tag('rate', rate ? `${Number(rate.tariff_rate)}#${rate.destination}#${rate.prefix}` : '')
  },
  user_calls_get: async ({ s_user, period_start, period_end }) => {
    const calls = await query(CALLS, [s_user, period_start, period_end])
    return `<total_calls>${calls.length}</total_calls><calls>${calls.map((call) => tag('call', elements(call))).join('')}</calls>`
  },
}

const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const tag = (name, markup) => `<${name}>${markup}</${name}>`
const elements = (row = {}) =>
  Object.entries(row)
    .map(([name, value]) =>
      tag(
        name,
        String(value ?? '').replace(/[&<>]/g, (one) => ESCAPED[one]),
      ),
    )
    .join('')

createServer(async (request, response) => {
  const name = request.url.slice('/api/'.length)
  const sent = Object.fromEntries(new URLSearchParams(await text(request)))
  const answer = isSigned(name, sent) ? await answers[name]?.(sent) : '<error>Incorrect hash</error>'
  response.setHeader('Content-Type', 'text/xml')
  response.end(`<?xml version="1.0" encoding="UTF-8"?><page>${answer}</page>`)
}).listen(Number(port), 'localhost', () => process.stdout.write('listening\n'))
