import * as v from 'valibot'
import { cutText } from '#lib/base/text.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** All entries are in one item, which is read as a whole. */
export const failedImportsKey = keyForm('IMPORTS', 'FAILED')

/** A part of a large file, or the whole file. Both numbers are 0 if it was not imported at all. */
const part = v.object({ from: v.number(), rows: v.number(), refused: v.number() })

const entry = v.object({
  /** The key in the bucket. */
  file: v.string(),
  /** A file of a dataset, "rate sheet", "CDRs" or "unknown". */
  kind: v.string(),
  /** The time of the last failure, an ISO date-time. */
  at: v.string(),
  reason: v.string(),
  /** The key of the refused rows, or of the report; missing if there is none. */
  rejected: v.optional(v.string()),
  parts: v.array(part),
})

/** A file in the bucket whose last import failed, or refused rows. */
export type FailedImport = Readonly<v.InferOutput<typeof entry>>

const stored = v.pipe(v.string(), v.parseJson(), v.array(entry))

const MAX_FILES = 20

const MAX_PARTS = 100

/** A reason names a row and what is wrong with it. */
const MAX_REASON_LENGTH = 300

/** The last files that failed, newest first. */
export async function listFailedImports(store: Store): Promise<readonly FailedImport[]> {
  return entriesIn(await storedText(store))
}

/** A failure of one part, or of a whole file. */
export type Failure = Omit<FailedImport, 'parts'> & { readonly part: v.InferOutput<typeof part> }

/** Puts a file first in the list. Parts of it that failed before are kept. */
export const noteFailedImport = (store: Store, { part: failed, ...file }: Failure): Promise<void> =>
  changeList(store, (known) => {
    const earlier = known.find((one) => one.file === file.file)?.parts ?? []
    const others = earlier.filter(({ from }) => from !== failed.from).slice(0, MAX_PARTS - 1)
    const reason = cutText(file.reason, MAX_REASON_LENGTH)
    return [{ ...file, reason, parts: [failed, ...others] }, ...without(known, file.file)].slice(0, MAX_FILES)
  })

export const forgetFailedImport = (store: Store, file: string): Promise<void> =>
  changeList(store, (known) => without(known, file))

/** Takes a part of a file from the list, and the file with its last part. */
export const forgetFailedPart = (store: Store, file: string, from: number): Promise<void> =>
  changeList(store, (known) =>
    known
      .map((one) =>
        one.file === file ? { ...one, parts: one.parts.filter((other) => other.from !== from) } : one,
      )
      .filter(({ parts }) => parts.length > 0),
  )

const without = (known: readonly FailedImport[], file: string) => known.filter((one) => one.file !== file)

/** Imports run at the same time, so the list is changed again if another one has changed it meanwhile. */
const changeList = (
  store: Store,
  change: (known: readonly FailedImport[]) => readonly FailedImport[],
): Promise<void> =>
  retryingRaces(store, async () => {
    const before = await storedText(store)
    const after = JSON.stringify(change(entriesIn(before)))
    if (after === (before ?? NO_FILES)) return
    await store.transact([listChanged(before, after)])
  })

const listChanged = (before: unknown, files: string): Change => ({
  update: failedImportsKey(),
  to: { set: { files } },
  when: { files: before === undefined ? absent : is(before) },
})

/** The change that takes a file off the list; `undefined` if it is not on it. */
export async function failedImportDismissed(
  store: Store,
  isMeant: (entry: FailedImport) => boolean,
): Promise<{ readonly file: string; readonly change: Change } | undefined> {
  const before = await storedText(store)
  const known = entriesIn(before)
  const found = known.find(isMeant)
  const files = found && JSON.stringify(without(known, found.file))
  return files === undefined ? undefined : { file: found?.file ?? '', change: listChanged(before, files) }
}

const NO_FILES = '[]'

const storedText = async (store: Store): Promise<unknown> => (await store.get(failedImportsKey()))?.['files']

const entriesIn = (text: unknown): readonly FailedImport[] => v.parse(stored, text ?? NO_FILES)
