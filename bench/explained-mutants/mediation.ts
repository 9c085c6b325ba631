// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources
/** The mutants of lib/mediation that no test beside the code can kill, by the reason. */
export const mediationMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    'lib/mediation/store-cdrs.ts: if (⟦rows.length === 0⟧ → ⟦false⟧) return calls',
    'lib/mediation/correlate.ts: const parts = new Map(given.map((part) => ⟦[nameOfPending(pendingOf(part)), part]⟧ → ⟦[]⟧))',
  ],
  'the type includes undefined, which does not occur': [
    'lib/mediation/correlate.ts: if (events.length >= EVENTS_AT_ONCE && ⟦events.at(-1)?.dialog⟧ → ⟦events.at(-1).dialog⟧ !== event.dialog) await decide()',
    'lib/mediation/dialog-parts.ts: const parts = [...dialogs].flatMap(([first]) => first ?? ⟦[]⟧ → ⟦["Stryker was here"]⟧)',
    'lib/mediation/resolve.ts: const [first, ...others] = found[place] ?? ⟦[]⟧ → ⟦["Stryker was here"]⟧',
  ],
  'a text is no entry with a wanted reason, so it is not retried': [
    'lib/mediation/retry.ts: let [batch, bytes]: [SuspendedCdr[], number] = [⟦[]⟧ → ⟦["Stryker was here"]⟧, 0]',
    'lib/mediation/retry.ts: ;[batch, bytes] = [⟦[]⟧ → ⟦["Stryker was here"]⟧, 0]',
  ],
  'the number of parallel requests changes no result': [
    'lib/mediation/resolve.ts: const found = await pMap(addresses, (text) => listDevicesAt(store, normalizeAddress(text)), ⟦…⟧ → ⟦{}⟧',
    'lib/mediation/retry.ts: const parts = await pMap(readable, read, ⟦{ concurrency: TEXTS_AT_ONCE }⟧ → ⟦{}⟧)',
    'lib/mediation/correlate.ts: const pending = await pMap(dialogs, query, ⟦{ concurrency: QUERIES_AT_ONCE }⟧ → ⟦{}⟧)',
    'lib/mediation/decide-dialogs.ts: await pMap(refused, suspend, ⟦{ concurrency: DIALOGS_AT_ONCE }⟧ → ⟦{}⟧)',
    'lib/mediation/live-events.ts: return new Map(await pMap(parts, track, ⟦{ concurrency: CALLS_AT_ONCE }⟧ → ⟦{}⟧))',
    'lib/mediation/store-cdrs.ts: return pMap(calls, (call) => decideOpen(rating, call), ⟦{ concurrency: MAX_PARALLEL_RATINGS }⟧ → ⟦{}⟧)',
  ],
  'a batch of another size gives the same result': [
    'lib/mediation/correlate.ts: if (⟦events.length >= EVENTS_AT_ONCE && events.at(-1)?.dialog !== event.dialog⟧ → ⟦events.length >= EVENTS_AT_ONCE || events.at(-1)?.dialog !== event.dialog⟧) await decide()',
    'lib/mediation/correlate.ts: if (⟦events.length >= EVENTS_AT_ONCE && events.at(-1)?.dialog !== event.dialog⟧ → ⟦false⟧) await decide()',
    'lib/mediation/correlate.ts: if (⟦events.length >= EVENTS_AT_ONCE⟧ → ⟦true⟧ && events.at(-1)?.dialog !== event.dialog) await decide()',
    'lib/mediation/correlate.ts: if (⟦events.length >= EVENTS_AT_ONCE⟧ → ⟦events.length > EVENTS_AT_ONCE⟧ && events.at(-1)?.dialog !== event.dialog) await decide()',
    'lib/mediation/correlate.ts: if (⟦events.length >= EVENTS_AT_ONCE⟧ → ⟦events.length < EVENTS_AT_ONCE⟧ && events.at(-1)?.dialog !== event.dialog) await decide()',
  ],
  'only saves reading keys that no item has': [
    'lib/mediation/resolve.ts: ...⟦…⟧ → ⟦names.map(name => name.trim().toLowerCase())⟧',
    'lib/mediation/resolve.ts: ...⟦addresses.map(normalizeAddress).filter(isLookupName)⟧ → ⟦addresses.map(normalizeAddress)⟧.map(providerAddressKey),',
    'lib/mediation/resolve.ts: const dids = (await findDids(store, ⟦ids.filter(isDefined)⟧ → ⟦ids⟧)).filter(isDefined)',
    'lib/mediation/resolve.ts: const devices = await findDevices(store, ⟦[...new Set(ids)].filter(isDefined)⟧ → ⟦[...new Set(ids)]⟧)',
  ],
  'matters only if the item is deleted between two reads': [
    'lib/mediation/resolve.ts: const dids = ⟦(await findDids(store, ids.filter(isDefined))).filter(isDefined)⟧ → ⟦await findDids(store, ids.filter(isDefined))⟧',
    'lib/mediation/resolve.ts: return new Map(⟦devices.filter(isDefined)⟧ → ⟦devices⟧.map(({ id, user_id }) => [id, { user_id, device_id: id }]))',
  ],
  'every part without an identity is suspended alike': [
    "lib/mediation/suspend.ts: { part: { document, found: ⟦{ kind: 'problem', ...problem }⟧ → ⟦{}⟧, text: () => document.text }, problem },",
    'lib/mediation/suspend.ts: { part: { document, found: { kind: ⟦\'problem\'⟧ → ⟦""⟧, ...problem }, text: () => document.text }, problem },',
  ],
  'a text that is not a pending event is left out': [
    'lib/mediation/correlate.ts: let events: PendingEvent[] = ⟦[]⟧ → ⟦["Stryker was here"]⟧',
    'lib/mediation/correlate.ts: events = ⟦[]⟧ → ⟦["Stryker was here"]⟧',
  ],
  'no number is such a text': [
    'lib/mediation/store-cdrs.ts: const internalAs = ({ rated, dst }: Call): ReadonlySet<string> => new Set(rated === INTERNAL ? [dst] : ⟦[]⟧ → ⟦["Stryker was here"]⟧)',
  ],
}
