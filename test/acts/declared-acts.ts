import { globSync, readFileSync } from 'node:fs'
import type { Act } from '#lib/acts/act.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { type KindName, kindNamed, RECORD_KINDS } from '#lib/dataset/records/record-kinds.ts'
import { root } from '#tools/machine/program.ts'

const DECLARED = /^export const (\w+)(?:: Act<.*>)? =(?: \(.*\) =>)?\s+defineAct(?:<.*>)?\(/gm

type Named = readonly [name: string, act: Pick<Act, 'summary'>]

/** Every act by its name, as its file exports it, and those of records. */
export async function declaredActs(): Promise<ReadonlyMap<string, Pick<Act, 'summary'>>> {
  const paths = ['lib', 'tools/commands']
    .flatMap((folder) => globSync(`${root}${folder}/**/*.ts`))
    .filter((path) => !path.includes('.test.'))
  const found = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(DECLARED)].map(async ([, name = '']): Promise<Named> => {
      const exported = (await import(path))[name]
      return [name, typeof exported === 'function' ? exported({}) : exported]
    }),
  )
  const ofRecords = (Object.keys(RECORD_KINDS) as KindName[]).flatMap((kind): Named[] => {
    const { add, change, remove } = recordActs(kind)
    return [
      [`${kind}.add`, add],
      [`${kind}.change`, change],
      ...(kindNamed(kind).remove ? [[`${kind}.remove`, remove] as const] : []),
    ]
  })
  return new Map([...(await Promise.all(found)), ...ofRecords])
}
