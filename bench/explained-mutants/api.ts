/** The mutants of lib/api that no test beside the code can kill, by the reason. */
export const apiMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    'lib/api/response.ts: ⟦document.lists.length === 0⟧ → ⟦false⟧ ? wholeBody(document, compressed) : streamedBody(document, compressed)',
  ],
  'the type includes undefined, which does not occur': [
    "lib/api/raw-parameters.ts: const read = BODY_READERS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? ⟦''⟧ → ⟦\"Stryker was here!\"⟧)",
    "lib/api/raw-parameters.ts: const read = BODY_READERS.get(⟦contentType.split(';')[0]?.trim⟧ → ⟦contentType.split(';')[0].trim⟧().toLowerCase() ?? '')",
  ],
  'any other text has the same effect there': [
    "lib/api/signature.ts: const hash = Buffer.from(raw['hash']?.trim().toLowerCase() ?? ⟦''⟧ → ⟦\"Stryker was here!\"⟧)",
    'lib/api/parameters.ts: function refuseUnstorableText(name: string, sent = ⟦\'\'⟧ → ⟦"Stryker was here!"⟧): void {',
  ],
  'Node takes a blank encoding for UTF-8': [
    "lib/api/raw-parameters.ts: const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : ⟦'utf8'⟧ → ⟦\"\"⟧)",
  ],
}
