import { expect, test } from 'vitest'
import { hexDigest } from '#lib/base/digest.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { DOCUMENT_FORMAT_NAMES, type FoundDocument, rendered } from '#lib/invoicing/documents/rendered.ts'
import { documentFilesKey, givenFile, readDocumentFiles } from '#lib/invoicing/documents/stored-files.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { readItem } from '#lib/table/items.ts'
import { keyReader } from '#lib/table/keys.ts'
import { itemIn, onEmptyTable, putLines } from './fixture-table.ts'
import { givenFolder, givenLines, versionsOfGivenDocuments } from './given-documents.ts'

const readKey = keyReader(documentFilesKey)

const bytesOf = async ({ pieces }: { readonly pieces: AsyncIterable<Uint8Array> }) =>
  Buffer.concat(await Array.fromAsync(pieces))

/** Each file that a version gave, as this version gives it and as it would print it. */
const filesNow = (version: string) =>
  onEmptyTable(new Date(), async (table) => {
    const lines = givenLines(version)
    await putLines(table, lines)
    const { store } = table
    const bucket = folderBucket(givenFolder(version))
    const source = { store, settings: await settingsOf(store), bucket, now: new Date() }
    const named = lines.map((line) => readItem(itemIn(line))).filter((item) => readKey(item))
    const given = await Promise.all(
      named.map(async (item) => {
        const { kind, document_id: id = '' } = readKey(item) ?? {}
        const document = await (kind === 'INVOICE' ? invoices : creditNotes).find(store, id)
        const found = { kind: kind === 'INVOICE' ? 'invoice' : 'credit note', document } as FoundDocument
        const files = readDocumentFiles(item)
        return DOCUMENT_FORMAT_NAMES.filter((format) => files[format]).map(async (format) => ({
          ...{ format, number: found.document.number, digest: files[format]?.digest },
          given: hexDigest(await bytesOf(await givenFile(source, found, format))),
          // The list of calls needs the calls, which the fixture leaves out.
          printed: format === 'calls' ? '' : hexDigest(await bytesOf(await rendered(source, found, format))),
        }))
      }),
    )
    return Promise.all(given.flat())
  })

test.each(versionsOfGivenDocuments())('the files that %s gave are given again', async (version) => {
  const files = await filesNow(version)

  expect(files.length).toBeGreaterThan(4)
  expect(files.filter(({ digest, given }) => given !== digest)).toEqual([])
})

test('a file is given as an earlier version printed it, though this one prints something else', async () => {
  const files = await filesNow('1.1.0-dev')

  // Its UBL is of the version before addresses had parts.
  expect(files.filter(({ given, printed }) => given !== printed && printed !== '')).toContainEqual(
    expect.objectContaining({ number: 'A-2026-1', format: 'ubl' }),
  )
})
