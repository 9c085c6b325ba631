import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Command, Option } from '@commander-js/extra-typings'
import { countOf } from '#lib/base/text.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { DOCUMENT_FORMAT_NAMES, type DocumentFormat } from '#lib/invoicing/documents/rendered.ts'
import { JOURNAL_FORMATS } from '#lib/invoicing/journal/journal-file.ts'
import { noteDeliveryReport } from '#lib/invoicing/mails/bounces.ts'
import { remind } from '#lib/invoicing/mails/reminders.ts'
import { noteBounce, sendInvoice, sendMonth } from '#lib/invoicing/mails/send-acts.ts'
import { DOCUMENT_FORMATS } from '#lib/settings/document-formats.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { monthArgument, pathArgument } from '../../command-line/arguments.ts'
import { listFormat, printShown, shownFormat } from '../../command-line/listing.ts'
import {
  ACTOR,
  changeByActs,
  changeTable,
  noteDone,
  overTable,
  withTableOptions,
} from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { CommandError, printLine } from '../../machine/terminal.ts'
import { knownBucket } from '../archive/archive.ts'
import {
  type FilePlace,
  openJournal,
  writeDocument,
  writeOfAccount,
  writePieces,
  writeZip,
} from './documents-tool.ts'
import { mailsListing, remindersListing, sentMonthLines, waitForMails } from './mails-tool.ts'
import {
  billWanted,
  documentScopeOf,
  type MonthOptions,
  monthJson,
  monthLines,
  monthSummary,
} from './month-tool.ts'
import { invoicesListing, showInvoice, unbilledListing } from './show-tool.ts'

const SELLER = () =>
  new Option('--seller <ACCOUNT>', 'the reseller or partner whose customers are billed (default: admin)')

export function declare(command: Command): void {
  const invoices = withTableOptions(command)
    .description(
      'A month bills calls, charges and late calls of each customer, once. docs/invoices.md explains it.',
    )
    .addOption(ACTOR)
  for (const what of ['preview', 'issue'] as const)
    invoices
      .command(what)
      .description(
        what === 'preview'
          ? 'show what a month would bill, and what keeps customers from being billed'
          : 'issue the documents of a month; issued ones are not changed',
      )
      .requiredOption('--month <MONTH>', 'a month that is over (YYYY-MM)', monthArgument)
      .option('--customer <ACCOUNT>', 'the only customer')
      .addOption(SELLER())
      .option('--despite-suspense', 'bill customers although calls of the month are in suspense')
      .option('--late', 'also bill what is older than Late_Months')
      .option('--dry-run', 'only show what would be billed')
      .addOption(shownFormat())
      .action(({ format, dryRun, ...options }) =>
        printMonth(invoices.opts(), options, format, dryRun ? 'preview' : what),
      )
  declareLists(invoices)
}

function declareLists(invoices: ReturnType<typeof withTableOptions>): void {
  invoices
    .command('list')
    .description('list invoices by day of issue, with what is open')
    .option('--customer <ACCOUNT>', 'the only customer')
    .addOption(SELLER())
    .addOption(listFormat())
    .action(
      listAction(async (store, options) => invoicesListing(store, await documentScopeOf(store, options))),
    )
  actCommand(invoices, 'write-off', writeOffInvoice, ['invoice'])
  declareMails(invoices)
  declareShow(invoices)
  declareDraft(invoices)
  declareDocuments(invoices)
  declareJournal(invoices)
}

function declareMails(invoices: Invoices): void {
  actCommand(invoices, 'send', sendInvoice, ['invoice'])
  actCommand(invoices, 'send-month', sendMonth, ['month'], {
    shown: (sent) => ({ json: sent, lines: sentMonthLines(sent) }),
  })
  actCommand(invoices, 'remind', remind, ['customer'])
  actCommand(invoices, 'bounced', noteBounce, ['invoice'])
  invoices
    .command('bounces <files...>')
    .description(
      'note which mails came back, from mails of mail servers that say so (RFC 3464); - reads one from the standard input',
    )
    .action((files) =>
      changeTable(invoices.opts(), async (store) => {
        for (const file of files) {
          const report = file === '-' ? await text(process.stdin) : await readFile(file, 'latin1')
          const noted = await noteDeliveryReport(store, report, new Date())
          printLine(
            `${file}: ${noted.length === 0 ? 'says of no mail that it came back' : `${noted.join(', ')} came back`}`,
          )
        }
        return 0
      }),
    )
  invoices
    .command('reminders')
    .description('list the reminders that are due, as Reminder_Days says')
    .addOption(SELLER())
    .addOption(listFormat())
    .action(listAction((store, options) => remindersListing(store, options.seller, new Date())))
  invoices
    .command('mails')
    .description('list mails of documents that wait, are on their way, were refused or are in doubt')
    .addOption(SELLER())
    .option('--wait', 'wait until none waits, as a bar')
    .addOption(listFormat())
    .action(
      listAction(async (store, options) => {
        if (options.wait) await waitForMails(store, options.seller)
        return mailsListing(store, options.seller)
      }),
    )
}

type Invoices = Parameters<typeof declareDocuments>[0]

function declareShow(invoices: Invoices): void {
  invoices
    .command('unbilled')
    .description(
      'list what no invoice bills: changes older than Late_Months, and subscriptions that nothing charges',
    )
    .option('--customer <ACCOUNT>', 'the only customer')
    .addOption(SELLER())
    .addOption(listFormat())
    .action(listAction((store, options) => unbilledListing(store, options, new Date())))
  const show = invoices
    .command('show <number>')
    .description('show an invoice with its rows, or write it, or a credit note, as a customer receives it')
    .addOption(shownFormat())
    .option('--output <FILE>', 'a new file (default: the standard output)', pathArgument)
    .option('--customer <ACCOUNT>', 'its customer, if several sellers have given this number')
    .option('--seller <ACCOUNT>', 'its seller, if the customer had another one before')
    .action((number, { format, output, customer, seller, ...formats }) => {
      const wanted = DOCUMENT_FORMAT_NAMES.find((one) => fileOption(one).attributeName() in formats)
      if (!wanted)
        return printShown(invoices.opts(), format, (store) => showInvoice(store, number, customer, seller))
      return overTable(invoices.opts(), async (store, location) => {
        await writeDocument(placeOfFiles(store, location), {
          number,
          format: wanted,
          output,
          customer,
          seller,
        })
        return 0
      })
    })
  for (const format of DOCUMENT_FORMAT_NAMES) show.addOption(fileOption(format))
}

const fileOption = (format: DocumentFormat): Option =>
  new Option(`--${format}`, `write ${FILE_WORDS[format]}`).conflicts(
    DOCUMENT_FORMAT_NAMES.filter((one) => one !== format).map((one) =>
      new Option(`--${one}`).attributeName(),
    ),
  )

const FILE_WORDS: Readonly<Record<DocumentFormat, string>> = {
  pdf: 'a PDF',
  html: 'a page to print',
  ubl: 'UBL 2.1 (EN 16931)',
  peppol: 'UBL for Peppol (BIS Billing 3)',
  xrechnung: 'UBL for Germany (XRechnung 3.0)',
  cii: 'a Cross Industry Invoice (EN 16931)',
  'factur-x': 'a PDF with a Cross Industry Invoice in it (Factur-X, ZUGFeRD)',
  calls: 'the list of its calls, as a separate PDF',
}

const placeOfFiles = (store: Store, location: TableLocation): FilePlace => ({
  store,
  bucket: knownBucket(location),
  now: new Date(),
})

function declareDraft(invoices: Invoices): void {
  invoices
    .command('draft')
    .description('write what a month would bill to a customer so far, marked as a draft: it has no number')
    .requiredOption('--customer <ACCOUNT>', 'the customer')
    .option('--month <MONTH>', 'the month (YYYY-MM; default: the running one)', monthArgument)
    .option('--pdf <FILE>', 'a new PDF', pathArgument)
    .option('--html <FILE>', 'a new page to print', pathArgument)
    .action((files) =>
      overTable(invoices.opts(), async (store) => {
        if (files.pdf === undefined && files.html === undefined)
          throw new CommandError('Pass --pdf FILE or --html FILE')
        await writeOfAccount(store, files, new Date())
        for (const file of [files.pdf, files.html])
          if (file !== undefined) printLine(`${file}: the draft of ${files.customer}`)
        return 0
      }),
    )
}

function declareDocuments(invoices: ReturnType<typeof withTableOptions>): void {
  invoices
    .command('documents')
    .description('write the invoices and credit notes of a month into one zip')
    .requiredOption('--month <MONTH>', 'the month that they bill (YYYY-MM)', monthArgument)
    .requiredOption('--zip <FILE>', 'a new file', pathArgument)
    .addOption(
      new Option(
        '--type <TYPE>',
        'what each document is (default: the document_format of its customer, or pdf)',
      ).choices(DOCUMENT_FORMATS),
    )
    .option('--customer <ACCOUNT>', 'the only customer')
    .addOption(SELLER())
    .action(({ type: format, month, zip, ...options }) =>
      overTable(invoices.opts(), async (store, location) => {
        const scope = await documentScopeOf(store, options)
        const { written, pages } = await writeZip(placeOfFiles(store, location), {
          month,
          scope,
          format,
          zip,
        })
        printLine(`${zip}: ${countOf(written, 'document')}`)
        if (pages.length > 0)
          printLine(`Pages to print, because the font of PDFs lacks characters of them: ${pages.join(', ')}`)
        return 0
      }),
    )
}

function declareJournal(invoices: Invoices): void {
  invoices
    .command('journal')
    .description(
      'write the postings of a month, as they were posted with the accounts of the settings Journal_...',
    )
    .requiredOption('--month <MONTH>', 'the month of the postings (YYYY-MM)', monthArgument)
    .addOption(new Option('--format <FORMAT>', 'the format').choices(JOURNAL_FORMATS).default('csv' as const))
    .option('--output <FILE>', 'a new file (default: the standard output)', pathArgument)
    .addOption(SELLER())
    .action(({ output, ...options }) =>
      overTable(invoices.opts(), async (store) => {
        await writePieces(output, await openJournal(store, options, new Date()))
        return 0
      }),
    )
}

const WORDS = { check: 'billing', compare: 'billing', write: 'billing', noun: 'customers' }

/** Prints what became of each customer. Exits with 1 if one was refused. */
function printMonth(
  table: Parameters<typeof overTable>[0] & { readonly as?: string | undefined },
  options: MonthOptions,
  format: 'text' | 'json',
  what: 'preview' | 'issue',
): Promise<void> {
  const open = what === 'issue' ? changeByActs : overTable
  return open(table, async (store) => {
    const progress = createProgress(process.stderr, Date.now, WORDS)
    const act = { as: table.as, now: new Date(), what }
    const billed = await billWanted(store, options, act, (done, total) => {
      if (what === 'issue') noteDone(`${countOf(done, 'customer')} billed`)
      progress.show({ file: options.month, phase: 'write', done, total })
    }).finally(() => progress.stop())
    if (format === 'json') printLine(JSON.stringify(billed.map(monthJson), null, 2))
    else
      for (const line of [
        ...billed.flatMap((customer) => monthLines(customer, billed.length === 1)),
        monthSummary(billed),
      ])
        printLine(line)
    return billed.some(({ outcome }) => outcome === 'refused') ? 1 : 0
  })
}
