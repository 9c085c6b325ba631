import cliProgress from 'cli-progress'
import type { Progress } from '#lib/dataset/format/dataset-file.ts'

export interface ProgressDisplay {
  show(progress: Progress): void
  stop(): void
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

/** A bar at a terminal, a count while the total is unknown, otherwise a line every five seconds. */
export const createProgress = (
  output: Output,
  now: () => number = Date.now,
  words: Words = OF_AN_IMPORT,
): ProgressDisplay =>
  output.isTTY ? barOn(output as NodeJS.WriteStream, now, words) : linesOn(output, now, words)

/** The verb of each phase, and what is counted. */
interface Words extends Readonly<Record<Progress['phase'], string>> {
  readonly noun: string
}

const OF_AN_IMPORT: Words = { check: 'checking', compare: 'comparing', write: 'importing', noun: 'rows' }

/**
 * Rows per second in the last minute of this phase of this file; 0 before there is a second report. Rows that
 * are stored already pass faster than new ones, so an earlier rate would make the time left wrong.
 */
function createRate(now: () => number) {
  let pass = ''
  let reports: { readonly done: number; readonly at: number }[] = []
  return ({ file, phase, done }: Progress): number => {
    if (pass !== `${phase} ${file}`) reports = []
    pass = `${phase} ${file}`
    reports.push({ done, at: now() })
    while ((reports[1]?.at ?? now()) <= now() - RATE_WINDOW_MS) reports.shift()
    const [first = { done, at: now() }] = reports
    const seconds = (now() - first.at) / 1000
    return seconds === 0 ? 0 : Math.round((done - first.done) / seconds)
  }
}

const RATE_WINDOW_MS = 60_000

/** The text of a bar besides its numbers. */
interface Shown {
  readonly word: string
  readonly file: string
  readonly speed: string
  /** The total is unknown. */
  readonly isCounted: boolean
}

function barOn(stream: NodeJS.WriteStream, now: () => number, words: Words): ProgressDisplay {
  const format = (
    options: cliProgress.Options,
    { progress, value, total }: cliProgress.Params,
    { word, file, speed, isCounted }: Shown,
  ) => {
    if (isCounted) return `${word} ${file}: ${value} ${words.noun}`
    const bar = cliProgress.Format.BarFormat(progress, options)
    return `${word} ${file} [${bar}] ${value}/${total} ${words.noun}${speed}`
  }
  const options = { stream, format, hideCursor: true, clearOnComplete: true }
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic)
  const rateOf = createRate(now)
  return {
    show: (progress) => {
      const { file, phase, done, total } = progress
      const speed = speedOf(progress, rateOf(progress))
      if (total === 0) return
      const shown: Shown = { word: words[phase], file, speed, isCounted: total === undefined }
      if (!bar.isActive) bar.start(total ?? done, done, shown)
      bar.setTotal(total ?? done)
      bar.update(done, shown)
    },
    stop: () => bar.stop(),
  }
}

const LINE_EVERY_MS = 5000

function linesOn(output: Output, now: () => number, words: Words): ProgressDisplay {
  const rateOf = createRate(now)
  let last = now()
  return {
    show: (progress) => {
      const rate = rateOf(progress)
      if (now() - last < LINE_EVERY_MS) return
      last = now()
      output.write(`${lineOf(progress, rate, words)}\n`)
    },
    stop: () => {},
  }
}

function lineOf(progress: Progress, rate: number, words: Words): string {
  const { file, phase, done, total } = progress
  const rows = total === undefined ? done : `${done} of ${total}`
  return `${words[phase]} ${file}: ${rows} ${words.noun}${speedOf(progress, rate)}`
}

/** The rate and the time left; blank unless both are known. */
function speedOf({ done, total }: Progress, rate: number): string {
  if (total === undefined || rate === 0) return ''
  const seconds = Math.ceil((total - done) / rate)
  const left = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
  return `, ${rate}/s, ${left} left`
}
