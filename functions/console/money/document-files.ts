import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { daysToToday } from '#lib/acts/inputs.ts'
import { DOCUMENT_KIND_NAMES, FILE_FORMATS } from '#lib/api/console/answers/billing.ts'
import { billingScope, maySeeDocument } from '#lib/api/console/billed-rows.ts'
import { fileContent } from '#lib/api/console/file-content.ts'
import { invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import {
  type ConsoleParameter,
  type ConsoleRequest,
  defineResource,
  operation,
} from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import {
  anyText,
  dayValue,
  monthValue,
  neededMonth,
  oneWord,
  pathId,
  wholeNumber,
} from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES, MANAGERS, OWNERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, actsFor } from '#lib/base/scope.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { ageingOn } from '#lib/billing/ledger/ageing.ts'
import { MOST_LEDGER_DOCUMENTS } from '#lib/billing/ledger/movements.ts'
import { type ArchiveBucket, archiveBucketOf } from '#lib/calls/archive/bucket.ts'
import { findBrand, isColour } from '#lib/invoicing/documents/brand.ts'
import { documentPage } from '#lib/invoicing/documents/document-page.ts'
import { renderedDraft } from '#lib/invoicing/documents/draft-document.ts'
import {
  documentsOfMonth,
  type FoundDocument,
  listsCalls,
  type Rendered,
} from '#lib/invoicing/documents/rendered.ts'
import { sampleInvoice } from '#lib/invoicing/documents/sample-invoice.ts'
import { renderedAgeing, renderedStatement } from '#lib/invoicing/documents/statement.ts'
import { givenFile } from '#lib/invoicing/documents/stored-files.ts'
import { SETTING_GROUPS } from '#lib/settings/declared-settings.ts'
import { refusingArchived } from '#lib/table/call-archive.ts'

const fileParams = { id: pathId, format: oneWord(...FILE_FORMATS) }

/** A value of a form that is not saved yet: a space is a blank one, which an address cannot have. */
const typedText: ConsoleParameter<string | undefined> = {
  describes: 'text',
  read: (raw, name) => raw && anyText.read(raw, name).trim(),
}

/** The settings, or values of a reseller's account, that a sample shows. */
const sampleValues = Object.fromEntries(
  [
    ...namesIn(SETTING_GROUPS['Company and brand']).filter((name) => /^Seller|^Lang|^No_VAT/.test(name)),
    ...['company_name', 'address', 'postcode', 'city', 'vat_number', 'bank', 'language', 'colour', 'footer'],
    'invoice_number_format',
  ].map((name) => [name, typedText]),
)

const ageingParams = { customer: wholeNumber, till: dayValue }

const statementParams = {
  ...{ customer: wholeNumber, from: dayValue, till: dayValue },
  format: oneWord('pdf', 'html'),
}

type FileRequest = ConsoleRequest<typeof fileParams>

type Kind = (typeof DOCUMENT_KIND_NAMES)[number]

const fileOf = (kind: Kind) =>
  operation('GET', `/document-files/${kind}/{id}`, {
    summary: `${kind === 'invoices' ? 'An invoice, or the list of its calls,' : 'A credit note'} as a PDF, a page to print, or an e-invoice: UBL, Peppol, XRechnung, CII or Factur-X. The bytes that were given once are given again.`,
    callers: ACCOUNT_TYPES,
    params: fileParams,
    run: async (request) => {
      const { format = 'pdf' } = request.params
      const found = await findDocument(request, kind)
      const { store, settings, clock } = request
      const source = { store, settings, now: clock(), bucket: openBucket() }
      const { number } = found.document
      const content = await givenFile(source, found, format)
        .then((file) => contentOf(file, number))
        .catch(refusingArchived(new Refusal('archived_calls', { number })))
      return { ...content, calls: listsCalls(found) }
    },
  })

let bucket: ArchiveBucket | undefined

const openBucket = (): ArchiveBucket | undefined => {
  bucket ??= archiveBucketOf(process.env)
  return bucket
}

/** The only function of the API that writes PDFs: no other one has a font in it. */
export const resource = defineResource({
  name: 'document-files',
  access: 'documents',
  operations: [
    operation('GET', '/document-files', {
      summary: "The invoices and credit notes of a month of the account's customers, whose files make a zip.",
      callers: MANAGERS,
      params: { month: neededMonth },
      run: async ({ store, params, caller }) => {
        const found = documentsOfMonth(store, { owner: actsFor(caller) ?? caller.id }, params.month)
        return { documents: await Array.fromAsync(found, rowOf) }
      },
    }),
    ...DOCUMENT_KIND_NAMES.map(fileOf),
    operation('GET', '/document-files/statement', {
      summary: 'The statement of an account as a PDF, or as a page to print: by default of the month.',
      callers: ACCOUNT_TYPES,
      params: statementParams,
      run: statementFile,
    }),
    operation('GET', '/document-files/ageing', {
      summary: "What the account's customers owe on a day, by age, as a PDF: today, or a past day.",
      callers: MANAGERS,
      params: ageingParams,
      run: ageingFile,
    }),
    operation('GET', '/document-files/draft', {
      summary:
        'The draft of a month of a customer, by default of the running one, as a PDF, or as a page to print. It is marked as a draft, and has no number.',
      callers: MANAGERS,
      params: { customer: wholeNumber, format: oneWord('pdf', 'html'), month: monthValue },
      run: async (request) => {
        const { month } = request.params
        return fileOfAccount(request, (source, account, format) =>
          renderedDraft(source, account, format, month),
        )
      },
    }),
    operation('GET', '/document-files/sample', {
      summary:
        "An invoice that is made up, as the account's own would look with these values of settings, or of its own company, colour and footer.",
      callers: OWNERS,
      params: sampleValues,
      run: async (request) => ({ page: await samplePage(request) }),
    }),
  ],
})

export const handler = consoleLambda(resource)

async function samplePage({ store, settings, caller, params, clock }: ConsoleRequest<typeof sampleValues>) {
  const { colour, footer, ...others } = params
  const values = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  const isOwn = caller.usertype !== 'admin'
  const [owner, brand] = await Promise.all([
    isOwn ? findWholeAccount(store, caller.id) : undefined,
    findBrand(store, isOwn ? caller.id : ADMIN_ACCOUNT),
  ])
  const look = {
    ...brand,
    footer: footer ?? brand.footer,
    ...(colour !== undefined && { colour: isColour(colour) ? colour : '' }),
  }
  const now = today(clock(), settings.Timezone)
  const sample = sampleInvoice(
    isOwn ? settings : { ...settings, ...values },
    owner && { ...owner, ...values },
    look,
    now,
  )
  return (await Array.fromAsync(documentPage(sample))).join('')
}

const rowOf = ({ kind, document: { id, number } }: FoundDocument) => ({
  kind: kind === 'invoice' ? ('invoices' as const) : ('credit-notes' as const),
  id,
  number,
})

async function statementFile(request: ConsoleRequest<typeof statementParams>) {
  const { settings, params, clock } = request
  const days = daysToToday(params, clock(), settings)
  return fileOfAccount(request, (source, account, format) => renderedStatement(source, account, days, format))
}

/** A file about one account, whose documents the account of the session may see. */
async function fileOfAccount(
  request: ConsoleRequest<Pick<typeof statementParams, 'customer' | 'format'>>,
  render: typeof renderedDraft,
) {
  const { store, settings, params, clock } = request
  const scope = await billingScope(request, params.customer)
  if (!('user' in scope)) throw invalidValue('customer is missing: the file is of one account')
  const account = await findWholeAccount(store, scope.user)
  if (!account) throw unknownThing('account', scope.user)
  const source = { store, settings, now: clock() }
  return contentOf(await render(source, account, params.format ?? 'pdf'))
}

async function ageingFile(request: ConsoleRequest<typeof ageingParams>) {
  const { store, settings, caller, params, clock } = request
  const scope = await billingScope(request, params.customer)
  const day = params.till ?? today(clock(), settings.Timezone)
  const found = await ageingOn(store, settings, scope, { day, most: MOST_LEDGER_DOCUMENTS })
  if (found)
    return contentOf(await renderedAgeing({ store, settings }, actsFor(caller) ?? caller.id, day, found))
  throw new Refusal('too_many_documents', { most: MOST_LEDGER_DOCUMENTS, report: 'ageing', customer: '' })
}

async function findDocument({ store, params, caller }: FileRequest, kind: Kind): Promise<FoundDocument> {
  const isNote = kind === 'credit-notes'
  const document = await (isNote ? creditNotes : invoices).find(store, params.id)
  if (!document || !maySeeDocument(caller, document))
    throw unknownThing(isNote ? 'credit note' : 'invoice', params.id)
  return { kind: isNote ? 'credit note' : 'invoice', document } as FoundDocument
}

async function contentOf({ name, type, pieces }: Rendered, number = name) {
  return { name, type, content: await fileContent(pieces, new Refusal('document_too_large', { number })) }
}
