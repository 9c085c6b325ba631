/** A small change of the source that a simulation has to find. `find` stands in the file exactly once. */
export interface PlantedDefect {
  readonly file: string
  readonly find: string
  readonly put: string
}

// Chosen before the simulator was tuned: one condition, one order, one rounding, one lost entry each.

export const DEFECTS: Readonly<Record<string, PlantedDefect>> = {
  // Calls
  'a correction does not ask for the version that it has read': {
    file: 'lib/calls/call-storage.ts',
    find: 'when: before ? { version: (isOfArchivedDay ? absentOrIs : is)(before.version) } : { PK: absent },',
    put: 'when: before ? { PK: present } : { PK: absent },',
  },
  'a new call does not ask whether it is new': {
    file: 'lib/calls/call-storage.ts',
    find: 'when: before ? { version: (isOfArchivedDay ? absentOrIs : is)(before.version) } : { PK: absent },',
    put: 'when: before ? { version: (isOfArchivedDay ? absentOrIs : is)(before.version) } : {},',
  },
  'a call that lost a race is not decided again': {
    file: 'lib/calls/call-storage.ts',
    find: 'return [...outcomes.missed, ...(await storeFenced(',
    put: 'return [...(await storeFenced(',
  },
  'a corrected call is not charged again': {
    file: 'lib/calls/call-storage.ts',
    find: 'const charges = chargesOfBatch(batch, turn)',
    put: 'const charges = chargesOfBatch(\n        batch.filter(({ before }) => !before),\n        turn,\n      )',
  },
  'a version that was stored before corrects the call again': {
    file: 'lib/cdrs/decide-cdrs.ts',
    find: 'const MAX_CDR_DIGESTS = 8',
    put: 'const MAX_CDR_DIGESTS = 1',
  },
  'the first version of a batch stays in place of the last one': {
    file: 'lib/cdrs/decide-cdrs.ts',
    find: '[...others.toReversed(), ...late.toReversed()]',
    put: '[...others, ...late.toReversed()]',
  },
  'an unanswered CDR takes an answered call back': {
    file: 'lib/cdrs/decide-cdrs.ts',
    find: 'if (isAnswered(before) && !isAnswered(row)) return lateRefusal(version)',
    put: '',
  },
  'an answered call of nobody is skipped': {
    file: 'lib/cdrs/decide-cdrs.ts',
    find: "return resolved.reason === 'unknown_account' && !isAnswered(row) ? 'skipped' : resolved",
    put: "return resolved.reason === 'unknown_account' ? 'skipped' : resolved",
  },
  'a consumer says that a message is done whose table did not answer': {
    file: 'lib/ingest/queue-consumer.ts',
    find: "return messages.map(({ message }) => ({ message, outcome: 'failed', reason: sentenceOf(error) }))",
    put: 'return []',
  },

  // Rating
  'billed seconds are rounded down': {
    file: 'lib/rates/rating.ts',
    find: 'Math.max(Math.ceil(billsec / step) * step, min_time)',
    put: 'Math.max(Math.floor(billsec / step) * step, min_time)',
  },
  'the least seconds of a rate are forgotten': {
    file: 'lib/rates/rating.ts',
    find: 'Math.max(Math.ceil(billsec / step) * step, min_time)',
    put: 'Math.ceil(billsec / step) * step',
  },
  'a price has two decimals': {
    file: 'lib/rates/rating.ts',
    find: 'export const PRICE_DECIMALS = 6',
    put: 'export const PRICE_DECIMALS = 2',
  },
  'the shortest prefix rates a call': {
    file: 'lib/rates/rating.ts',
    find: 'if (found) return found',
    put: 'if (found && start === 0) return found',
  },

  // Billing and payments
  'an act has no entry in the log': {
    file: 'lib/acts/act.ts',
    find: 'await store.transact(combined([...changes, ...entries, ...kept]))',
    put: 'await store.transact(combined([...changes, ...kept]))',
  },
  'a payment is not told': {
    file: 'lib/billing/payments/record-payment.ts',
    find: '        ...paymentEvent(settings, payment, { at: now, owner_id }),\n',
    put: '',
  },
  'a transaction is booked twice': {
    file: 'lib/billing/payment-booking.ts',
    find: "transaction_id === '' ? [] : [{ put: { ...readBooked(payment), ...key }, when: { PK: absent } }]",
    put: "transaction_id === '' ? [] : [{ put: { ...readBooked(payment), ...key } }]",
  },
  'the VAT of a payment becomes credit': {
    file: 'lib/billing/payments/record-payment.ts',
    find: "vat_percent: settings.Payments_With_VAT ? valueAt(customer, 'vat_percent', dates.date) : undefined,",
    put: 'vat_percent: undefined,',
  },
  'a payment that is taken back books its amount again': {
    file: 'lib/billing/payments/take-back-payment.ts',
    find: 'net: booked && subtract(ZERO, booked),',
    put: 'net: booked,',
  },
  'a payment is taken back twice': {
    file: 'lib/billing/payments/take-back-payment.ts',
    find: '    refuseTakenBack(before)\n',
    put: '',
  },
  'a balance is read without its second part': {
    file: 'lib/billing/balance.ts',
    find: 'balance: toBalance(account, parts)',
    put: 'balance: toBalance(account, parts.slice(0, 1))',
  },
  'a charge is made whenever the run comes': {
    file: 'lib/billing/charges/charge-run.ts',
    find: 'const made = pages.flat()',
    put: 'const made = pages.flat().slice(1)',
  },

  // Call control
  'a hold does not ask whether others have changed meanwhile': {
    file: 'lib/control/plan.ts',
    find: '        epoch: absentOrIs(holds.epoch),\n        ...(most !== undefined && { held: absentOrAtMost(exactly(most)) }),\n',
    put: '',
  },
  'a hold does not count the holds of other calls': {
    file: 'lib/control/plan.ts',
    find: 'subtract(ceiling, others)), request.cap)',
    put: 'ceiling), request.cap)',
  },
  'a released hold stays held': {
    file: 'lib/control/holds.ts',
    find: 'add: { held: exactly(subtract(ZERO, add(...amounts))), open: -texts.size, epoch: 1 },',
    put: 'add: { held: exactly(ZERO), open: -texts.size, epoch: 1 },',
  },
  'one second more than the money pays': {
    file: 'lib/control/plan.ts',
    find: 'return Math.min(steps * step, cap)',
    put: 'return Math.min((steps + 1) * step, cap)',
  },
  'a hold may be dropped while its call lasts': {
    file: 'lib/control/plan.ts',
    find: 'return secondsOf(now) + Ring_Seconds + seconds + Hold_Grace_Seconds',
    put: 'return secondsOf(now) + Math.min(30, Ring_Seconds + Hold_Grace_Seconds)',
  },
  'a refused call leaves the hold of its owner': {
    file: 'lib/control/reserve.ts',
    find: '      await releaseOwners(attempt, holds)\n',
    put: '',
  },
  'a CDR releases a hold of another moment': {
    file: 'lib/control/settle.ts',
    find: 'return heldAt === NO_HOLD ? isAtMost(at, start)',
    put: 'return heldAt !== NO_HOLD ? isAtMost(at, start)',
  },

  // Invoicing
  'a month is not claimed': {
    file: 'lib/invoicing/issue.ts',
    find: '    claimMonth(run.month, account.id, { outcome: is, id, number }),\n',
    put: '',
  },
  'a number is taken without asking': {
    file: 'lib/invoicing/month-items.ts',
    find: 'when: { next: is(next), left: absent },',
    put: 'when: {},',
  },
  'what was billed is billed again': {
    file: 'lib/invoicing/billed.ts',
    find: 'return [day, lessSums(sums, sumOfCalls(billed))] as const',
    put: 'return [day, billed.length < 0 ? lessSums(sums, sumOfCalls(billed)) : sums] as const',
  },
  'a document forgets what it charged of late months': {
    file: 'lib/invoicing/draft.ts',
    find: 'charged: add(...months.map(({ part }) => chargedFor(part))),',
    put: 'charged: add(...months.slice(0, 1).map(({ part }) => chargedFor(part))),',
  },
  'the rounding of an invoice is not adjusted': {
    file: 'lib/invoicing/issue.ts',
    find: 'amount: difference,',
    put: 'amount: ZERO,',
  },
  'an invoice is not told': {
    file: 'lib/invoicing/issue.ts',
    find: "      ...eventsOf(run, { ...invoice, net, vat, gross, open: openAmount(invoice), is: 'invoice', number }),\n",
    put: '',
  },

  // Ledger and journal
  'a conversion is missing in the currency of the invoice': {
    file: 'lib/billing/ledger/allocation.ts',
    find: '      { currency: one.currency, owed: subtract(ZERO, amount), day },\n',
    put: '',
  },
  'a released part stays with its payment': {
    file: 'lib/billing/ledger/allocating.ts',
    find: 'const after = parts.map((one) => (isOf(one) ? { ...one, released: day } : one))',
    put: 'const after = parts',
  },
  'the last part of an invoice books in proportion': {
    file: 'lib/billing/invoice-payment.ts',
    find: 'isRest ? openBooked(invoice) : inProportion(invoice, amount)',
    put: 'inProportion(invoice, isRest ? open : amount)',
  },
  'a refund is not noted in its payment': {
    file: 'lib/billing/payments/refund-payment.ts',
    find: '        ...changesOf(payments, payment, after),\n',
    put: '',
  },
  'what is written off is still owed': {
    file: 'lib/billing/adjustment.ts',
    find: 'written_off === undefined ? [] : [{ currency: gross_currency, owed: subtract(ZERO, gross) }]',
    put: 'written_off === undefined ? [] : [{ currency: gross_currency, owed: subtract(gross, gross) }]',
  },
  'a number does not ask whether its month was closed meanwhile': {
    file: 'lib/invoicing/journal/number-entries.ts',
    find: '    { check: closedMonthKey(seller), when: closedItem ? { till: is(closed) } : { PK: absent } },\n',
    put: '',
  },
  'an entry goes into a month that is closed': {
    file: 'lib/invoicing/journal/number-entries.ts',
    find: 'posting: postingDay(one.day, closed)',
    put: 'posting: closed === undefined ? postingDay(one.day, closed) : one.day',
  },
  'a changed document posts all of its lines again': {
    file: 'lib/billing/journal/posting.ts',
    find: 'sumOfLines([...(has?.lines ?? []), ...reversed(had?.lines ?? [])])',
    put: 'sumOfLines(has?.lines ?? reversed(had?.lines ?? []))',
  },

  // Alerts
  'an event leaves the outbox before it is sent': {
    file: 'lib/alerts/relay.ts',
    find: '    await relay(waiting.map(readEvent))\n    await store.removeBatch(waiting.map(keyIn))\n',
    put: '    await store.removeBatch(waiting.map(keyIn))\n    await relay(waiting.map(readEvent))\n',
  },
  'an event that came meanwhile is dropped': {
    file: 'lib/alerts/relay.ts',
    find: "await hasWritten(store.update(keyIn(item), { set }, { epoch: is(item['epoch']) }))",
    put: 'await hasWritten(store.update(keyIn(item), { set }, {}))',
  },
  'an event that was given up is said to be delivered': {
    file: 'lib/alerts/sender.ts',
    find: "return isLast ? 'failed' : 'waiting'",
    put: "return isLast ? 'failed' : 'delivered'",
  },
  'a threshold is told with every call': {
    file: 'lib/billing/notifications/watched-balances.ts',
    find: 'const crossed = below.filter((one) => told === undefined || isBelow(one, told))',
    put: 'const crossed = below',
  },

  'a prepaid invoice takes no payments': {
    file: 'lib/billing/payments/allocate-oldest.ts',
    find: "return isAny(account, 'unassigned') ? findUnassigned(read, account) : NOTHING_UNASSIGNED",
    put: 'return NOTHING_UNASSIGNED',
  },
  'a balance closes all of an invoice, whatever was paid': {
    file: 'lib/billing/invoice-payment.ts',
    find: 'from_balance: openAmount(invoice),',
    put: 'from_balance: grossOf(invoice),',
  },

  // Archive
  'a call leaves the table in whatever version it is': {
    file: 'lib/calls/archive/run.ts',
    find: 'const when = { version: is(call.version), [timeToLive]: absent }',
    put: 'const when = { [timeToLive]: absent }',
  },
  'a late call does not replace its archived version': {
    file: 'lib/calls/rating/change-calls.ts',
    find: 'isArchivedDay(change.after.day, settings) ? { ...change, isOfArchivedDay: true } : change',
    put: 'change',
  },
  'the archive keeps the older version of a call': {
    file: 'lib/calls/archive/day-copies.ts',
    find: 'call.version > known.call.version ||',
    put: 'call.version < known.call.version ||',
  },

  // Dialogs
  'an event of a dialog does not wait for the other one': {
    file: 'lib/cdrs/dialogs/correlate.ts',
    find: '  await putPendingEvents(store, given.map(pendingOf))\n',
    put: '',
  },
  'the events of a refused dialog stop waiting': {
    file: 'lib/cdrs/dialogs/decide-dialogs.ts',
    find: 'dialogs.filter(isDone).flatMap(doneEvents)',
    put: 'dialogs.flatMap(doneEvents)',
  },

  // The office
  'the entries of a former state stay': {
    file: 'lib/table/entity-changes.ts',
    find: '    ...removed.map((item): Change => ({ remove: keyIn(item), when: condition(item) })),\n',
    put: '',
  },
  'a row does not ask for the version that was read': {
    file: 'lib/table/entity-changes.ts',
    find: 'const asRead: Conditions = { version: is(before.version) }',
    put: 'const asRead: Conditions = before.version < 0 ? { version: is(before.version) } : {}',
  },
  'two rules of one moment may have the same digits': {
    file: 'lib/devices/location-rule-writing.ts',
    find: 'const when = { lengths: before === NO_LENGTHS ? absent : is(before) }',
    put: 'const when = {}',
  },

  // Tenants
  'a new username may be the id of another account': {
    file: 'lib/devices/taken-name.ts',
    find: 'written === undefined || written === id ? []',
    put: 'written !== id ? []',
  },
  'a new username may look like another one': {
    file: 'lib/devices/taken-name.ts',
    find: '...lookalikes(username).map((name) => callerKey(name)),',
    put: '',
  },
  'a device does not ask for usernames of the same moment': {
    file: 'lib/devices/taken-name.ts',
    find: 'when: { account_id: absentOrIs(after.user_id) }',
    put: 'when: {}',
  },
  'a username does not ask for devices of the same moment': {
    file: 'lib/devices/taken-name.ts',
    find: 'to: { set: { account_id: id } }, when: { id: absent } }',
    put: 'to: { set: { account_id: id } } }',
  },
  'a Call-ID may have any characters': {
    file: 'lib/ingest/http/control-request.ts',
    find: 'const CALL = /^[!-~]+$/',
    put: 'const CALL = /./',
  },
  'every sender tries a failing endpoint': {
    file: 'lib/alerts/sender.ts',
    find: '!(await takeTry(store, endpoint, secondsOf(trying.clock())))',
    put: 'false',
  },
  'an event goes to the endpoints of all resellers': {
    file: 'lib/alerts/relay.ts',
    find: 'ownersHearing(event.owner).map(endpointsOf)',
    put: '[0, 2, 3].map(endpointsOf)',
  },
  'a reseller reads the calls of a customer of another one': {
    file: 'functions/calls/user_calls_get.ts',
    find: 'if (user !== undefined && !(account && seesAccount(caller, account)))',
    put: 'if (user !== undefined && !account)',
  },

  'an opening that is killed forgets an earlier day of balances': {
    file: 'tools/commands/balance/balance-opening.ts',
    find: '[EARLIEST_DAY]: earliestBalanceDay(stored, after) }',
    put: '[EARLIEST_DAY]: after }',
  },

  'the relay forgets what was told': {
    file: 'lib/alerts/relay.ts',
    find: 'const set = { ...gone, GSI1PK: undefined, GSI1SK: undefined }',
    put: 'const set = { ...gone, told: undefined, GSI1PK: undefined, GSI1SK: undefined }',
  },

  // Files in the bucket
  'refused rows of a file are not noted': {
    file: 'lib/ingest/file-consumer.ts',
    find: 'if (reason !== undefined) await noteFailedImport(',
    put: "if (reason === '') await noteFailedImport(",
  },

  // Balances that are opened, calls in progress, claims
  'documents are booked while writers know the former day': {
    file: 'tools/commands/balance/balance-opening.ts',
    find: '      await wait(REMEMBERED_MS)\n',
    put: '',
  },
  'writers of calls with earlier settings are not stopped': {
    file: 'tools/commands/balance/balance-opening.ts',
    find: '        await fenceDays(store, settings, fenced)\n        changed =',
    put: '        changed =',
  },
  'an event of a call in progress does not ask whether another one came': {
    file: 'lib/calls/live/active-call-writing.ts',
    find: 'const when: Conditions = before ? { version: is(before.version) } : { PK: absent }',
    put: 'const when: Conditions = before || absent ? {} : { version: is(0) }',
  },
  'a claim does not ask whether another row holds it': {
    file: 'lib/table/entity-changes.ts',
    find: 'const isHolder = (claim: Item): Conditions => ({ [id]: absentOrIs(claim[id]) })',
    put: 'const isHolder = (_: Item): Conditions => (id ? {} : { [id]: absentOrIs(0) })',
  },

  // Chosen before what they break was simulated: requests, codes, mails, origins
  'two attempts of one request are both carried out': {
    file: 'lib/acts/act.ts',
    find: 'return { put: { ...claim, ...kept }, when: { PK: absent } }',
    put: 'return { put: { ...claim, ...kept } }',
  },
  'a code of a second factor is used twice': {
    file: 'lib/api/login.ts',
    find: '{ step: absentOrBelow(step) }',
    put: '{}',
  },
  'a recovery code is used twice': {
    file: 'lib/accounts/second-factor.ts',
    find: 'when: { id: is(id), second_factor: before ? is(before) : absent },',
    put: 'when: { id: is(id) },',
  },
  'a mail in doubt is sent again': {
    file: 'lib/invoicing/mails/send-mails.ts',
    find: "const wait = kind === 'temporary' ? WAITS_SECONDS[tries] : undefined",
    put: 'const wait = kind !== undefined ? WAITS_SECONDS[tries] : undefined',
  },
  'two processes send one mail': {
    file: 'lib/invoicing/mails/send-mails.ts',
    find: "const when = { state: is('waiting'), at: is(mailing.at) }",
    put: 'const when = {}',
  },
  'a rate for every caller comes before that of an origin': {
    file: 'lib/rates/origins/matching.ts',
    find: 'const found = walk([...own, EVERYONE])',
    put: 'const found = walk([EVERYONE, ...own])',
  },
}
