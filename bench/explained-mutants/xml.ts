/** The mutants of lib/xml that no test beside the code can kill, by the reason. */
export const xmlMutants: Readonly<Record<string, readonly string[]>> = {
  'only saves time: the other way gives the same result': [
    "lib/xml/row-writer.ts: return ⟦typeof cell === 'number'⟧ → ⟦false⟧ ? String(cell) : escapedText(cell)",
    'lib/xml/row-writer.ts: return typeof cell === ⟦\'number\'⟧ → ⟦""⟧ ? String(cell) : escapedText(cell)',
    'lib/xml/spool.ts: createGzip(⟦{ level: FASTEST }⟧ → ⟦{}⟧),',
    'lib/xml/render.ts: if (⟦isMarkup(content)⟧ → ⟦false⟧) return { pieces: [content.markup], lists: [] }',
  ],
  'matters only if another process deletes the file at that moment': [
    'lib/xml/spool.ts: if (Date.now() - mtimeMs > MAX_ANSWER_MS) await rm(path, ⟦{ force: true }⟧ → ⟦{}⟧)',
    'lib/xml/spool.ts: if (Date.now() - mtimeMs > MAX_ANSWER_MS) await rm(path, { force: ⟦true⟧ → ⟦false⟧ })',
  ],
  'takes a list of 1.6 GB': [
    'lib/xml/spool.ts: if (⟦size.bytes > MAX_BYTES⟧ → ⟦false⟧) throw tooLong()',
    'lib/xml/spool.ts: if (⟦size.bytes > MAX_BYTES⟧ → ⟦size.bytes >= MAX_BYTES⟧) throw tooLong()',
  ],
  'one millisecond more or less': [
    'lib/xml/spool.ts: if (⟦Date.now() - mtimeMs > MAX_ANSWER_MS⟧ → ⟦Date.now() - mtimeMs >= MAX_ANSWER_MS⟧) await rm(path, { force: true })',
  ],
  'Node takes a blank encoding for UTF-8': [
    'lib/xml/spool.ts: for await (const markup of unpacked.setEncoding(⟦\'utf8\'⟧ → ⟦""⟧)) yield { markup: String(markup) }',
  ],
  'a frame without lists is one piece': [
    'lib/xml/render.ts: return pieces.join(⟦\'\'⟧ → ⟦"Stryker was here!"⟧)',
  ],
  'a text among lists has no batches': [
    'lib/xml/render.ts: if (isMarkup(content)) return { pieces: [content.markup], lists: ⟦[]⟧ → ⟦["Stryker was here"]⟧ }',
  ],
}
