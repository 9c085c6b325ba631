/** The mutants of lib/domain that no test beside the code can kill, by the reason. */
export const domainMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    "lib/domain/calendar.ts: ⟦zone === 'UTC'⟧ → ⟦false⟧ ? 0 : Math.round(tzOffset(zone, new Date(moment * 1000)) * 60)",
    'lib/domain/calendar.ts: zone === ⟦\'UTC\'⟧ → ⟦""⟧ ? 0 : Math.round(tzOffset(zone, new Date(moment * 1000)) * 60)',
    'lib/domain/calendar.ts: if (⟦moment < FIRST_WHOLE_OFFSETS⟧ → ⟦true⟧) {',
    'lib/domain/calendar.ts: if (⟦moment < FIRST_WHOLE_OFFSETS⟧ → ⟦moment <= FIRST_WHOLE_OFFSETS⟧) {',
    'lib/domain/calendar.ts: if (⟦last?.minute !== minute⟧ → ⟦true⟧) {',
    'lib/domain/calendar.ts: const FIRST_WHOLE_OFFSETS: Seconds = ⟦Date.UTC(1973, 0) / 1000⟧ → ⟦Date.UTC(1973, 0) * 1000⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\D*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[^1-9]\\d*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\D*)\\.\\d*[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d[1-9])$/⟧',
    'lib/domain/money.ts: const PLAIN = ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\d*[1-9])$/⟧ → ⟦/^(?:0|-?[1-9]\\d*|-?(?:0|[1-9]\\d*)\\.\\D*[1-9])$/⟧',
    'lib/domain/row-refused.ts: ⟦one === other⟧ → ⟦false⟧ || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)',
  ],
  'a list matches a text without a family as little': [
    'lib/domain/accounts/trusted-addresses.ts: if (⟦!family⟧ → ⟦false⟧) return false',
    'lib/domain/accounts/trusted-addresses.ts: const [, address = ⟦\'\'⟧ → ⟦"Stryker was here!"⟧, bits] = /^([^/]*)(?:\\/(\\d{1,3}))?$/.exec(entry) ?? []',
    'lib/domain/accounts/trusted-addresses.ts: const [, address = \'\', bits] = /^([^/]*)(?:\\/(\\d{1,3}))?$/.exec(entry) ?? ⟦[]⟧ → ⟦["Stryker was here"]⟧',
    'lib/domain/accounts/trusted-addresses.ts: if (⟦!family⟧ → ⟦false⟧) return undefined',
  ],
  'undefined counts as false': ['lib/domain/settings.ts: } catch ⟦…⟧ → ⟦{}⟧'],
  'without a match the cost is not a number, which is refused, too': [
    'lib/domain/accounts/password.ts: const [, N, r, p, salt, key, ofLegacy] = HASH.exec(text) ?? ⟦[]⟧ → ⟦["Stryker was here"]⟧',
    'lib/domain/accounts/password.ts: if (⟦salt === undefined || key === undefined⟧ → ⟦false⟧) return undefined',
    'lib/domain/accounts/password.ts: if (⟦salt === undefined || key === undefined⟧ → ⟦salt === undefined && key === undefined⟧) return undefined',
    'lib/domain/accounts/password.ts: if (⟦salt === undefined⟧ → ⟦false⟧ || key === undefined) return undefined',
    'lib/domain/accounts/password.ts: if (salt === undefined || ⟦key === undefined⟧ → ⟦false⟧) return undefined',
  ],
  'a distance that is not a number exceeds no limit, like 0': [
    'lib/domain/calls/active-call.ts: ⟦start_time === undefined⟧ → ⟦false⟧ ? 0 : (event.said.start_time ?? start_time) - start_time',
  ],
  'the type includes undefined, which does not occur': [
    "lib/domain/fields.ts: return typeof text === 'string' ? { value: ⟦fields[name]?.read⟧ → ⟦fields[name].read⟧(text) } : undefined",
  ],
}
