import { expect, test } from 'vitest'
import { cdrsIn, parserFor } from '#test/mediation/switch-documents.ts'
import { type ScenarioDocument, scenariosOf } from '#tools/contracts/scenarios.ts'

/** FreeSWITCH's CDRs of a working day's scenarios. Parsing comes before legs of a loopback are joined. */
const documents = scenariosOf('freeswitch')
  .filter(({ name }) => !name.startsWith('loopback'))
  .flatMap(({ name, calls, documents }) =>
    documents.map((document) => ({ document, calls, path: `${name}/${document.file}` })),
  )

const cdrsOf = ({ text, ...document }: ScenarioDocument) =>
  cdrsIn(parserFor({ ...document, source: 'fs1', zone: 'UTC' })(text))

interface Billed {
  readonly dst: string
  readonly billsec: number
  readonly disposition: string
}

const sorted = (calls: readonly Billed[]): string[] =>
  calls.map(({ dst, billsec, disposition }) => `${dst} ${billsec} ${disposition}`).sort()

test.each(documents)(
  'the legs of FreeSWITCH in $path have the calls that are billed',
  ({ document, calls }) => {
    expect(sorted(cdrsOf(document))).toEqual(sorted(calls))
  },
)
