import { signatureOf } from '#lib/api/signature.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { method } from '../functions/rates/tariff_rates_get.ts'
import type { BenchInstallation } from './installation.ts'
import type { BenchmarkTable } from './report.ts'

/** Streams a whole tariff through the handler, as the Lambda runtime does, to a reader that discards it. */
export async function benchStreaming(
  { services, store }: BenchInstallation,
  rates: number,
): Promise<BenchmarkTable> {
  const { API_Secret_Key } = (await store.get(settingsKey)) ?? {}
  const transport = { streams: true, maxBytes: 200_000_000 }
  const hash = signatureOf({}, { signs: [] }, String(API_Secret_Key))
  const event = anEvent({ body: new URLSearchParams({ u: 'large', hash }).toString() })
  const start = performance.now()
  const read = { first: 0, bytes: 0, peak: 0 }
  await streamed(method, { ...services, transport }, [event, aContext()], async (answer) => {
    for await (const chunk of answer) {
      read.first ||= performance.now() - start
      read.bytes += chunk.length
      read.peak = Math.max(read.peak, process.memoryUsage.rss())
    }
  })
  const whole = performance.now() - start
  return {
    title: `tariff_rates_get of ${rates.toLocaleString('en')} rates, streamed`,
    rows: [
      ['document', `${Math.round(read.bytes / 1e6)} MB`],
      ['first byte after this part of the time', `${((read.first / whole) * 100).toFixed(1)} %`],
      [
        'memory of the whole process, benchmark included (budget 300 MB)',
        `${Math.round(read.peak / 1e6)} MB`,
      ],
    ],
  }
}
