/** The mutants that no test can kill, by the reason. bench/mutants.md has their names. */
const BY_REASON: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    "lib/domain/calendar.ts: ⟦zone === 'UTC'⟧ → ⟦false⟧ ? 0 : Math.round(tzOffset(zone, new Date(moment * 1000)) * 60)",
    'lib/domain/calendar.ts: zone === ⟦\'UTC\'⟧ → ⟦""⟧ ? 0 : Math.round(tzOffset(zone, new Date(moment * 1000)) * 60)',
    'lib/domain/calendar.ts: if (⟦moment < FIRST_WHOLE_OFFSETS⟧ → ⟦true⟧) {',
    'lib/domain/calendar.ts: if (⟦moment < FIRST_WHOLE_OFFSETS⟧ → ⟦moment <= FIRST_WHOLE_OFFSETS⟧) {',
    'lib/domain/calendar.ts: if (⟦last?.minute !== minute⟧ → ⟦true⟧) {',
    'lib/domain/calendar.ts: const FIRST_WHOLE_OFFSETS: Seconds = ⟦Date.UTC(1973, 0) / 1000⟧ → ⟦Date.UTC(1973, 0) * 1000⟧',
    'lib/api/response.ts: ⟦document.lists.length === 0⟧ → ⟦false⟧ ? wholeBody(document, compressed) : streamedBody(document, compressed)',
    'lib/xml/spool.ts: createGzip(⟦{ level: FASTEST }⟧ → ⟦{}⟧),',
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
  'the type includes undefined, which does not occur': [
    "lib/api/response.ts: const [coding = ⟦''⟧ → ⟦\"Stryker was here!\"⟧, ...parameters] = text.split(';').map((part) => part.trim())",
    "lib/api/raw-parameters.ts: const read = BODY_READERS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? ⟦''⟧ → ⟦\"Stryker was here!\"⟧)",
    "lib/api/raw-parameters.ts: const read = BODY_READERS.get(⟦contentType.split(';')[0]?.trim⟧ → ⟦contentType.split(';')[0].trim⟧().toLowerCase() ?? '')",
  ],
  'any other text has the same effect there': [
    "lib/api/signature.ts: const hash = Buffer.from(raw['hash']?.trim().toLowerCase() ?? ⟦''⟧ → ⟦\"Stryker was here!\"⟧)",
    'lib/api/parameters.ts: function refuseUnstorableText(name: string, sent = ⟦\'\'⟧ → ⟦"Stryker was here!"⟧): void {',
  ],
  'matters only if another process deletes the file at that moment': [
    'lib/xml/spool.ts: await rm(path, ⟦{ force: true }⟧ → ⟦{}⟧)',
    'lib/xml/spool.ts: await rm(path, { force: ⟦true⟧ → ⟦false⟧ })',
    'lib/xml/spool.ts: if (Date.now() - mtimeMs > MAX_ANSWER_MS) await rm(path, ⟦{ force: true }⟧ → ⟦{}⟧)',
    'lib/xml/spool.ts: if (Date.now() - mtimeMs > MAX_ANSWER_MS) await rm(path, { force: ⟦true⟧ → ⟦false⟧ })',
    'lib/xml/spool.ts: const { mtimeMs } = await stat(path).catch(() => (⟦{ mtimeMs: Date.now() }⟧ → ⟦{}⟧))',
    'lib/xml/spool.ts: const { mtimeMs } = await stat(path).catch(⟦() => ({ mtimeMs: Date.now() })⟧ → ⟦() => undefined⟧)',
  ],
  'takes a list of 1.6 GB': [
    'lib/xml/spool.ts: if (⟦size.bytes > MAX_BYTES⟧ → ⟦false⟧) throw tooLong()',
    'lib/xml/spool.ts: if (⟦size.bytes > MAX_BYTES⟧ → ⟦size.bytes >= MAX_BYTES⟧) throw tooLong()',
  ],
  'one millisecond more or less': [
    'lib/xml/spool.ts: if (⟦Date.now() - mtimeMs > MAX_ANSWER_MS⟧ → ⟦Date.now() - mtimeMs >= MAX_ANSWER_MS⟧) await rm(path, { force: true })',
  ],
  'undefined counts as false': ['lib/domain/settings.ts: } catch ⟦…⟧ → ⟦{}⟧'],
  'Node takes a blank encoding for UTF-8': [
    'lib/xml/spool.ts: const unpacked = createReadStream(path).compose(createGunzip()).setEncoding(⟦\'utf8\'⟧ → ⟦""⟧)',
    "lib/api/raw-parameters.ts: const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : ⟦'utf8'⟧ → ⟦\"\"⟧)",
  ],
}

export const EXPLAINED_SURVIVORS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_REASON).flatMap(([reason, mutants]) =>
    mutants.map((mutant) => [mutant, reason] as const),
  ),
)
