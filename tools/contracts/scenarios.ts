import { readdirSync, readFileSync } from 'node:fs'
import { masterColumns } from '#lib/cdrs/formats/asterisk.ts'
import { type FormatName, isFormat } from '#lib/cdrs/formats/formats.ts'
import { root } from '#tools/machine/program.ts'

/** A call that a scenario bills, in the words of its `scenario.json`. */
export interface BilledCall {
  readonly account: string
  /** Blank if the switch names no device. */
  readonly device: string
  readonly dst: string
  readonly billsec: number
  readonly disposition: string
  readonly price: string
  /** The reason why the call is free: the column `rated`. */
  readonly free?: string
}

/** A scenario of a working day: what a switch writes about it, and the calls that are billed. */
export interface Scenario {
  readonly switchName: string
  readonly name: string
  readonly title: string
  readonly writes: string
  /** The billed calls, with their customers. */
  readonly billed: string
  /** The source or test suite that shows what the switch writes. */
  readonly origin: string
  readonly calls: readonly BilledCall[]
  /** Documents that are not billed like this, or not line by line, each with the reason. */
  readonly waits?: Readonly<Record<string, string>>
  /** Reasons of suspended CDRs, by document. */
  readonly suspended?: Readonly<Record<string, readonly string[]>>
  readonly documents: readonly ScenarioDocument[]
}

/** Everything that the switch writes with one configuration. Each document alone bills the calls. */
export interface ScenarioDocument {
  readonly file: string
  readonly format: FormatName
  readonly columns?: readonly string[]
  readonly text: string
}

const FOLDER = `${root}data/switches/scenarios/`

export const scenarioSwitches = (): string[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** The word of a format, where it is not the ending of the file. */
const WORDS: Readonly<Record<string, string>> = { ndjson: 'json', flat: 'csv' }

/** Files without a header: `Master.csv` with `loguniqueid=yes`, OpenSIPS's with these extra fields. */
const COLUMNS = new Map<string, readonly string[]>([
  ['Master.csv', masterColumns({ loguniqueid: true, loguserfield: false, newcdrcolumns: false })],
  ['acc.flat', ['src_user', 'src_ip', 'dst_user', 'dst_ip']],
])

export const scenariosOf = (switchName: string): Scenario[] =>
  readdirSync(FOLDER + switchName)
    .sort()
    .map((name) => readScenario(switchName, name))

function readScenario(switchName: string, name: string): Scenario {
  const folder = `${FOLDER}${switchName}/${name}/`
  const files = readdirSync(folder).filter((file) => file !== 'scenario.json')
  const documents = files.sort().map((file) => readDocument(switchName, folder, file))
  return { ...JSON.parse(readFileSync(`${folder}scenario.json`, 'utf8')), switchName, name, documents }
}

function readDocument(switchName: string, folder: string, file: string): ScenarioDocument {
  const ending = file.replace(/^.*\./, '')
  const format = `${switchName}-${WORDS[ending] ?? ending}`
  if (!isFormat(format)) throw new Error(`${folder}${file} has no format: there is no ${format}`)
  const columns = COLUMNS.get(file)
  return { file, format, ...(columns && { columns }), text: readFileSync(folder + file, 'utf8') }
}

export function scenarioTable(switchName: string): string {
  const rows = scenariosOf(switchName).map(
    ({ title, writes, billed, origin, name }) =>
      `| ${[`[${title}](${switchName}/${name})`, writes, billed, origin].join(' | ')} |`,
  )
  return [
    '| scenario | what the switch writes | what is billed | origin |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
