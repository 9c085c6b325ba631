import { appendFileSync, readdirSync, readFileSync } from 'node:fs'

/** The workers of a run note here what the tests after all others read. */
const folder = process.env['TOLLGATE_EVIDENCE']

/** False in a benchmark, which has no run of tests around it. */
export const keepsNotes = Boolean(folder)

type NoteKind = 'facts' | 'lines' | 'secrets' | 'writes'

const known = new Set<string>()

/** Every worker writes a file of its own for each kind, and each note once. */
export function note(kind: NoteKind, what: unknown): void {
  if (!keepsNotes) return
  const line = JSON.stringify(what)
  if (known.has(kind + line)) return
  known.add(kind + line)
  appendFileSync(`${folder}/${process.pid}.${kind}`, `${line}\n`)
}

/** The notes of the whole run. */
export const readNotes = <T>(kind: NoteKind): T[] =>
  (folder ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(`.${kind}`))
    .flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as T)
