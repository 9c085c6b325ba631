import { readFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { add, fixed, ZERO } from '#lib/base/money.ts'
import { countOf, cutText } from '#lib/base/text.ts'
import { bankProfileOf } from '#lib/billing/bank/bank-csv.ts'
import { bookBankRows } from '#lib/billing/bank/book-rows.ts'
import { booksSomething, type MatchedRow } from '#lib/billing/bank/match-rows.ts'
import { type BankPreview, describeProposal, previewBankFile } from '#lib/billing/bank/preview.ts'
import { type BankFile, readBankFile } from '#lib/billing/bank/read-bank-file.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs, collect, contextAt } from '../../command-line/act-commands.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { changeByActs } from '../../command-line/over-table.ts'
import { profilePath, readProfile, withAnswers, writeProfile } from '../../command-line/profiles.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import type { TableOptions } from '../../machine/location.ts'
import { printLine, type Terminal, terminalChooser } from '../../machine/terminal.ts'

export const declareBankFile = (payment: Command): void =>
  void payment
    .command('import')
    .argument('<file>', 'a statement of a bank: CAMT.053, MT940 or CSV, plain or packed', pathArgument)
    .description(
      'book the payments of a bank file: it shows what each row is, and books what you agree to; a row is booked once, \
however often it comes (docs/getting-paid.md)',
    )
    .option(
      '--row <ROW=ANSWER>',
      'what a row is: ROW=NUMBER of an invoice, ROW=@CUSTOMER or ROW=skip',
      collect,
    )
    .option(
      '--profile <NAME>',
      'how the CSV of the bank is read: profiles/NAME.json, written by the first import',
    )
    .option(
      '--set <KEY=VALUE>',
      'a setting of the profile, such as columns.amount=Betrag or decimal=comma',
      collect,
    )
    .option('--yes', 'book without asking')
    .option('--all', 'also list the rows that are not payments, or are booked')
    .action((path, _options, command) => {
      const given = command.optsWithGlobals() as Options & TableOptions
      const { row = [], set = [], profile, yes = false, all = false, ...options } = given
      const run = {
        ...{ path, profile, yes, all, rows: row, settings: set },
        as: options.as,
        now: new Date(),
      }
      return changeByActs(options, (store) =>
        runBankFile(store, { say: printLine, ask: terminalChooser() }, run),
      )
    })

interface Options {
  readonly row?: string[]
  readonly set?: string[]
  readonly profile?: string
  readonly yes?: boolean
  readonly all?: boolean
  readonly as?: string
}

export interface BankRun {
  readonly path: string
  readonly profile?: string | undefined
  /** `7=A-2026-3`, `8=@carol` or `9=skip`. */
  readonly rows: readonly string[]
  /** `key=value` of the profile. */
  readonly settings: readonly string[]
  readonly yes: boolean
  readonly all: boolean
  readonly as: string | undefined
  readonly now: Date
}

const DONE = 0
const REFUSED = 1
const ANSWER_MISSING = 2

/** Shows what the rows of a bank file are, and books what is agreed to. Returns the exit code. */
export async function runBankFile(store: Store, terminal: Terminal, run: BankRun): Promise<number> {
  const { say, ask } = terminal
  const file = await readAnswered(run)
  if (file.questions.length > 0) {
    for (const line of file.questions.flatMap(questionLines)) say(line)
    return ANSWER_MISSING
  }
  const preview = await previewBankFile(await contextAt(store, run), file, run.rows)
  const { rows } = preview
  say(`${run.path} is ${file.format} with ${countOf(rows.length, 'row')}${daysIn(rows)}`)
  for (const line of linesOf(preview, run.all)) say(line)
  const count = rows.filter(booksSomething).length
  if (count === 0) return DONE
  const isAgreed = run.yes || (await ask?.(`Book ${countOf(count, 'row')}?`, ['yes', 'no'])) === 'yes'
  if (isAgreed) return book(store, terminal, run, preview)
  say(`Nothing is booked${ask ? '' : ': pass --yes to book'}`)
  return DONE
}

/** Reads the file by its profile, and stores the profile of the first one. */
async function readAnswered({ path, profile, settings }: BankRun): Promise<BankFile> {
  const stored = profile === undefined ? undefined : profilePath(profile)
  const saved = stored === undefined ? undefined : await readProfile(stored, bankProfileOf)
  const file = await readBankFile(await readFile(path), withAnswers(saved ?? {}, settings, bankProfileOf))
  const isNew = file.format === 'CSV' && file.questions.length === 0 && saved === undefined
  if (stored !== undefined && isNew) await writeProfile(stored, file.profile)
  return file
}

function questionLines({ about, asks, choices }: BankFile['questions'][number]): string[] {
  const answers =
    about === 'columns'
      ? ['--set columns.day="<heading>" --set columns.amount="<heading>"']
      : choices.map((choice) => `--set ${about}=${choice}`)
  return [asks, `  answer with ${answers.join(' or ')}`]
}

async function book(store: Store, { say }: Terminal, run: BankRun, { rows, agreed }: BankPreview) {
  const { answer } = await carryOutAs(store, bookBankRows(rows), run, { agreed })
  say(`Booked ${countOf(answer.booked, 'row')}`)
  for (const { place, refusal } of answer.refused) say(`  row ${place}: ${refusedCommand(refusal).message}`)
  return answer.refused.length > 0 ? REFUSED : DONE
}

function daysIn(rows: readonly MatchedRow[]): string {
  const days = rows.map(({ row }) => row.day).toSorted()
  return days.length === 0 ? '' : ` of ${[...new Set([days[0], days.at(-1)])].join(' to ')}`
}

function linesOf({ rows, customers }: BankPreview, all: boolean): string[] {
  const of = (...does: readonly MatchedRow['proposal']['does'][]) =>
    rows.filter(({ proposal }) => does.includes(proposal.does))
  const [pays, asks, others] = [rows.filter(booksSomething), of('ask'), of('booked', 'nothing')]
  const line = (one: MatchedRow) => rowLine(one, describeProposal(one, customers))
  const booked = of('booked').length
  return [
    ...section(`To book: ${countOf(pays.length, 'row')}${sumsOf(pays)}`, pays.map(line)),
    ...section(
      `To answer by --row ROW=NUMBER, ROW=@CUSTOMER or ROW=skip: ${countOf(asks.length, 'row')}${sumsOf(asks)}`,
      asks.map(line),
    ),
    ...(others.length > 0
      ? [`Booked already: ${booked}; no payments of customers: ${others.length - booked}`]
      : []),
    ...(all ? others.map(line) : []),
  ]
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [title, ...lines] : []

const SHOWN = 40

function rowLine({ row }: MatchedRow, says: string): string {
  const { place, day, amount, currency, isCredit, payer, text } = row
  const sum = `${isCredit ? '' : '-'}${fixed(amount, 2)}${currency && ` ${currency}`}`
  const said = [cutText(payer, SHOWN), text === '' ? '' : JSON.stringify(cutText(text, SHOWN))].filter(
    Boolean,
  )
  return `  ${String(place).padStart(4)}  ${day}  ${sum.padStart(14)}  ${[...said, says].join(', ')}`
}

/** The sums of incoming money, by currency. */
function sumsOf(rows: readonly MatchedRow[]): string {
  const sums = new Map<string, string>()
  for (const { row } of rows)
    if (row.isCredit) sums.set(row.currency, add(sums.get(row.currency) ?? ZERO, row.amount))
  const texts = [...sums].map(([currency, sum]) => `${fixed(sum, 2)}${currency && ` ${currency}`}`)
  return texts.length > 0 ? `, ${texts.join(' and ')}` : ''
}
