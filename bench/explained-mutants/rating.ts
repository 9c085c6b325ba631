/** The mutants of lib/rating that no test beside the code can kill, by the reason. */
export const ratingMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    'lib/rating/rerating.ts: await book.accounts(calls.flatMap(⟦({ user_id, owner_id }) => [user_id, owner_id]⟧ → ⟦() => undefined⟧))',
    'lib/rating/rerating.ts: await book.accounts(calls.flatMap(({ user_id, owner_id }) => ⟦[user_id, owner_id]⟧ → ⟦[]⟧))',
    'lib/rating/rate-book.ts: if (⟦known.size > MAX_REMEMBERED_NUMBERS⟧ → ⟦known.size >= MAX_REMEMBERED_NUMBERS⟧) known = new Map()',
    'lib/rating/rate-book.ts: const dialled = calls.flatMap(({ dst, user_price }) => (⟦user_price === undefined⟧ → ⟦true⟧ ? [dst] : []))',
    'lib/rating/rate-book.ts: if (⟦known.size > MAX_REMEMBERED_NUMBERS⟧ → ⟦true⟧) known = new Map()',
    'lib/rating/rate-book.ts: if (⟦known.size > MAX_REMEMBERED_NUMBERS⟧ → ⟦known.size <= MAX_REMEMBERED_NUMBERS⟧) known = new Map()',
    'lib/rating/call-writing.ts: { identityOf: ([record]) => record?.row as CallRow, isNew: (call) => ⟦call.every(isNew)⟧ → ⟦call.some(isNew)⟧ },',
  ],
  'only limits memory': [
    'lib/rating/rate-book.ts: if (⟦known.size > MAX_REMEMBERED_NUMBERS⟧ → ⟦false⟧) known = new Map()',
    'lib/rating/rerating.ts: return pMap(calls, (call) => verdictFor(call).catch(skipUnratable), ⟦{ concurrency: MAX_PARALLEL_RATINGS }⟧ → ⟦{}⟧)',
    'lib/rating/call-writing.ts: pMap(seen, (one) => rateLatest(book, one), ⟦{ concurrency: MAX_PARALLEL_RATINGS }⟧ → ⟦{}⟧)',
  ],
  'a text that is not a number of an extension, or not an account, adds nothing': [
    'lib/rating/rate-book.ts: const dialled = calls.flatMap(({ dst, user_price }) => (user_price === undefined ? [dst] : ⟦[]⟧ → ⟦["Stryker was here"]⟧))',
    'lib/rating/rerating.ts: const latest = { ...(await openRateBook(store, ⟦[]⟧ → ⟦["Stryker was here"]⟧)), internal: new Set<string>() }',
  ],
  'the type includes undefined, which does not occur': [
    'lib/rating/call-writing.ts: return records.map((record) => outcomes.get(record) ?? ⟦\'unchanged\'⟧ → ⟦""⟧)',
    'lib/rating/rate-book.ts: until = ⟦page.at(-1)?.issue_date⟧ → ⟦page.at(-1).issue_date⟧ ?? until',
  ],
  'undefined counts as false': [
    'lib/rating/rerating.ts: const isInvoiced = options.includeInvoiced ? ⟦async () => false⟧ → ⟦() => undefined⟧ : invoiceCheck(store)',
  ],
  'a text among calls, or among periods, matches nothing': [
    'lib/rating/call-writing.ts: const stored = [...decided.values()].flatMap(({ change }) => change?.after ?? ⟦[]⟧ → ⟦["Stryker was here"]⟧)',
    'lib/rating/rate-book.ts: const periods = ⟦[]⟧ → ⟦["Stryker was here"]⟧',
    'lib/rating/rate-book.ts: from === undefined || till === undefined ? ⟦[]⟧ → ⟦["Stryker was here"]⟧ : [{ from, till }]',
  ],
  'only TypeScript needs it: no day is before or after undefined': [
    'lib/rating/rate-book.ts: ⟦from === undefined || till === undefined⟧ → ⟦false⟧ ? [] : [{ from, till }]',
    'lib/rating/rate-book.ts: ⟦from === undefined || till === undefined⟧ → ⟦from === undefined && till === undefined⟧ ? [] : [{ from, till }]',
    'lib/rating/rate-book.ts: ⟦from === undefined⟧ → ⟦false⟧ || till === undefined ? [] : [{ from, till }]',
    'lib/rating/rate-book.ts: from === undefined || ⟦till === undefined⟧ → ⟦false⟧ ? [] : [{ from, till }]',
  ],
}
