import { reportLine } from '#lib/dataset/format/report-line.ts'
import type { RefusedRow } from './sheet-rates.ts'

/** Refused rows of a sheet with their lines and reasons, as the sheet has them. */
export function refusedCsv(refused: readonly RefusedRow[]): string {
  const headings = [...new Set(refused.flatMap(({ cells }) => Object.keys(cells)))]
  const lines = refused.map(({ line, reason, cells }) =>
    reportLine([String(line), reason, ...headings.map((heading) => cells[heading] ?? '')]),
  )
  return [reportLine(['line', 'reason', ...headings]), ...lines].join('')
}
