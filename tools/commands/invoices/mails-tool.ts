import { setTimeout } from 'node:timers/promises'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { type Mailing, openMails } from '#lib/invoicing/mailing.ts'
import { dueReminders, openByCurrency } from '#lib/invoicing/mails/reminders.ts'
import type { SentMonth } from '#lib/invoicing/mails/send-acts.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { createProgress } from '../../command-line/progress.ts'

const MOST_LISTED = 10_000

const openMailsOf = async (store: Store, seller: string | undefined): Promise<Mailing[]> => {
  const owner = seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id
  return openMails(store, owner, MOST_LISTED)
}

export const mailsListing = async (store: Store, seller: string | undefined): Promise<Listing> =>
  listingOf(store, 'mail', await openMailsOf(store, seller), {
    ...{ number: 'text', to: 'text', state: 'text', at: 'time', tries: 'number', by: 'text', answer: 'text' },
  })

export async function remindersListing(
  store: Store,
  seller: string | undefined,
  now: Date,
): Promise<Listing> {
  const owner = seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id
  const source = { store, settings: await settingsOf(store), now }
  return listingOf(store, 'reminder', dueReminders(source, owner), {
    customer: ['text', ({ account }) => account.username],
    level: 'number',
    invoices: ['text', ({ invoices }) => invoices.map(({ number }) => number).join(' ')],
    due: ['text', ({ invoices }) => invoices.map(({ due }) => due).sort()[0]],
    open: ['text', ({ invoices }) => openByCurrency(invoices).join(', ')],
    to: ['text', ({ account }) => account.email],
  })
}

const PAUSE_MS = 1000
const WORDS = { check: 'sending', compare: 'sending', write: 'sending', noun: 'mails' }

/** Shows how many mails are sent until none waits or is on its way. It may be stopped: they go on. */
export async function waitForMails(store: Store, seller: string | undefined): Promise<void> {
  const progress = createProgress(process.stderr, Date.now, WORDS)
  try {
    for (let total = 0; ; ) {
      const mails = await openMailsOf(store, seller)
      const left = mails.filter(({ state }) => state === 'waiting' || state === 'sending').length
      total = Math.max(total, left)
      if (left === 0) break
      progress.show({ file: 'mails', phase: 'write', done: total - left, total })
      await setTimeout(PAUSE_MS)
    }
  } finally {
    progress.stop()
  }
}

export const sentMonthLines = ({ before, without_address: missing }: SentMonth): string[] => [
  ...(before > 0 ? [`${countOf(before, 'document')} asked for before`] : []),
  ...(missing > 0 ? [`${countOf(missing, 'document')} of customers without an email`] : []),
  'npx tollgate invoices mails --wait shows how they go',
]
