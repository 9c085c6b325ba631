import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { printChange, withTableOptions } from '../../command-line/over-table.ts'
import { addKey, listKeyRows, revokeKey, rotateKey } from './key-tool.ts'

const DESCRIPTION =
  'A key signs for one account, for some methods, from some addresses. Changes take effect within a second and are logged: \
npx tollgate settings log. docs/keys.md describes both signatures.'

const EXAMPLE = '\nnpx tollgate key add crm --as bob --methods devices_get,rate_get --from 10.0.0.0/8'

export function declare(command: Command): void {
  const key = withTableOptions(command).description(DESCRIPTION)
  key
    .command('add <name>')
    .description('add a key and print its secret once')
    .requiredOption('--as <USERNAME>', 'the account that the key signs for: the parameter u of its requests')
    .requiredOption(
      '--methods <METHODS>',
      'the methods that it signs, with commas between them; all: every one',
    )
    .option(
      '--from <ADDRESSES>',
      'the IP addresses and ranges of its clients, with commas between them (default: any)',
    )
    .option('--v2-only', 'refuse the SHA-1 hash: the key takes the v2 signature only')
    .option('--sign-all', 'refuse the hash of payment_create that leaves the transaction open')
    .addHelpText('after', EXAMPLE)
    .action((name, wanted) =>
      printChange(key.opts(), (store) => addKey(store, { name, ...wanted }, new Date())),
    )
  key
    .command('list')
    .description('list the keys without their secrets')
    .addOption(listFormat())
    .action(({ format }) => printListing(key.opts(), format, (store) => listKeyRows(store, new Date())))
  key
    .command('rotate <name>')
    .description('give a key another secret and print it once; the previous one signs for some more hours')
    .option('--overlap <HOURS>', 'how long the previous secret signs; 0 ends it at once', overlapHours, 24)
    .action((name, { overlap }) =>
      printChange(key.opts(), (store) => rotateKey(store, name, overlap, new Date())),
    )
  key
    .command('revoke <name>')
    .description('refuse a key from the next second on')
    .action((name) => printChange(key.opts(), (store) => revokeKey(store, name, new Date())))
}

const MAX_OVERLAP_HOURS = 720

function overlapHours(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_OVERLAP_HOURS) return Number(text)
  throw new InvalidArgumentError(`Use 0 to ${MAX_OVERLAP_HOURS} hours.`)
}
