/** The values of a line of the log, by name. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Writes one line of a function's log, with the names that Powertools for AWS Lambda made common. Lambda
 * filters lines by `level`. `npm start` replaces this file with its own channel.
 */
export function writeLogLine(line: LogFields): void {
  process.stdout.write(`${JSON.stringify({ ...originOf(line), ...line })}\n`)
}

let isCold = true

function originOf({ outcome, error, milliseconds = 0 }: LogFields): LogFields {
  const cold_start = isCold
  isCold = false
  return {
    level: outcome === 'failed' || error !== undefined ? 'ERROR' : 'INFO',
    timestamp: new Date().toISOString(),
    service: 'tollgate',
    xray_trace_id: /Root=([^;]+)/.exec(process.env['_X_AMZN_TRACE_ID'] ?? '')?.[1],
    cold_start,
    // The time from the start of Node to the first request, without the request itself.
    ...(cold_start && { init_milliseconds: Math.round(performance.now() - Number(milliseconds)) }),
    memory_mb: Math.round(process.memoryUsage.rss() / 1e6),
  }
}
