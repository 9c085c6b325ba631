import { misunderstood, runCommand, type Values } from '#lib/local/commands/command.ts'
import { describeReratings, type RerateWish, rerate } from '#lib/local/commands/rerate/rerate-tool.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { Failure } from '#lib/local/failure.ts'
import { askLine, isAtTerminal } from '#lib/local/terminal/line.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Re-rates calls that a wrong tariff has rated, and shows what changes before it changes anything.

  npm run rerate -- --from DAY --till DAY --with active|as-of [--user NAME] [--tariff ID] [--provider ID]
                    [--include-invoiced] [--include-priced] [--dry-run] [--yes] [--endpoint URL] [--table NAME]
  npm run rerate -- log [--endpoint URL] [--table NAME]

  --from, --till      the days of the calls (YYYY-MM-DD), both included
  --with active       by the version of each tariff that is active now
  --with as-of        by the version in force when the call began; a call older than its tariff gets the first version,
                      and calls whose version is no longer kept are skipped
  --user NAME         only calls of this customer
  --tariff ID         only prices by this tariff
  --provider ID       only calls that this provider carried
  --include-invoiced  also calls whose payer has an invoice issued on their day or later, or one whose period holds it
  --include-priced    also prices that came with the calls, or may have
  --dry-run           shows the difference and changes nothing
  --yes               changes the calls without asking; required without a terminal
  --endpoint URL      a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME        the table (or TABLE_NAME)
  log                 a line for each run

You may interrupt it and run it again: a call that has its new price keeps it. CDRs may come in meanwhile.
Exit code: 0 done, or nothing to do; 1 refused, 2 not agreed to, not reachable or not understood.
`

const OPTIONS = {
  ...TABLE_OPTIONS,
  from: { type: 'string' },
  till: { type: 'string' },
  with: { type: 'string' },
  user: { type: 'string' },
  tariff: { type: 'string' },
  provider: { type: 'string' },
  'include-invoiced': { type: 'boolean', default: false },
  'include-priced': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const

function wishIn(values: Values<typeof OPTIONS>): RerateWish {
  if (values.with !== 'active' && values.with !== 'as-of') {
    throw new Failure('Say by which version: --with active, or --with as-of')
  }
  const [from, till] = [dayIn('from', values.from), dayIn('till', values.till)]
  if (from > till) throw new Failure('--from comes after --till')
  return {
    with: values.with,
    from,
    till,
    user: values.user,
    tariff: idIn('tariff', values.tariff),
    provider: idIn('provider', values.provider),
    includeInvoiced: values['include-invoiced'],
    includePriced: values['include-priced'],
  }
}

function dayIn(option: string, day = ''): string {
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))) return day
  throw new Failure(`--${option} takes a day: YYYY-MM-DD`)
}

function idIn(option: string, id: string | undefined): number | undefined {
  if (id === undefined || /^\d{1,15}$/.test(id)) return id === undefined ? undefined : Number(id)
  throw new Failure(`--${option} takes an id`)
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Asks the operator at the terminal. */
async function ask(): Promise<boolean> {
  if (!isAtTerminal()) {
    say('Nothing was changed: pass --yes to change these calls')
    return false
  }
  return /^y(es)?$/i.test(await askLine('Change these calls? [y/N]'))
}

const NOT_DONE = 2

async function run(store: Store, values: Values<typeof OPTIONS>): Promise<number> {
  const { yes, 'dry-run': isDry } = values
  const agreed = async () => !isDry && (yes || (await ask()))
  const isDone = await rerate({ store, clock: () => new Date(), say, agreed }, wishIn(values))
  return isDone || isDry ? 0 : NOT_DONE
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [0, 1],
  run: async (values, [word]) => {
    if (word !== undefined && word !== 'log') return misunderstood(HELP)
    return overTable(values, async (store) => {
      if (word === undefined) return run(store, values)
      for (const line of await describeReratings(store)) say(line)
      return 0
    })
  },
})
