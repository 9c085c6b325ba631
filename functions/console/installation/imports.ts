import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportedFileAnswer } from '#lib/api/console/answers/switches.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, yesValue } from '#lib/api/console/values.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { NO_ROWS } from '#lib/base/row-refused.ts'
import { escapeControls } from '#lib/base/text.ts'
import { packingOf, unpacked } from '#lib/csv/packed.ts'
import { importPath, openDataset } from '#lib/dataset/import/folder.ts'

const MB = 1_000_000

/** An event of Lambda has room for 4.5 MB. The page packs a file. */
const MOST_BYTES = 4 * MB
const MOST_UNPACKED_BYTES = 30 * MB

/** A request lasts 29 seconds at most, and a password takes a third of one. The command has no such limit. */
const MOST_ROWS = 1000
const MOST_PASSWORDS = 20

const MOST_SHOWN = 50

/** Those that the page also lists: its role writes no other items. */
const FILES = [
  ...(['users', 'devices', 'device_rules', 'dids', 'providers', 'tariffs', 'currencies'] as const),
  ...(['services', 'subscriptions', 'locations', 'location_rules'] as const),
] as const

const sent = { file: oneWord(...FILES), step: oneWord('preview', 'import'), rename: yesValue }

export const resource = defineResource({
  name: 'imports',
  access: 'records',
  operations: [
    operation('POST', '/imports/{file}', {
      summary:
        'Reads a dataset file such as users, CSV, plain or packed, and answers with what it changes and which rows it refuses. The step import also imports it, as npx tollgate import does; the same file again changes nothing.',
      callers: ['admin'],
      params: sent,
      mostBytes: MOST_BYTES,
      run: previewOrImport,
    }),
  ],
})

export const handler = consoleLambda(resource)

async function previewOrImport({ params, file: bytes, ...request }: ConsoleRequest<typeof sent>) {
  const { file = 'users', step, rename } = params
  const content = packingOf(bytes) === undefined ? bytes : await unpacked(bytes, MOST_UNPACKED_BYTES)
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-page-'))
  try {
    const path = join(folder, `${file}.csv`)
    await writeFile(path, content, { mode: 0o600 })
    await refuseLong(path)
    return await imported(request, path, {
      ...{ dryRun: step !== 'import', rename: rename === 'yes' },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function refuseLong(path: string): Promise<void> {
  const [{ source } = { source: undefined }] = (await openDataset(path)).files
  let [rows, passwords] = [0, 0]
  for await (const { cells } of source?.rows() ?? []) {
    rows += 1
    passwords += cells['password'] ? 1 : 0
    if (rows > MOST_ROWS) throw tooManyRows(`${MOST_ROWS} rows`)
    if (passwords > MOST_PASSWORDS) throw tooManyRows(`${MOST_PASSWORDS} rows with a password`)
  }
}

const tooManyRows = (most: string) => new Refusal('too_many_rows', { most, task: 'import_file', of: 'FILE' })

async function imported(
  { store, clock, caller: { username } }: Pick<ConsoleRequest, 'store' | 'clock' | 'caller'>,
  path: string,
  options: { readonly dryRun: boolean; readonly rename: boolean },
): Promise<ImportedFileAnswer> {
  const logAs = { who: username, file: path.slice(path.lastIndexOf('/') + 1) }
  const further = { dataset: 'console', who: username, logAs, hidesSecrets: true }
  const [report] = await importPath({ store, clock }, path, { ...options, ...further })
  const { rows = 0, counts = NO_ROWS, refused = new Map<number, string>(), remarks = [] } = report ?? {}
  const inOrder = [...refused].sort(([one], [other]) => one - other)
  return {
    ...{ rows, new: counts.new, changed: counts.changed, unchanged: counts.unchanged },
    refused: refused.size,
    refusedRows: inOrder
      .slice(0, MOST_SHOWN)
      .map(([line, reason]) => ({ line, reason: escapeControls(reason) })),
    remarks: remarks.map(escapeControls),
    isImported: !options.dryRun,
  }
}
