/** The mutants of lib/mediation that no test beside the code can kill, by the reason. */
export const mediationMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    "lib/mediation/formats/freeswitch.ts: const withoutProfile = (gateway: string): string => gateway.replace(⟦/^.*::/s⟧ → ⟦/.*::/s⟧, '')",
    'lib/mediation/formats/csv-rows.ts: const [first] = spansOf(⟦text.slice(0, 2 * MAX_HEADER_CHARACTERS)⟧ → ⟦text⟧)',
    'lib/mediation/formats/json-objects.ts: const isObjectLine = ⟦(line: string) => line.length >= MIN_OBJECT_CHARACTERS && objectIn(line) !== undefined⟧ → ⟦() => undefined⟧',
    'lib/mediation/formats/json-objects.ts: const isObjectLine = (line: string) => ⟦line.length >= MIN_OBJECT_CHARACTERS && objectIn(line) !== undefined⟧ → ⟦false⟧',
    'lib/mediation/formats/json-objects.ts: const isObjectLine = (line: string) => ⟦line.length >= MIN_OBJECT_CHARACTERS⟧ → ⟦line.length > MIN_OBJECT_CHARACTERS⟧ && objectIn(line) !== undefined',
  ],
  'the type includes undefined, which does not occur': [
    'lib/mediation/formats/freeswitch.ts: return ⟦profiles?.last⟧ → ⟦profiles.last⟧.size === 0 ? { children: profiles.last } : IGNORED',
    'lib/mediation/formats/json-objects.ts: return written.get(name) ?? ⟦\'\'⟧ → ⟦"Stryker was here!"⟧',
  ],
  'a function that ends returns undefined': ['lib/mediation/formats/json-objects.ts: } catch ⟦…⟧ → ⟦{}⟧'],
}
